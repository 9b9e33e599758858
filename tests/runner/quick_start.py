"""Loaded before all else by `nox -s test`: a start of pytest is a second shorter, and with two workers it starts twice."""

import sys

# jsonschema builds a parser of addresses with foreign letters at its import, where it finds this package.
# No notebook holds such an address.
sys.modules.setdefault("rfc3987_syntax", None)
