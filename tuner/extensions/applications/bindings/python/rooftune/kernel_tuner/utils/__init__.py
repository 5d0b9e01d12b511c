"""Names of Kernel Tuner's package utils."""
