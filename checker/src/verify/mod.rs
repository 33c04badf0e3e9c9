//! Fills, poison, guards, oracle, derived tolerances, comparison.
