//! What baselines came to, kept for further checks of the same problems in this process, as when a class is graded: with the same
//! seed they would come to the same again.

use super::verify::Results;
use problem::Problem;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Results of baselines on the simulator, by problem and seed.
#[derive(Debug, Default)]
pub struct Baselines(Mutex<HashMap<(PathBuf, u64), Results>>);

impl Baselines {
    /// Those that are known.
    pub(crate) fn get(&self, problem: &Problem, seed: u64) -> Option<Results> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(problem.dir.clone(), seed)).cloned()
    }

    /// Keeps them.
    pub(crate) fn keep(&self, problem: &Problem, seed: u64, results: &Results) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((problem.dir.clone(), seed), results.clone());
    }
}
