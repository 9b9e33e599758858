"""Loaded first by `nox -s test`: saves a second at each start of pytest and of its workers."""

import sys

# If this package is installed, jsonschema builds a parser for internationalised addresses at import.
# No notebook contains such an address.
sys.modules.setdefault("rfc3987_syntax", None)
