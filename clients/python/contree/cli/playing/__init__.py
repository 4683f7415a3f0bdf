"""A person at a table. The view-model is pure: ``desk`` says what is shown and what a key means;
``person`` and ``sitting`` connect it to a service; ``plain`` and ``contree.cli.tui`` show it.
"""
