//! All versions of a ladder made ready to run, for every element type that is asked for.

use crate::CheckError;
use crate::build::{BuildError, Built, build, listing_options};
use crate::platform::Platform;
use account::outputs_of;
use compiler::toolchain::Toolchain;
use execution::backend::{Artefact, Output, Program, Text};
use plan::Plan;
use problem::ladder::Ladder;
use problem::{OutputSpec, Problem, Sizes, Version};
use rayon::prelude::*;
use std::path::PathBuf;
use system::interrupt::HalfWritten;

/// The versions and the oracle at one element type.
pub struct Element {
    /// The ladder at this type.
    pub problem: Problem,
    /// In the order of [`CompiledLadder::versions`].
    pub versions: Vec<Built>,
    /// The oracle.
    pub reference: Built,
    /// The outputs of each version, with its own bounds.
    outputs: Vec<Vec<OutputSpec>>,
}

/// Compiled versions. Workers read their code from files: a job names dozens of them.
pub struct CompiledLadder {
    /// The versions, in order.
    pub versions: Vec<Version>,
    /// By the element type's number; None for a type that was not asked for.
    elements: Vec<Option<Element>>,
    folder: tempfile::TempDir,
    gpu: bool,
    _guard: HalfWritten,
}

/// A version that cannot be built.
pub struct LadderBuildError {
    /// Which; None is the oracle.
    pub version: Option<Version>,
    /// Why.
    pub refused: Box<BuildError>,
}

impl From<CheckError> for LadderBuildError {
    fn from(error: CheckError) -> Self {
        Self { version: None, refused: Box::new(BuildError::Error(error)) }
    }
}

impl CompiledLadder {
    /// Compiles `versions` at the element types of these numbers, in parallel.
    pub fn build(
        problem: &Problem,
        toolchain: &Toolchain,
        platform: &Platform,
        versions: Vec<Version>,
        elements: &[usize],
    ) -> Result<Self, LadderBuildError> {
        let typed: Vec<(usize, Problem)> =
            elements.iter().filter_map(|&element| Some((element, problem.of_type(element)?))).collect();
        let wanted: Vec<(usize, Option<usize>)> = (0..typed.len())
            .flat_map(|position| {
                let own = (0..versions.len()).map(move |version| (position, Some(version)));
                own.chain([(position, None)])
            })
            .collect();
        let unbuilt = |version: Option<usize>, refused| LadderBuildError {
            version: version.map(|index| versions[index].clone()),
            refused: Box::new(refused),
        };
        let one = |&(position, version): &(usize, Option<usize>)| {
            let file = version.map_or(&Version::Reference, |index| &versions[index]);
            compiled(toolchain, &typed[position].1, file, platform).map_err(|refused| unbuilt(version, refused))
        };
        let built = wanted.par_iter().map(one).collect::<Vec<_>>();
        let is_version = |((_, version), _): &(&(usize, Option<usize>), _)| version.is_some();
        let of_versions = wanted.iter().zip(&built).filter(is_version).filter_map(|(_, built)| built.as_ref().ok());
        let cubins: Vec<&[u8]> = of_versions.map(|built| built.compiled.cubin.as_slice()).collect();
        sass::prepare(&cubins, &listing_options(toolchain, sass::TIMEOUT));
        let listed = |(&(_, version), built): (&(usize, Option<usize>), Result<Built, LadderBuildError>)| {
            let mut built = built?;
            if version.is_some() {
                built.disassemble(toolchain, None).map_err(|refused| unbuilt(version, refused))?;
            }
            Ok(built)
        };
        let mut built =
            wanted.par_iter().zip(built).map(listed).collect::<Vec<Result<_, LadderBuildError>>>().into_iter();
        let folder = tempfile::tempdir().map_err(CheckError::from)?;
        let guard = HalfWritten::new(folder.path());
        let mut compiled = Self {
            elements: (0..problem.ladder().map_or(0, |ladder| ladder.types.len())).map(|_| None).collect(),
            versions,
            folder,
            gpu: platform.gpu.is_some(),
            _guard: guard,
        };
        for (element, problem) in typed {
            let versions = (&mut built).take(compiled.versions.len()).collect::<Result<Vec<_>, _>>()?;
            let Some(reference) = built.next().transpose()? else { continue };
            for (index, built) in versions.iter().map(Some).chain([None]).enumerate() {
                let built = built.unwrap_or(&reference);
                std::fs::write(compiled.path(element, index, "ptx"), &built.compiled.ptx).map_err(CheckError::from)?;
                if compiled.gpu {
                    std::fs::write(compiled.path(element, index, "cubin"), &built.compiled.cubin)
                        .map_err(CheckError::from)?;
                }
            }
            let outputs = (0..versions.len()).map(|version| problem.bounded_by(&compiled.name(version))).collect();
            compiled.elements[element] = Some(Element { problem, versions, reference, outputs });
        }
        Ok(compiled)
    }

