"""Check, back up and recover stores."""
