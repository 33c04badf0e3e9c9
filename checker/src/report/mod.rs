//! The typed, versioned report and its faces: terminal, plain, JSON.
