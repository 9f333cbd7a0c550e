"""What a person calls from Python; the names stand in ``unfooled`` itself."""
