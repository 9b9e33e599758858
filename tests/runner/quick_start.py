"""Loaded before all else by `nox -s test`: each start of pytest is a second shorter, and its workers start too."""

import sys

# jsonschema builds a parser of addresses with foreign letters at its import, where it finds this package.
# No notebook holds such an address.
sys.modules.setdefault("rfc3987_syntax", None)
