"""`stoic serve`: ask and tell over HTTP, with the promises of the store, and a live page."""
