"""The flags: `table` declares each once, `command` hands them to typer, the rest are groups.

Commands import the files they need, so that each loads itself alone.
"""