    /// The name of a version or a mutant.
    pub fn name(&self, version: usize) -> String {
        match &self.versions[version] {
            Version::Mutant(name) | Version::Step(name) => name.clone(),
            other => other.to_string(),
        }
    }

    /// The element type of that number.
    pub fn element(&self, element: usize) -> Option<&Element> {
        self.elements.get(element)?.as_ref()
    }

    /// Numbers of the element types that were asked for.
    pub fn elements(&self) -> Vec<usize> {
        (0..self.elements.len()).filter(|&element| self.elements[element].is_some()).collect()
    }

    /// A version at these sizes, as workers take it.
    pub fn program(&self, element: usize, version: usize, sizes: &Sizes) -> Result<Program, BuildError> {
        let Some(Element { problem, versions, .. }) = self.element(element) else { return Ok(Program::default()) };
        let io = problem.io(sizes).map_err(not_its_doing)?;
        let plan = versions[version].plan(sizes, &io);
        let plan = plan.map_err(|error| BuildError::Launch(error, report::sizes(sizes)))?;
        Ok(self.in_file(element, version, &versions[version], plan))
    }

    /// The oracle at these sizes.
    pub fn oracle(&self, element: usize, sizes: &Sizes) -> Result<Option<Program>, BuildError> {
        let Some(Element { problem, reference, .. }) = self.element(element) else { return Ok(None) };
        let buffers = problem.reference_io(&reference.file, sizes).map_err(not_its_doing)?;
        let plan = reference.plan(sizes, &buffers).map_err(not_its_doing)?;
        Ok(Some(self.in_file(element, self.versions.len(), reference, plan)))
    }

    /// Does its oracle make sums and multiples of what inputs hold, and nothing else?
    pub fn is_linear(&self, element: usize) -> bool {
        self.element(element).is_some_and(|element| element.reference.is_linear())
    }

    /// What outputs may be off: for a version by its own bound, else by the ladder's.
    pub fn outputs(&self, element: usize, version: Option<usize>, sizes: &Sizes) -> Result<Vec<Output>, BuildError> {
        let Some(Element { problem, outputs, .. }) = self.element(element) else { return Ok(Vec::new()) };
        let specs = version.map_or(&problem.manifest.outputs, |version| &outputs[version]);
        outputs_of(specs, sizes).map_err(not_its_doing)
    }

    /// The block sizes that a version claims.
    pub fn claims(&self, element: usize, version: usize, sizes: &Sizes) -> bool {
        let Some(element) = self.element(element) else { return false };
        element.problem.ladder().is_some_and(|ladder| ladder.claims(&element.versions[version].file, sizes))
    }

    /// The sizes at which a version is compared with others: with the block size nearest to the ladder's that it claims.
    pub fn own_block(&self, element: usize, version: usize, sizes: &Sizes) -> Sizes {
        match self.element(element).and_then(|element| Some((element.problem.ladder()?, &element.versions[version]))) {
            Some((ladder, built)) => Ladder::with_block(sizes, ladder.block_of(&built.file)),
            None => sizes.clone(),
        }
    }

    fn path(&self, element: usize, index: usize, extension: &str) -> PathBuf {
        self.folder.path().join(format!("{element}-{index}.{extension}"))
    }

    fn in_file(&self, element: usize, index: usize, built: &Built, plan: Plan) -> Program {
        built.program_of(plan, || Artefact {
            ptx: Some(Text::File(self.path(element, index, "ptx"))),
            cubin: self.gpu.then(|| self.path(element, index, "cubin")),
            names: built.compiled.names.clone(),
            as_written: built.as_written.clone(),
        })
    }
}

/// Compiles a version with the kernels of every size it may run at.
fn compiled(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    platform: &Platform,
) -> Result<Built, BuildError> {
    let file = problem.version(version)?;
    let mut cases = problem.cases();
    cases.extend([problem.manifest.count.clone(), problem.manifest.time.clone()]);
    if let Some(ladder) = problem.ladder() {
        let (name, values) = &ladder.sizes;
        for block in &ladder.blocks {
            cases.extend(values.iter().map(|value| {
                let mut sizes = Ladder::with_block(&problem.manifest.time, *block);
                sizes.insert(name.clone(), *value);
                sizes
            }));
        }
        if *version == Version::Reference {
            cases.truncate(1);
        } else {
            let own = Ladder::with_block(&problem.manifest.count, ladder.block_of(&file));
            cases.retain(|sizes| ladder.claims(&file, sizes));
            cases.push(own);
        }
    }
    build(toolchain, file, &cases, platform.device, &platform.arch)
}

/// A malformed `problem.toml` or oracle.
fn not_its_doing(error: problem::LineError) -> BuildError {
    BuildError::Error(CheckError::from(error))
}
