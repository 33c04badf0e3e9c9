//! What blocks do at a size that is too large for them to be run at, by what they do at smaller ones.

use execution::backend::{LaunchProfile, Profile};
use problem::Sizes;
use simulator::Counters;

/// A size that grows from a small one to the one that is meant, the others being that already.
#[derive(Clone)]
pub struct Growth {
    name: String,
    /// The small one.
    pub near: i64,
    /// The one that is meant.
    pub far: i64,
    others: Sizes,
    /// How many times more a block has to do, if the work grows as the size does.
    pub of_a_block: f64,
}

/// Blocks of all launches.
fn blocks(grids: &[[u32; 3]]) -> f64 {
    grids.iter().map(|grid| grid.iter().map(|&extent| f64::from(extent)).product::<f64>()).sum()
}

impl Growth {
    /// Of each size that grows and leaves `grids` as they are: with more blocks each does no more. A size that grows alone need not leave them:
    /// blocks that go round do more where there is an end to their number. The one that grows most is first.
    pub fn all(count: &Sizes, far: &Sizes, grids: impl Fn(&Sizes) -> Option<Vec<[u32; 3]>>) -> Vec<Self> {
        let grown = |(name, &far_size): (&String, &i64)| {
            let near = count.get(name).copied().filter(|near| *near > 0 && far_size >= 2 * near)?;
            let of_a_block = far_size as f64 / near as f64;
            Some(Self { name: name.clone(), near, far: far_size, others: far.clone(), of_a_block })
        };
        let Some(there) = grids(far) else { return Vec::new() };
        let mut all: Vec<Self> = far.iter().filter_map(grown).collect();
        if all.len() > 1 {
            all.retain(|growth| grids(&growth.sizes(growth.near)).as_ref() == Some(&there));
        }
        for growth in &mut all {
            let near = grids(&growth.sizes(growth.near)).unwrap_or_default();
            growth.of_a_block *= blocks(&near) / blocks(&there).max(1.0);
        }
        all.sort_by(|a, b| (b.far as f64 / b.near as f64).total_cmp(&(a.far as f64 / a.near as f64)));
        all
    }

    /// From a size on that is so much smaller: of one block that does what all others might.
    pub fn smaller(self) -> Self {
        const LESS: i64 = 64;
        Self { near: (self.near / LESS).max(1), ..self }
    }

    /// All sizes, with this one.
    pub fn sizes(&self, size: i64) -> Sizes {
        let mut sizes = self.others.clone();
        sizes.insert(self.name.clone(), size);
        sizes
    }

    /// The largest size of those that double the small one, at twice which a block does a quarter of the `steps` that two may do, if it did
    /// so many instructions at the small one: an unrolled loop shows from its number of copies on.
    pub fn nearest(&self, instructions: u64, steps: u64) -> i64 {
        let times = (steps / 8 / instructions.max(1)).max(1);
        let mut near = self.near.saturating_mul(1 << times.ilog2().min(40));
        while near > self.near && near > self.far / 2 {
            near /= 2;
        }
        near
    }

    /// How much further the size that is meant is from `near` than twice `near` is.
    pub fn turns(&self, near: i64) -> f64 {
        (self.far - near) as f64 / near as f64
    }
}

/// What a block does at a size, by what it does at two smaller ones: of a loop whose turns are the size. Nothing where the two
/// do not launch the same, or hang on what nobody wrote.
pub fn extrapolated(near: &Profile, further: &Profile, times: f64) -> Option<Profile> {
    let guessed = !near.otherwise.is_empty() || !further.otherwise.is_empty();
    if guessed || near.launches.len() != further.launches.len() {
        return None;
    }
    let one = |(a, b): (&LaunchProfile, &LaunchProfile)| {
        let alike = a.launch == b.launch && a.stands_for == b.stands_for && a.blocks > 0;
        // Of the larger size fewer blocks may have run.
        let share = b.blocks as f64 / a.blocks.max(1) as f64;
        let near = Counters::default().along(&a.counters, share);
        let fine = a.stopped.is_none() && b.stopped.is_none() && a.coverage.len() == b.coverage.len();
        let line = |(from, to): (&simulator::Covered, &simulator::Covered)| {
            let near = from.warps as f64 * share;
            let warps = near + times * (to.warps as f64 - near);
            simulator::Covered { warps: warps.max(0.0) as u64, ..to.clone() }
        };
        (alike && fine).then(|| LaunchProfile {
            counters: near.along(&b.counters, times),
            coverage: a.coverage.iter().zip(&b.coverage).map(line).collect(),
            locality: a.locality.along(&b.locality, times),
            ..b.clone()
        })
    };
    let launches = near.launches.iter().zip(&further.launches).map(one).collect::<Option<_>>()?;
    Some(Profile { launches, variables: further.variables.clone(), ..Profile::default() })
}
