"""Use feint inside other tools: each a thin layer over a plan, a search and an oracle."""
