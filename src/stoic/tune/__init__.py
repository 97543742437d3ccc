"""The parts of ``stoic tune``: what is tuned, how a program is run and read, what is shown."""
