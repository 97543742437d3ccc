"""What every request must pass: limits, host, origin, strict JSON, rates, and security headers."""
