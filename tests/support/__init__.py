"""What several tests share: short ways to make strategies, games to play, things to compare."""
