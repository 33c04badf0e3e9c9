//! What a program's blocks met at a size, kept for the next question: several ask about the same sizes.

use super::switches::Met;
use plan::Plan;
use simulator::{Config, Module};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Programs of which it is kept.
const MOST: usize = 64;

/// What was asked: of which program, with which settings and inputs, and up to how many warp instructions.
pub struct Query {
    pub(super) module: Arc<Module>,
    pub(super) plan: Plan,
    pub(super) config: Config,
    pub(super) seed: u64,
    pub(super) enough: u64,
}

impl Query {
    fn is(&self, other: &Self) -> bool {
        let numbers = |query: &Self| (query.seed, query.enough);
        Arc::ptr_eq(&self.module, &other.module)
            && numbers(self) == numbers(other)
            && self.config == other.config
            && self.plan == other.plan
    }
}

/// A question and its answer.
type Answered = (Query, Rc<Met>);

/// All of them; few, so they are compared and not hashed.
#[derive(Clone, Default)]
pub struct Known(Rc<RefCell<Vec<Answered>>>);

impl Known {
    /// What was found before, or is now.
    pub(super) fn or<E>(&self, query: Query, find: impl FnOnce() -> Result<Met, E>) -> Result<Rc<Met>, E> {
        let known = self.0.borrow().iter().find(|(known, _)| known.is(&query)).map(|(_, met)| met.clone());
        if let Some(met) = known {
            return Ok(met);
        }
        let met = Rc::new(find()?);
        let mut all = self.0.borrow_mut();
        if all.len() >= MOST {
            all.clear();
        }
        all.push((query, met.clone()));
        Ok(met)
    }
}
