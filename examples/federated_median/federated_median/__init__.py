"""Find the median of clients' numbers, which no client can tell, in a Flower app."""
