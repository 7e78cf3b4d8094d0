"""One file for each family of kernels."""
