"""The command line `contree`: serve, run a bot, hold a tournament, watch, ask about the rules.

`app` assembles the commands, one module each. What a command needs beyond typer is imported when it
runs, so that `contree --help` and `contree rules` answer at once. `render` is pure: values in,
screens out. A person reads tables on standard output, a script reads `--json`; errors are one
sentence and the next step on standard error.

Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.
"""
