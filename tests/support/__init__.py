"""Share helpers of several tests: ways to make strategies, games to play, things to compare."""
