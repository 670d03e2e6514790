"""The median of clients' numbers that no client can tell, as a Flower app."""
