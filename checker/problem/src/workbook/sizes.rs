//! A problem at its sizes: its inputs and outputs, cases, types, and the bounds that hold there.

use super::Problem;
use super::id::Version;
use crate::error::LineError;
use crate::expr::Sizes;
use crate::kernel_file::KernelFile;
use crate::ladder::{BLOCK, Ladder};
use crate::manifest::{ErrorBound, OutputSpec, Sweep};
use plan::Buffer;
use plan::stream::Stream;

/// A size that is drawn: every second time it lies at a multiple of a power of two from 32 on, one before or one behind, where mistakes
/// show that a draw alone meets once in hundreds of times.
fn near(seed: u64, name: &str, index: u64, lo: i64, hi: i64) -> i64 {
    let stream = Stream::new(seed, name);
    let drawn = stream.integer(index, lo, hi);
    let choice = Stream::new(seed, "sizes near powers of two");
    let of = |at: u64, lo: i64, hi: i64| choice.integer(index << 2 | at, lo, hi);
    let unit = 1 << of(0, 5, 10);
    let close = (drawn / unit).max(1) * unit + of(1, -1, 1);
    if of(2, 0, 1) == 1 && (lo..=hi).contains(&close) { close } else { drawn }
}

impl Problem {
    /// Inputs and outputs at sizes.
    ///
    /// # Errors
    ///
    /// As [`crate::manifest::Manifest::io`].
    pub fn io(&self, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        self.manifest.io(sizes)
    }

    /// Buffers of the oracle at sizes: float outputs in f64, and NAME_magnitude where `reference` passes it to a launch.
    ///
    /// # Errors
    ///
    /// As [`crate::manifest::Manifest::io`].
    pub fn reference_io(&self, reference: &KernelFile, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        self.manifest.reference_io(sizes, |name| reference.passes(name))
    }

    /// The problem with the sizes of its drawn cases, which the seed chooses.
    pub fn drawn(&self, seed: u64) -> Self {
        let mut problem = Self { drawn_by: Some(seed), ..self.clone() };
        for (index, row) in self.manifest.drawn.iter().enumerate() {
            let size =
                |(name, (lo, hi)): (&String, &(i64, i64))| (name.clone(), near(seed, name, index as u64, *lo, *hi));
            let sizes: Sizes = row.iter().map(size).collect();
            if !problem.manifest.cases.contains(&sizes) {
                problem.manifest.cases.push(sizes);
            }
        }
        problem
    }

    /// The seed that drew its sizes, if one did.
    pub fn drawn_by(&self) -> Option<u64> {
        self.drawn_by
    }

    /// The sizes that are run and verified. A sweep's case that leaves out the row or the column is run at all its
    /// values.
    pub fn cases(&self) -> Vec<Sizes> {
        let Some(sweep) = &self.manifest.sweep else { return self.manifest.cases.clone() };
        let mut cases = Vec::new();
        for case in &self.manifest.cases {
            for cell in sweep.cells(case) {
                let mut sizes = cell.sizes;
                sizes.extend(case.iter().map(|(name, value)| (name.clone(), *value)));
                if !cases.contains(&sizes) {
                    cases.push(sizes);
                }
            }
        }
        cases
    }

    /// The ladder, for a problem of that kind.
    pub fn ladder(&self) -> Option<&Ladder> {
        self.manifest.ladder.as_ref()
    }

    /// A ladder at its element type of that number, in the order of its `[[ladder.type]]` tables.
    pub fn of_type(&self, element: usize) -> Option<Self> {
        let manifest = self.variants.get(element)?.clone();
        Some(Self { manifest, ..self.clone() })
    }

    /// A ladder's step as a problem of its own: its baseline is the step before (the first step's is itself), and its
    /// error bound is the step's own where it has one. Without `everything`, block sizes other than the ladder's own are
    /// tried at small sizes only.
    pub fn of_step(&self, version: &str, everything: bool) -> Option<Self> {
        let ladder = self.ladder()?;
        let at = ladder.position(version)?;
        let before = ladder.versions[at.saturating_sub(1)].clone();
        let mut problem = self.clone();
        problem.bound_by(&[version, &before]);
        problem.step = Some([before, version.to_string()]);
        if let Ok(file) = problem.version(&Version::Candidate) {
            problem.manifest.learned = file.heading();
        }
        let files = [Version::Baseline, Version::Candidate].map(|version| problem.version(&version).ok());
        let claimed = |sizes: &Sizes| files.iter().flatten().all(|file| ladder.claims(file, sizes));
        problem.manifest.cases.retain(|sizes| {
            let own = sizes.get(BLOCK) == Some(&ladder.block);
            claimed(sizes) && (everything || own || is_small(sizes))
        });
        Some(problem)
    }

    /// The step that [`Problem::of_step`] chose, and the one before it.
    pub fn step(&self) -> Option<&[String; 2]> {
        self.step.as_ref()
    }

    /// Gives outputs the longest chain of roundings that any of these versions has. A mutant's name begins with that of
    /// its version.
    pub(super) fn bound_by(&mut self, versions: &[&str]) {
        let mut outputs = std::mem::take(&mut self.manifest.outputs);
        self.bound(&mut outputs, versions);
        self.manifest.outputs = outputs;
    }

    /// The outputs with the bounds that this version has.
    pub fn bounded_by(&self, version: &str) -> Vec<OutputSpec> {
        let mut outputs = self.manifest.outputs.clone();
        self.bound(&mut outputs, &[version]);
        outputs
    }

    fn bound(&self, outputs: &mut [OutputSpec], versions: &[&str]) {
        let Some(ladder) = &self.manifest.ladder else { return };
        for output in outputs {
            if let ErrorBound::Ops { ops, .. } = &mut output.error {
                let usual = ops.clone();
                let chain = |version: &&str| ladder.step_of(version).and_then(|step| ladder.ops.get(step));
                let chains = versions.iter().map(|version| chain(version).unwrap_or(&usual).clone());
                *ops = chains.reduce(|a, b| a.max(&b)).unwrap_or(usual.clone());
            }
        }
    }

    /// The sweep, for a problem of that kind; its cells are `sweep.cells(&manifest.time)`.
    pub fn sweep(&self) -> Option<&Sweep> {
        self.manifest.sweep.as_ref()
    }
}

/// Few enough elements for every block size and every schedule to be tried within a moment.
pub fn is_small(sizes: &Sizes) -> bool {
    const SMALL: i64 = 4096;
    sizes.iter().filter(|(name, _)| *name != BLOCK).all(|(_, value)| *value <= SMALL)
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn half_of_the_drawn_sizes_lie_at_powers_of_two_and_all_inside() {
        let drawn: Vec<i64> = (0..400).map(|seed| near(seed, "n", 0, 2, 70000)).collect();
        assert!(drawn.iter().all(|size| (2..=70000).contains(size)));
        let beside = |rest: i64| drawn.iter().filter(|size| (**size - rest).rem_euclid(32) == 0).count();
        for rest in [-1, 0, 1] {
            assert!(beside(rest) > 40, "{rest}: {}", beside(rest));
        }
        assert!(drawn.iter().filter(|size| !matches!(**size % 32, 0 | 1 | 31)).count() > 100);
        assert!((0..99).all(|seed| near(seed, "n", 7, 7, 7) == 7 && (4..=11).contains(&near(seed, "n", 0, 4, 11))));
    }
}
