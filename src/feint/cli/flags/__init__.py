"""Declare the flags once in `table`, pass them to typer in `command`, and group them elsewhere.

Commands import only the modules they need, so that each starts fast.
"""
