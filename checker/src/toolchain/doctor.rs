//! What is installed, what is missing, and what to do about it.
