"""What the best eavesdropper can do."""
