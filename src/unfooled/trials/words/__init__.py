"""Texts under attacks in words: every attack as a trial, its numbers, its claims asked again, stored adversaries."""
