"""feint inside tools people know: each a thin layer over a plan, a search and an oracle."""
