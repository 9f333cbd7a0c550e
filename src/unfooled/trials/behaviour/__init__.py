"""Cases of behavioural tests: made here, or read from stored suites."""
