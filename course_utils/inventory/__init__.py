"""The inventory of attention: its questions, who answers which form, and where the answers are stored."""
