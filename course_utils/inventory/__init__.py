"""The inventory of attention: what its questions are, who answers which form, and where the answers are kept."""
