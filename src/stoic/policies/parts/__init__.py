"""What policies are made of: checked arguments, schedules, choices on a domain, saved states."""
