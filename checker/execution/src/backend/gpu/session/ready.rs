//! Launches made ready: functions, arguments, extents.

use crate::backend::gpu::Gpu;
use crate::backend::gpu::driver::{CudaError, Function, LaunchExtents, Module};
use crate::backend::message::job::{Program, Text};
use crate::backend::objects::Objects;
use crate::backend::sim::arguments::{real, scalar};
use plan::{Arg, Launch, Object};
use simulator::outline::Outline;
use std::rc::Rc;

/// Blocks in y and z a grid may have, and in x (CUDA C++ Programming Guide, technical specifications).
const MOST_BLOCKS: [u32; 3] = [0x7fff_ffff, 65535, 65535];

/// Threads in x, y and z a block may have.
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];

/// Bytes of shared memory a block may have without asking (CUDA C++ Programming Guide, technical specifications).
const DEFAULT_SHARED: u64 = 48 << 10;

/// A launch, looked up and checked.
pub(super) struct Ready {
    pub(super) function: Function,
    pub(super) shape: LaunchExtents,
    pub(super) arguments: Vec<Vec<u8>>,
}

pub(super) fn ready(
    gpu: &Gpu,
    program: &Program,
    module: &Rc<Module>,
    outline: Option<&Outline>,
    launch: &Launch,
    objects: Objects<'_>,
) -> Result<Ready, String> {
    let driver = |error: CudaError| format!("{}: {}", error.name, error.message);
    let name = program.artefact.names.get(&launch.kernel).unwrap_or(&launch.kernel);
    let function = module.function(name).map_err(|_| format!("no kernel `{}` in {}", launch.kernel, program.name))?;
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        extent(&format!("grid.{name}"), launch.grid[axis], MOST_BLOCKS[axis])?;
        extent(&format!("block.{name}"), launch.block[axis], MOST_THREADS[axis])?;
    }
    let threads: u64 = launch.block.iter().map(|&extent| u64::from(extent)).product();
    let most = function.max_threads().map_err(driver)?;
    if threads > u64::from(most) {
        return Err(format!("{threads} threads a block: `{}` can have {most}", launch.kernel));
    }
    let fixed = function.static_shared().map_err(driver)?;
    let shared = u64::from(fixed) + u64::from(launch.shared);
    if shared > u64::from(gpu.info().shared_per_block) {
        return Err(format!("{shared} bytes of shared memory a block: the limit is {}", gpu.info().shared_per_block));
    }
    // Beyond 48 KiB a kernel must be told so. For all its launches at once: several may share the function.
    if shared > DEFAULT_SHARED {
        function.allow_shared(gpu.info().shared_per_block.saturating_sub(fixed)).map_err(driver)?;
    }
    let params = function.params();
    if params.len() != launch.args.len() {
        return Err(format!(
            "`{}` takes {} arguments, the launch gives {}",
            launch.kernel,
            params.len(),
            launch.args.len()
        ));
    }
    let typed = outline.and_then(|outline| outline.kernel(name));
    let ty = |position: usize| Some(typed?.params.get(position)?.ty.as_str());
    let mut arguments = Vec::new();
    for (position, (arg, &size)) in launch.args.iter().zip(params).enumerate() {
        let whose = |message: String| format!("argument {} of `{}`: {message}", position + 1, launch.kernel);
        let bytes = match *arg {
            Arg::Buffer(buffer) if size == 8 => objects.value(Object::Buffer(buffer)).to_le_bytes().to_vec(),
            Arg::Offset { buffer, bytes } if size == 8 => {
                (objects.value(Object::Buffer(buffer)) + bytes).to_le_bytes().to_vec()
            }
            Arg::Texture(texture) if size == 8 => objects.value(Object::Texture(texture)).to_le_bytes().to_vec(),
            Arg::Texture(_) => return Err(whose("a texture or surface, but the parameter is no object".into())),
            Arg::Buffer(_) | Arg::Offset { .. } => {
                return Err(whose("a buffer, but the parameter is no pointer".into()));
            }
            Arg::Structure(at) => objects.structure(&program.plan, at),
            Arg::Int(value) => scalar(value, size as u32, ty(position)).map_err(whose)?,
            Arg::Real(value) => real(value, size as u32, ty(position)).map_err(whose)?,
        };
        if bytes.len() != size {
            return Err(whose(format!("{} bytes, but the parameter has {size}", bytes.len())));
        }
        arguments.push(bytes);
    }
    let shape = LaunchExtents {
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        cooperative: launch.cooperative,
        cluster: launch.cluster,
    };
    Ok(Ready { function, shape, arguments })
}

/// A CUBIN knows the sizes of parameters but not their types; the PTX beside it does.
pub(super) fn outline(program: &Program) -> Option<Outline> {
    match program.artefact.ptx.as_ref()? {
        Text::Inline(text) => Some(Outline::read(text)),
        Text::File(path) => Some(Outline::read(&std::fs::read_to_string(path).ok()?)),
    }
}

fn extent(what: &str, value: u32, limit: u32) -> Result<(), String> {
    if (1..=limit).contains(&value) { Ok(()) } else { Err(format!("{what} is {value}: it must be 1 to {limit}")) }
}
