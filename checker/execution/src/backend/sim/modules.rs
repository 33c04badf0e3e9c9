//! Parsed modules, kept for the next run of the same text.

use simulator::Module;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Bytes of PTX whose modules are kept.
const MODULES: usize = 8 << 20;

/// A PTX text and what it was parsed to.
type Parsed = (Arc<str>, Arc<Module>);

/// Parsed modules, shared between sessions and jobs. Few texts, so they are compared and not hashed.
#[derive(Clone, Default)]
pub struct Modules {
    parsed: Rc<RefCell<Vec<Parsed>>>,
    /// What blocks met, by program and size.
    #[cfg(not(target_family = "wasm"))]
    pub(super) met: super::sampled::Known,
}

impl Modules {
    pub(super) fn find(&self, text: &Arc<str>) -> Option<Arc<Module>> {
        let known = self.parsed.borrow();
        let same = |(known, _): &&Parsed| Arc::ptr_eq(known, text) || known == text;
        known.iter().find(same).map(|(_, module)| module.clone())
    }

    pub(super) fn keep(&self, text: Arc<str>, module: Arc<Module>) {
        let mut known = self.parsed.borrow_mut();
        if known.iter().map(|(text, _)| text.len()).sum::<usize>() + text.len() > MODULES {
            known.clear();
        }
        known.push((text, module));
    }
}
