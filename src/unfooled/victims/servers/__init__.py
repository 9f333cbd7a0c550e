"""Victims that answer over a connection that a person named."""
