"""A page on this machine on which models are asked, fooled and turned round while one watches."""
