"""Exit codes: what a command says to whoever called it; 0 says that all is well."""

LEAKS = 1  # an audit's claim does not hold
REFUSED = 2  # bad input
STOPPED = 3  # a search or a bisection was stopped before its end, and can be gone on with
UNWRITTEN = 4  # the output or a file cannot be written
INTERRUPTED = 130  # Ctrl-C: 128 + SIGINT, as shells count
CLOSED = 141  # whoever reads the output has had enough of it, as `head` does: 128 + SIGPIPE
