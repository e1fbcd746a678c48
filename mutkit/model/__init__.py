"""Owns the values that all other modules pass around: frozen, without behaviour that touches the machine."""
