"""The flags that commands share: how they are declared, and what they become.

`flag` declares one, and `group` makes a dataclass of flags one parameter of a command. The groups:
`problem` (which problem, in which units), `plan` (how it is planned), `work` (who does the work);
`runs` has flags of commands that play many runs. A flag added to a group is a flag of every
command that takes the group.

Commands import the files they need, so that each loads itself alone.
"""
