"""Add feint to a Flower app that has its own queries and a mod."""
