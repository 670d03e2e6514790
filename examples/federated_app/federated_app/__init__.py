"""A Flower app with its own queries and a mod, and feint beside them."""
