"""What a person calls; the names stand in ``unfooled`` itself."""
