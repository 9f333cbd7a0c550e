"""Victims that a person has in hand: objects of other libraries, known by what they can do, and a file of one."""
