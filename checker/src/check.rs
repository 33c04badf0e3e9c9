//! The pipeline of one check: compile, correctness, findings, goals, counters, time; stops at the first failure.
