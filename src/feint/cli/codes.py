"""Exit statuses of the commands; 0 means success."""

LEAKS = 1  # an audit found that a claim does not hold
REFUSED = 2  # bad input
STOPPED = 3  # a search or a bisection was stopped before its end and can be resumed
UNWRITTEN = 4  # the output or a file is not writable
INTERRUPTED = 130  # Ctrl-C: 128 + SIGINT, as shells count
CLOSED = 141  # the reader of the output closed it, as `head` does: 128 + SIGPIPE
