"""The JSON API under ``/v1``: models of requests and replies, and the endpoints."""
