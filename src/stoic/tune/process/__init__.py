"""Processes of programs: how they are started, waited for and accounted for."""
