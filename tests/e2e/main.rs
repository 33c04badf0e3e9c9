//! End-to-end tests: the real binary over real kernels, as a user meets it.
