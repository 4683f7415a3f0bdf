"""Draft."""

from contree.client.channel import *
