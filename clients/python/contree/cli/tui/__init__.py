"""Screens by Textual. What they show, and what keys mean, is decided by pure modules
(``contree.cli.playing``, ``contree.cli.stepping``, ``contree.cli.render``).
"""
