//! Watched launches on one host thread and on several, of all programs of the corpus and of mutants of them: what comes of them is the
//! same, byte for byte.

use crate::{corpus, mutate};
use simulator::{Arg, Checks, Config, Device, Launch, Limits, Module};
use std::sync::Arc;

/// Mutants.
const INPUTS: u64 = 40;
/// Blocks of 64 threads: enough that they are shared out.
const BLOCKS: u32 = 256;
/// Bytes of each buffer.
const BUFFER: u64 = 8 * 64 * BLOCKS as u64;

/// What is told of two launches of each of the text's first kernels, and what they leave; nothing if it does not parse.
fn told(text: &str, seed: u64, shares: usize) -> Option<Vec<String>> {
    let limits = Limits { steps: 1 << 12, printf: 512, stack: 8 << 10, heap: 1 << 20, ..Limits::default() };
    let module = Arc::new(Module::parse_limited(text, &limits).ok()?);
    let mut told = Vec::new();
    for kernel in module.kernels().iter().take(2) {
        let config =
            Config { checks: Checks::ALL, limits, lines: true, conditions: seed & 1 != 0, shares, ..Config::default() };
        let mut device = Device::new(Arc::clone(&module), config);
        let (mut args, mut buffers) = (Vec::new(), Vec::new());
        for (at, param) in kernel.params.iter().enumerate() {
            args.push(if param.size == 8 {
                let address = device.alloc(&format!("b{at}"), BUFFER).ok()?;
                let fill: Vec<u8> = (0..BUFFER).map(|byte| (byte.wrapping_mul(seed | 1) >> 7 & 63) as u8).collect();
                match at % 3 {
                    0 => device.write(address, &fill).ok()?,
                    1 => device.poison(address, BUFFER, &[0x7b]).ok()?,
                    _ => {}
                }
                buffers.push(address);
                Arg::Pointer(address)
            } else {
                let count = (64 * BLOCKS).to_le_bytes();
                Arg::Bytes(
                    (0..param.size.min(1 << 16) as usize).map(|at| count.get(at).copied().unwrap_or(0)).collect(),
                )
            });
        }
        let (kernel, grid) = (kernel.name.clone(), [BLOCKS, 1, 1]);
        let launch = Launch { kernel, grid, block: [64, 1, 1], shared: 4096, args, cooperative: false };
        for _ in 0..2 {
            told.push(format!("{:?}", device.launch(&launch)));
        }
        for address in buffers {
            let mut bytes = vec![0; BUFFER as usize];
            device.read(address, &mut bytes).ok()?;
            told.push(format!("{bytes:?} {:?}", device.undefined(address, BUFFER)));
        }
    }
    Some(told)
}

/// Reports without a finding, of all.
fn compare(text: &str, seed: u64) -> [usize; 2] {
    let Some(alone) = told(text, seed, 1) else { return [0, 0] };
    let shared = told(text, seed, 2 + (seed % 2) as usize).unwrap_or_default();
    let other = alone.iter().zip(&shared).find(|(alone, shared)| alone != shared);
    if let Some((alone, shared)) = other {
        let at = alone.bytes().zip(shared.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(200);
        let part = |all: &str| String::from_utf8_lossy(&all.as_bytes()[at..all.len().min(at + 600)]).into_owned();
        panic!("alone: {}\nshared: {}\n{text}", part(alone), part(shared));
    }
    assert_eq!(alone.len(), shared.len());
    let reports = || alone.iter().filter(|told| told.contains("LaunchReport"));
    [reports().filter(|report| report.contains("findings: []")).count(), reports().count()]
}

#[test]
#[ignore = "long"]
fn shares_of_a_launch_come_to_the_same() {
    let corpus = corpus::committed();
    let mut sum = [0, 0];
    let mut add = |[clean, all]: [usize; 2]| sum = [sum[0] + clean, sum[1] + all];
    for (seed, text) in (0..).zip(&corpus) {
        add(compare(text, seed));
    }
    let mut random = mutate::Random(7);
    for _ in 0..INPUTS {
        let (text, other) = (&corpus[random.below(corpus.len())], &corpus[random.below(corpus.len())]);
        let seed = random.next();
        add(compare(&mutate::mutate(text, other, seed, 32 << 10), seed));
    }
    println!("{} of {} launches without a finding", sum[0], sum[1]);
    assert!(sum[0] > sum[1] / 8, "{sum:?}");
}
