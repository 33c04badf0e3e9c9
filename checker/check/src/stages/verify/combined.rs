//! Values of sizes that are not drawn, as a block's threads, beside other elements than the cases have. A template has an instance for each
//! value, a kernel of its own: that it is right for a hundred elements says little of a hundred thousand.

use super::Trials;
use super::besides::{ELSEWHERE, LARGE};
use crate::build::Built;
use crate::{BuildError, beside};
use execution::backend::Checked;
use problem::Sizes;

impl Trials<'_> {
    /// A version whole at such sizes, those with few elements first, as many as are soon run at so many warp instructions per element.
    pub(super) fn at_other_values(&self, built: &Built, cost: f64) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        if !self.tries_besides() {
            return Ok(Vec::new());
        }
        let mut left = self.soon().instructions;
        let mut found = Vec::new();
        for sizes in beside::combined(self.problem, self.seed) {
            left -= cost * beside::elements(self.problem, &sizes);
            if left < 0.0 {
                break;
            }
            // An instance that nobody compiled is not asked.
            let program = self.version(built, &sizes).ok();
            if program.is_some_and(|program| program.plan.bytes() <= LARGE.bytes) {
                found.extend(self.whole(built, sizes, ELSEWHERE + 11)?);
            }
        }
        Ok(found)
    }
}
