"""Plugins for servers: they run the kernels of tuned tables without a change of the server (docs/python.md)."""
