"""The servicers: each decodes, calls the host, encodes. Errors become statuses in one table."""
