//! A problem's reference on the simulator: its inputs and outputs as numbers.

use crate::toolchain::compile::toolchain;
use compiler::compile::{CompileRequest, compile};
use plan::dtype::DType;
use plan::{Arg, Buffer, Plan, Role};
use problem::{DeviceShape, PlanContext, Problem, Version};
use simulator::{Checks, Config, Device, Launch, LaunchStatus, Module, Param};
use std::collections::BTreeMap;
use std::sync::Arc;
use values::fill::{Values, fill};

/// Buffers by name. Every type in use is exact in an f64.
pub(super) type Arrays = BTreeMap<String, Vec<f64>>;

pub(super) type Sizes = BTreeMap<String, i64>;

/// Runs `reference.cu` at one size; its inputs and its outputs.
pub(super) fn run_reference(problem: &Problem, sizes: &problem::Sizes) -> (Arrays, Arrays) {
    let file = problem.version(&Version::Reference).unwrap();
    let path = problem.version_path(&Version::Reference).unwrap();
    let device = DeviceShape::H200;
    let kernels = file.name_expressions(sizes, &device).unwrap();
    let compiled = compile(toolchain(), &CompileRequest::read(&path, "sm_90").unwrap().kernels(kernels)).unwrap();
    let io = problem.reference_io(&file, sizes).unwrap();
    let context = PlanContext { sizes: sizes.clone(), device, active_blocks: &|_, _, _| Ok(1) };
    let plan = file.plan(&context, &io).unwrap();

    let module = Arc::new(Module::parse(&compiled.ptx).unwrap());
    let mut machine = Device::new(module.clone(), Config { checks: Checks::ALL, ..Config::default() });
    let addresses = load(&mut machine, &plan, problem);
    for launch in &plan.launches {
        let kernel = &compiled.names[&launch.kernel];
        let params = &module.kernel(kernel).unwrap().params;
        let args = launch.args.iter().zip(params).map(|(arg, param)| argument(arg, param, &addresses)).collect();
        let (grid, block) = (launch.grid, launch.block);
        let request = Launch { kernel: kernel.clone(), grid, block, shared: launch.shared, args, cooperative: false };
        let report = machine.launch(&request).unwrap();
        assert_eq!(report.status, LaunchStatus::Finished, "{}: {:?}", problem.id, report.findings);
        assert_eq!(report.findings, [], "{}: a reference must be clean", problem.id);
    }

    let (mut input, mut output) = (Arrays::new(), Arrays::new());
    for (buffer, address) in plan.buffers.iter().zip(addresses) {
        let mut bytes = vec![0; buffer.len as usize * buffer.dtype.size()];
        machine.read(address, &mut bytes).unwrap();
        let values = bytes.chunks_exact(buffer.dtype.size()).map(|bytes| value(buffer.dtype, bytes)).collect();
        match buffer.role {
            Role::In => input.insert(buffer.name.clone(), values),
            Role::Out => output.insert(buffer.name.clone(), values),
            Role::InOut | Role::Scratch => None,
        };
    }
    (input, output)
}

/// Allocates the plan's buffers; inputs are filled, all others hold 0xff.
pub fn load(machine: &mut Device, plan: &Plan, problem: &Problem) -> Vec<u64> {
    let load = |buffer: &Buffer| {
        let bytes = buffer.len * buffer.dtype.size() as u64;
        let address = machine.alloc(&buffer.name, bytes).unwrap();
        match buffer.role {
            Role::In => machine.write(address, &fill(buffer, 2026, Values::AsStated, &problem.dir).unwrap()).unwrap(),
            _ => machine.poison(address, bytes, &[0xff]).unwrap(),
        }
        address
    };
    plan.buffers.iter().map(load).collect()
}

/// A plan's argument as the kernel's parameter.
pub fn argument(arg: &Arg, param: &Param, addresses: &[u64]) -> simulator::Arg {
    match (arg, param.ty.as_str()) {
        (Arg::Buffer(buffer), _) => simulator::Arg::Pointer(addresses[*buffer]),
        (Arg::Offset { buffer, bytes }, _) => simulator::Arg::Pointer(addresses[*buffer] + bytes),
        (Arg::Structure(_) | Arg::Texture(_), _) => panic!("no oracle takes a structure or a texture"),
        (Arg::Int(value), _) => simulator::Arg::Bytes(value.to_le_bytes()[..param.size as usize].to_vec()),
        (Arg::Real(value), "f32") => simulator::Arg::Bytes((*value as f32).to_le_bytes().to_vec()),
        (Arg::Real(value), _) => simulator::Arg::Bytes(value.to_le_bytes().to_vec()),
    }
}

pub(super) fn value(dtype: DType, bytes: &[u8]) -> f64 {
    let word = || bytes.try_into().unwrap();
    match dtype {
        DType::F32 => f32::from_le_bytes(word()).into(),
        DType::F64 => f64::from_le_bytes(bytes.try_into().unwrap()),
        DType::U16 => u16::from_le_bytes(bytes.try_into().unwrap()).into(),
        DType::I8 => i8::from_le_bytes(bytes.try_into().unwrap()).into(),
        DType::I32 => i32::from_le_bytes(word()).into(),
        DType::U32 => u32::from_le_bytes(word()).into(),
        DType::F16 => half::f16::from_le_bytes(bytes.try_into().unwrap()).into(),
        other => panic!("no problem uses {other:?} yet"),
    }
}
