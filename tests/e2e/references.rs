//! Every shipped reference against an independent computation: the reference kernel runs on the simulator, and what it
//! writes is compared with the same quantity computed here in another way (a closed form, another order, a sort).

use crate::compile::toolchain;
use compiler::compile::{Request, compile};
use plan::dtype::DType;
use plan::{Arg, Buffer, Plan, Role};
use problem::{DeviceShape, PlanContext, Problem, Version, Workbook};
use simulator::{Checks, Config, Device, Launch, LaunchStatus, Module, Param};
use std::collections::BTreeMap;
use std::sync::Arc;
use values::fill::{Values, fill};

/// Buffers by name. Every type in use is exact in an f64.
type Arrays = BTreeMap<String, Vec<f64>>;
type Sizes = BTreeMap<String, i64>;

/// Inputs and sizes to outputs.
type Independent = fn(&Arrays, &Sizes) -> Arrays;

const TABLE: &[(&str, Independent)] = &[
    ("active-mask", active_mask),
    ("atomics", |input, _| one("sum", vec![input["x"].iter().rev().sum()])),
    ("back-off", sum_and_largest),
    ("calls", drawn_together),
    ("coefficients", coefficients),
    ("copy-flight", |input, _| one("b", input["a"].clone())),
    ("cures", two_linear_maps),
    ("dead-code", |input, _| one("steps", vec![256.0; input["x"].len()])),
    ("dispatcher", |input, sizes| one("sums", input["x"].chunks(sizes["block"] as usize).map(pairwise).collect())),
    ("double-literal", double_literal),
    ("early-loads", rows_of_eight_each),
    ("ex01", cooling),
    ("ex02", doubled_plus_one),
    ("ex03", |input, _| {
        let (positive, others): (Vec<f64>, Vec<f64>) = input["x"].iter().partition(|x| **x > 0.0);
        one("count", vec![positive.len() as f64, others.len() as f64])
    }),
    ("ex11", smoothed),
    ("ex12", gelu),
    ("ex13", byte_distances),
    ("ex14", rows_of_eight),
    ("ex15", largest_of_three),
    ("ex21", mid_side),
    ("ex22", byte_scores),
    ("ex23", row_sums),
    ("ex24", drawn_again),
    ("ex31", base_counts),
    ("ex32", binomials),
    ("ex33", four_largest),
    ("ex34", most_frequent),
    ("ex41", curve_in_two_pieces),
    ("ex42", marked_samples),
    ("ex43", two_generators),
    ("ex44", tries),
    ("ex52", turned_and_averaged),
    ("ex53", kept),
    ("ex54", lowest_and_highest),
    ("ex55", behind_the_best),
    ("ex56", lists_of_buckets),
    ("ex57", parcels),
    ("ex61", dot_products),
    ("ex62", running_totals),
    ("ex63", means_and_variances),
    ("ex65", box_around_points),
    ("ex73", |input, _| polynomial(&input["c"], &input["x"])),
    ("ex74", column_sums),
    ("ex75", looked_up),
    ("ex76", looked_up),
    ("ex77", thirty_two_averages),
    ("ex78", blurred),
    ("ex81", histogram),
    ("ex82", sums_by_key),
    ("ex83", first_of_the_largest),
    ("ex84", log_sum_exps),
    ("ex85", euclidean_norms),
    ("ex91", filtered),
    ("ex92", block_ranges),
    ("ex93", longest_runs),
    ("ex94", |input, _| one("peak", vec![input["x"].iter().map(|x| x.abs()).fold(0.0, f64::max)])),
    ("ex95", moments),
    ("few-long", few_long),
    ("fft", fourier),
    ("full-unroll", block_norms),
    ("fuse", tone_curve),
    ("global-passes", total),
    ("half2", response_curve),
    ("ilp", fma_chains),
    ("interleaving", two_lists),
    ("intrinsics", wavelet),
    ("last-warp", block_sums_of_size),
    ("lifetimes", roughness),
    ("local-array", local_array),
    ("lock", sum_and_largest),
    ("modulo", block_maxima),
    ("nesting", tree_of_branches),
    ("opcodes", opcodes),
    ("operands", fma_operands),
    ("per-thread", |input, _| one("to", input["from"].clone())),
    ("plain-unroll", |input, sizes| oscillation(&input["x"], sizes["rounds"])),
    ("precision", chains_of_steps),
    ("reduction", total),
    ("register-budget", running_averages),
    ("register-limit", |input, sizes| spread(&input["samples"], sizes["n"] as usize)),
    ("rolled", kepler),
    ("run-dry", |input, _| one("to", input["from"].clone())),
    ("sequential-addressing", block_sums),
    ("sgemm", matrix_product),
    ("shuffle", block_sums),
    ("single-pass", total),
    ("sort-32", |input, _| one("y", input["x"].chunks(32).flat_map(sorted).collect())),
    ("sorting", stirred_as_drawn),
    ("spills", noise),
    ("sum-loads", |input, sizes| chunk_sums("sums", &input["x"], 256 * sizes["per"] as usize)),
    ("survivors", |input, _| one("y", input["x"].iter().map(|x| x.max(0.0).powi(2)).collect())),
    ("targets", four_ways),
    ("transpose-32", transposed),
    ("trip-counts", trip_counts),
    ("two-elements", |input, _| one("c", zip(&input["a"], &input["b"], |a, b| b + a))),
    ("unroll-factor", |input, sizes| oscillation(&input["x"], sizes["iterations"])),
    ("vector-red", deposits),
    ("waves", fma_chains),
    ("which-tree", |input, _| chunk_sums("sums", &input["x"], 4096)),
    ("wide-loads", doubled_plus_one),
];

#[test]
fn every_reference_agrees_with_an_independent_computation() {
    let workbook = Workbook::around(crate::support::repository()).unwrap();
    let problems = workbook.problems().unwrap();
    let mut names: Vec<&str> = problems.iter().map(|problem| problem.id.as_str()).collect();
    names.sort_unstable();
    let known: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known, "a problem without an independent computation, or one that is gone");

    let problems = problems.iter().filter(|problem| crate::support::in_turn(problem.id.as_str()));
    for problem in problems.flat_map(of_every_type) {
        let (_, independent) = TABLE[known.binary_search(&problem.id.as_str()).unwrap()];
        // A ladder's oracle does not look at the block size.
        let block = problem.ladder().map(|ladder| ladder.block);
        let cases = problem.cases().into_iter().filter(|sizes| block.is_none_or(|block| sizes["block"] == block));
        for sizes in cases {
            let (input, output) = run_reference(&problem, &sizes);
            let sizes: Sizes = sizes.iter().map(|(name, value)| (name.clone(), *value)).collect();
            let mut expected = independent(&input, &sizes);
            // Whole numbers are exact: their oracle has no magnitude.
            expected.retain(|name, _| block.is_none() || !name.ends_with("_magnitude") || output.contains_key(name));
            assert_eq!(
                output.keys().collect::<Vec<_>>(),
                expected.keys().collect::<Vec<_>>(),
                "{} at {sizes:?}: outputs",
                problem.id
            );
            for (name, want) in &expected {
                let magnitude = expected.get(&format!("{name}_magnitude")).unwrap_or(want);
                compare(&format!("{} at {sizes:?}: {name}", problem.id), &output[name], want, magnitude);
            }
        }
    }
}

/// The problem for each of its element types.
fn of_every_type(problem: &Problem) -> Vec<Problem> {
    match problem.ladder() {
        None => vec![problem.clone()],
        Some(ladder) => (0..ladder.types.len()).filter_map(|element| problem.of_type(element)).collect(),
    }
}

/// Double precision leaves a factor of 2^29 between its roundings and those of f32; 1e-12 is far below what a tolerance
/// could notice and far above what a thousand roundings in another order do.
fn compare(what: &str, got: &[f64], want: &[f64], magnitude: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    for (index, (got, (want, magnitude))) in got.iter().zip(want.iter().zip(magnitude)).enumerate() {
        let bound = 1e-12 * magnitude.abs();
        assert!((got - want).abs() <= bound, "{what}[{index}]: the reference says {got}, computed here: {want}");
    }
}

/// Runs `reference.cu` at one size; its inputs and its outputs.
fn run_reference(problem: &Problem, sizes: &problem::Sizes) -> (Arrays, Arrays) {
    let file = problem.version(&Version::Reference).unwrap();
    let path = problem.version_path(&Version::Reference).unwrap();
    let device = DeviceShape::H200;
    let kernels = file.name_expressions(sizes, &device).unwrap();
    let compiled = compile(toolchain(), &Request::read(&path, "sm_90").unwrap().kernels(kernels)).unwrap();
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
        (Arg::Structure(_), _) => panic!("no oracle takes a structure"),
        (Arg::Int(value), _) => simulator::Arg::Bytes(value.to_le_bytes()[..param.size as usize].to_vec()),
        (Arg::Real(value), "f32") => simulator::Arg::Bytes((*value as f32).to_le_bytes().to_vec()),
        (Arg::Real(value), _) => simulator::Arg::Bytes(value.to_le_bytes().to_vec()),
    }
}

fn value(dtype: DType, bytes: &[u8]) -> f64 {
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

fn one(name: &str, values: Vec<f64>) -> Arrays {
    Arrays::from([(name.to_owned(), values)])
}

fn two(name: &str, values: Vec<f64>, magnitudes: Vec<f64>) -> Arrays {
    Arrays::from([(name.to_owned(), values), (format!("{name}_magnitude"), magnitudes)])
}

fn zip(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

/// A sum by halves.
fn pairwise(values: &[f64]) -> f64 {
    match values {
        [] => 0.0,
        [value] => *value,
        _ => pairwise(&values[..values.len() / 2]) + pairwise(&values[values.len() / 2..]),
    }
}

/// Sums of chunks and of their magnitudes.
fn chunk_sums(name: &str, values: &[f64], chunk: usize) -> Arrays {
    let magnitudes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    two(name, values.chunks(chunk).map(pairwise).collect(), magnitudes.chunks(chunk).map(pairwise).collect())
}

fn block_sums(input: &Arrays, _: &Sizes) -> Arrays {
    chunk_sums("sums", &input["x"], 256)
}

fn block_sums_of_size(input: &Arrays, sizes: &Sizes) -> Arrays {
    one("sums", input["x"].chunks(sizes["block"] as usize).map(pairwise).collect())
}

fn total(input: &Arrays, _: &Sizes) -> Arrays {
    let magnitudes: Vec<f64> = input["x"].iter().map(|value| value.abs()).collect();
    two("sum", vec![pairwise(&input["x"])], vec![pairwise(&magnitudes)])
}

fn block_norms(input: &Arrays, sizes: &Sizes) -> Arrays {
    let norm = |chunk: &[f64]| chunk.iter().map(|x| x.abs()).sum();
    one("norms", input["x"].chunks(sizes["block"] as usize).map(norm).collect())
}

fn block_ranges(input: &Arrays, sizes: &Sizes) -> Arrays {
    let range = |chunk: &[f64]| {
        let mut sorted = chunk.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() - 1] - sorted[0]
    };
    one("ranges", input["x"].chunks(sizes["block"] as usize).map(range).collect())
}

fn kept(input: &Arrays, _: &Sizes) -> Arrays {
    let compacted = |chunk: &[f64]| {
        let (kept, dropped): (Vec<f64>, Vec<f64>) = chunk.iter().partition(|x| **x > 0.0);
        kept.into_iter().chain(dropped.iter().map(|_| 0.0)).collect::<Vec<f64>>()
    };
    one("kept", input["x"].chunks(32).flat_map(compacted).collect())
}

fn block_maxima(input: &Arrays, _: &Sizes) -> Arrays {
    one("largest", input["x"].chunks(256).map(|chunk| chunk.iter().copied().fold(f64::MIN, f64::max)).collect())
}

fn dot_products(input: &Arrays, _: &Sizes) -> Arrays {
    chunk_sums("dots", &zip(&input["a"], &input["b"], |a, b| a * b), 256)
}

/// By a stable sort, largest first.
fn first_of_the_largest(input: &Arrays, _: &Sizes) -> Arrays {
    let first = |(chunk, values): (usize, &[f64])| {
        let mut places: Vec<usize> = (0..values.len()).collect();
        places.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        (256 * chunk + places[0]) as f64
    };
    one("first", input["x"].chunks(256).enumerate().map(first).collect())
}

/// As the length of the hypotenuse over all elements before and the next.
fn euclidean_norms(input: &Arrays, _: &Sizes) -> Arrays {
    one("norms", input["x"].chunks(256).map(|chunk| chunk.iter().copied().fold(0.0, f64::hypot)).collect())
}

/// Every total by itself.
fn running_totals(input: &Arrays, _: &Sizes) -> Arrays {
    let totals = |f: fn(f64) -> f64| {
        let total = move |chunk: &[f64]| {
            let chunk: Vec<f64> = chunk.iter().map(|x| f(*x)).collect();
            (1..=chunk.len()).map(|end| pairwise(&chunk[..end])).collect::<Vec<f64>>()
        };
        input["x"].chunks(256).flat_map(total).collect()
    };
    two("y", totals(|x| x), totals(f64::abs))
}

/// Into bins, element after element.
fn sums_by_key(input: &Arrays, sizes: &Sizes) -> Arrays {
    let keys = sizes["n"].unsigned_abs().div_ceil(100) as usize + 1;
    let (mut sums, mut magnitudes) = (vec![0.0; keys], vec![0.0; keys]);
    for (key, x) in input["keys"].iter().zip(&input["x"]) {
        sums[*key as usize] += x;
    }
    // Prefix sums of a warp round everything in it, for each of its keys.
    for (keys, x) in input["keys"].chunks(32).zip(input["x"].chunks(32)) {
        let whole: f64 = x.iter().map(|x| x.abs()).sum();
        let mut there: Vec<usize> = keys.iter().map(|key| *key as usize).collect();
        there.dedup();
        for key in there {
            magnitudes[key] += whole;
        }
    }
    two("sums", sums, magnitudes)
}

/// Welford's recurrence. Magnitudes as reference.cu derives them.
fn moments(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    // Distances from the first: the samples lie far from 0 and close together.
    let (mut mean, mut squares) = (0.0, 0.0);
    for (before, value) in x.iter().enumerate() {
        let distance = value - x[0] - mean;
        mean += distance / (before + 1) as f64;
        squares += distance * (value - x[0] - mean);
    }
    let (mean, variance) = (x[0] + mean, squares / x.len() as f64);
    let top = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let far = x.iter().fold(0.0, |most: f64, x| most.max((x - mean).abs()));
    let (k, unit) = (x.len().div_ceil(33792).max(16) as f64, 2f64.powi(-24));
    let off = 5.0 * (k + 16.0) * unit * top;
    let means = 2.0 * variance.sqrt() * off + off * off;
    let magnitude = 2.0 * (variance + far * far) + means / ((k + 84.0) * unit);
    let mut arrays = two("variance", vec![variance], vec![magnitude]);
    arrays.extend(two("mean", vec![mean], vec![top + 6.0 * far]));
    arrays
}

/// The longest piece between samples that are not positive.
fn longest_runs(input: &Arrays, _: &Sizes) -> Arrays {
    let longest = |chunk: &[f64]| chunk.split(|x| *x <= 0.0).map(<[f64]>::len).max().unwrap_or(0) as f64;
    one("longest", input["x"].chunks(256).map(longest).collect())
}

/// Term by term: log(e^a + e^b) = max + log(1 + e^-|a - b|).
fn log_sum_exps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let join = |a: f64, b: f64| a.max(b) + (-(a - b).abs()).exp().ln_1p();
    // Relative to the first: far from 0 every joint would round anew.
    let row = |row: &[f64]| row[0] + row.iter().map(|x| x - row[0]).reduce(join).unwrap_or(0.0);
    let rows = input["x"].chunks(sizes["cols"] as usize).map(row);
    two("y", rows.collect(), vec![1.0; sizes["rows"] as usize])
}

fn column_sums(input: &Arrays, sizes: &Sizes) -> Arrays {
    let cols = sizes["cols"] as usize;
    let column = |c: usize| input["m"].iter().skip(c).step_by(cols).copied().collect::<Vec<f64>>();
    let magnitude = |c: usize| column(c).iter().map(|value| value.abs()).sum();
    two("sums", (0..cols).map(|c| pairwise(&column(c))).collect(), (0..cols).map(magnitude).collect())
}

fn histogram(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    let below = |bin: usize| sorted.partition_point(|x| *x < bin as f64);
    one("bins", (0..64).map(|bin| (below(bin + 1) - below(bin)) as f64).collect())
}

fn base_counts(input: &Arrays, _: &Sizes) -> Arrays {
    let count = |word: f64, base: u32| {
        let word = word as u32;
        (0..32).step_by(2).filter(|shift| word >> shift & 3 == base).count() as f64
    };
    one("counts", (0..4).flat_map(|base| input["bases"].iter().map(move |word| count(*word, base))).collect())
}

fn active_mask(input: &Arrays, _: &Sizes) -> Arrays {
    let word = |chunk: &[f64]| chunk.iter().rev().fold(0u32, |word, x| word << 1 | u32::from(*x > 0.5));
    one("bits", input["x"].chunks(32).map(|chunk| word(chunk).into()).collect())
}

fn mid_side(input: &Arrays, _: &Sizes) -> Arrays {
    let mid = zip(&input["left"], &input["right"], |l, r| 0.5 * l + 0.5 * r);
    let side = zip(&input["left"], &input["right"], |l, r| 0.5 * l - 0.5 * r);
    Arrays::from([("mid".to_owned(), mid), ("side".to_owned(), side)])
}

/// The smoothstep polynomial as the cubic Bezier curve it is, with the control points 0, 0, 1, 1.
fn tone_curve(input: &Arrays, _: &Sizes) -> Arrays {
    let smooth = |t: f64| 3.0 * t * t * (1.0 - t) + t * t * t;
    one("v", input["x"].iter().map(|x| 0.25 + smooth(x.clamp(0.0, 1.0)) / 2.0).collect())
}

/// Cooling has a closed form: the gap to the room shrinks by 0.9 a step.
fn cooling(input: &Arrays, _: &Sizes) -> Arrays {
    let after = input["before"].iter().map(|t| 20.0 + (t - 20.0) * 0.9f64.powi(32)).collect();
    two("after", after, input["before"].iter().map(|t| t.abs().max(20.0)).collect())
}

/// So has a chain: the gap to its fixed point 1 shrinks by 0.875 a step.
fn fma_chains(input: &Arrays, sizes: &Sizes) -> Arrays {
    let shrink = 0.875f64.powi(sizes["iterations"] as i32);
    let end = input["start"].iter().map(|x| 1.0 + (x - 1.0) * shrink).collect();
    two("end", end, input["start"].iter().map(|x| x.abs().max(1.0)).collect())
}

/// In forms 1 and 4 the step is x * x - 0.5, here as the difference of two squares and a quarter.
fn fma_operands(input: &Arrays, sizes: &Sizes) -> Arrays {
    let ones = vec![1.0; input["start"].len()];
    if ![1, 4].contains(&sizes["form"]) {
        return two("end", fma_chains(input, sizes)["end"].clone(), ones);
    }
    let step = |x: f64, _| (x - 0.5) * (x + 0.5) - 0.25;
    two("end", input["start"].iter().map(|&x| (0..sizes["iterations"]).fold(x, step)).collect(), ones)
}

/// All places after one step, then after the next.
fn two_lists(input: &Arrays, sizes: &Sizes) -> Arrays {
    let length = sizes["length"];
    let mut places: Vec<i64> = (0..32 * sizes["warps"] * sizes["blocks"]).map(|t| t % length).collect();
    for _ in 0..sizes["steps"] {
        for (lane, place) in places.iter_mut().enumerate() {
            let (list, further) = if lane & 16 == 0 { ("left", 0) } else { ("right", 1) };
            *place = (input[list][*place as usize] as i64 + further) & (length - 1);
        }
    }
    one("end", places.into_iter().map(|place| place as f64).collect())
}

/// A running average that keeps `weight` of itself, as a sum of all numbers with their weights.
fn running_average(numbers: &[f64], first: f64, weight: f64) -> f64 {
    let mut factor = 1.0;
    let mut sum = 0.0;
    for number in numbers.iter().rev() {
        sum += factor * number;
        factor *= weight;
    }
    sum + factor * first
}

fn running_averages(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rounds = sizes["rounds"] as usize;
    let thread = |t: usize, f: fn(f64) -> f64| {
        let numbers: Vec<f64> =
            (0..rounds).map(|r| f(input["x"][t / 256 * 256 * rounds + 256 * r + t % 256])).collect();
        let average = |j: i64| running_average(&numbers, f(1.0 - j as f64 / 64.0), 0.5 - j as f64 / 256.0);
        (0..sizes["values"]).map(average).sum()
    };
    let threads = 256 * sizes["blocks"] as usize;
    let all = |f: fn(f64) -> f64| (0..threads).map(|t| thread(t, f)).collect();
    two("y", all(|x| x), all(f64::abs))
}

fn thirty_two_averages(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let all = |f: fn(f64) -> f64| {
        let element = |i: usize| {
            let numbers: Vec<f64> = input["x"].iter().skip(i).step_by(n).map(|x| f(*x)).collect();
            (0..32).map(|j| running_average(&numbers, f64::from(j) / 64.0, 0.5 - f64::from(j) / 256.0)).sum()
        };
        (0..n).map(element).collect()
    };
    two("y", all(|x| x), all(f64::abs))
}

fn looked_up(input: &Arrays, _: &Sizes) -> Arrays {
    one("y", input["x"].iter().map(|place| input["table"][*place as usize]).collect())
}

fn polynomial(coefficients: &[f64], points: &[f64]) -> Arrays {
    let sizes: Vec<f64> = coefficients.iter().map(|c| c.abs()).collect();
    let magnitudes = points.iter().map(|x| horner(&sizes, x.abs())).collect();
    two("y", points.iter().map(|x| horner(coefficients, *x)).collect(), magnitudes)
}

/// Every point times every factor.
fn fourier(input: &Arrays, _: &Sizes) -> Arrays {
    let factors: Vec<(f64, f64)> =
        (0..4096).map(|k| (-f64::from(k) * std::f64::consts::PI / 2048.0).sin_cos()).collect();
    let (mut y, mut magnitudes) = (Vec::new(), Vec::new());
    for points in input["x"].chunks(8192) {
        let size: f64 = points.iter().map(|x| x.abs()).sum();
        for k in 0..4096 {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, point) in points.chunks(2).enumerate() {
                let (sine, cosine) = factors[i * k % 4096];
                re += point[0] * cosine - point[1] * sine;
                im += point[0] * sine + point[1] * cosine;
            }
            y.extend([re, im]);
            magnitudes.extend([size, size]);
        }
    }
    two("y", y, magnitudes)
}

/// Rows first, then columns, with a frame of zeros.
fn blurred(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (width, height) = (sizes["width"] as usize, sizes["height"] as usize);
    let ninth = |f: fn(f64) -> f64| {
        let mut rows = vec![vec![0.0; width]; height + 2];
        for (row, line) in rows[1..].iter_mut().zip(input["x"].chunks(width)) {
            let framed: Vec<f64> = [0.0].into_iter().chain(line.iter().map(|x| f(*x))).chain([0.0]).collect();
            row.iter_mut().zip(framed.windows(3)).for_each(|(sum, three)| *sum = three.iter().sum());
        }
        let column = |three: &[Vec<f64>]| {
            (0..width).map(|c| (three[0][c] + three[1][c] + three[2][c]) / 9.0).collect::<Vec<f64>>()
        };
        rows.windows(3).flat_map(column).collect()
    };
    two("y", ninth(|x| x), ninth(f64::abs))
}

/// Column after column of A, each with the row of B that it meets.
fn matrix_product(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (n, k) = (128 * sizes["cols"] as usize, (8 * sizes["depth"] * sizes["fold"]) as usize);
    let product = |f: fn(f64) -> f64| {
        let mut c = vec![0.0; 128 * sizes["rows"] as usize * n];
        for (at, row) in input["b"].chunks(n).enumerate() {
            for (sums, a) in c.chunks_mut(n).zip(input["a"].chunks(k)) {
                sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += f(a[at] * b));
            }
        }
        c
    };
    two("c", product(|x| x), product(f64::abs))
}

/// Horner's rule from the top, where the reference adds terms from below.
fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

fn coefficients(input: &Arrays, _: &Sizes) -> Arrays {
    let c: [f32; 16] =
        [0.91, -0.42, 0.77, 0.35, -0.63, 0.58, -0.29, 0.84, 0.11, -0.95, 0.46, 0.23, -0.71, 0.67, 0.39, -0.88];
    let c = c.map(f64::from);
    let y = input["x"].iter().map(|x| horner(&c, *x)).collect();
    two("y", y, input["x"].iter().map(|x| horner(&c.map(f64::abs), x.abs())).collect())
}

/// Differences to the neighbours, a quarter of each.
fn smoothed(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    let beside = |i: usize| (x[i.saturating_sub(1)], x[(i + 1).min(x.len() - 1)]);
    let value = |i: usize| x[i] + (beside(i).0 - x[i]) / 4.0 + (beside(i).1 - x[i]) / 4.0;
    let magnitude = |i: usize| x[i].abs() / 2.0 + (beside(i).0.abs() + beside(i).1.abs()) / 4.0;
    two("y", (0..x.len()).map(value).collect(), (0..x.len()).map(magnitude).collect())
}

/// The hyperbolic tangent's half sum with 1 is a logistic function of twice the argument.
fn gelu(input: &Arrays, _: &Sizes) -> Arrays {
    let inner = |x: f64| 0.79788456 * x * (1.0 + 0.044715 * x * x);
    let y = input["x"].iter().map(|x| x / (1.0 + (-2.0 * inner(*x)).exp())).collect();
    two("y", y, input["x"].iter().map(|x| x.abs() / (1.0 + (-2.0 * inner(*x).abs()).exp())).collect())
}

/// Between the mean anomaly less and plus the eccentricity, by halving.
fn kepler(input: &Arrays, _: &Sizes) -> Arrays {
    let place = |m: f64| {
        let (mut low, mut high) = (m - 0.5, m + 0.5);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            if middle - 0.5 * middle.sin() < m { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    };
    let mean = &input["mean"];
    two("eccentric", mean.iter().map(|m| place(*m)).collect(), mean.iter().map(|m| m.abs() + 1.0).collect())
}

/// By a sort of each pixel's samples.
fn four_largest(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let sorted = |i: usize| {
        let mut samples: Vec<f64> = input["x"].iter().skip(i).step_by(n).copied().collect();
        samples.sort_by(|a, b| b.total_cmp(a));
        samples
    };
    let samples: Vec<Vec<f64>> = (0..n).map(sorted).collect();
    one("four", (0..4).flat_map(|place| samples.iter().map(move |samples| samples[place])).collect())
}

/// Products first, then sums by halves.
fn byte_scores(input: &Arrays, _: &Sizes) -> Arrays {
    let score = |row: &[f64]| pairwise(&zip(row, &input["question"], |a, b| a * b));
    one("score", input["rows"].chunks(64).map(score).collect())
}

/// As quotients of factorials.
fn binomials(input: &Arrays, _: &Sizes) -> Arrays {
    let factorial = |n: f64| (1..=n as u32).map(f64::from).product::<f64>();
    one("count", zip(&input["m"], &input["k"], |m, k| factorial(m) / factorial(k.min(m)) / factorial(m - k.min(m))))
}

fn response_curve(input: &Arrays, _: &Sizes) -> Arrays {
    let c = [0.75, -0.5, 0.625, 0.25, -0.375, 0.875, -0.125, 0.5, -0.25];
    let y = input["x"].iter().map(|x| horner(&c, *x)).collect();
    two("y", y, input["x"].iter().map(|x| horner(&c.map(f64::abs), x.abs())).collect())
}

/// The sine as that of the other half of a turn, the exponential as a square of its root.
fn wavelet(input: &Arrays, _: &Sizes) -> Arrays {
    let envelope = |x: f64| (-x.abs() / 2.0).exp().powi(2) / x.hypot(1.0).powi(2);
    let y = input["x"].iter().map(|x| envelope(*x) * (x / 2.0).sin() * (x / 2.0).cos() * 2.0).collect();
    two("y", y, input["x"].iter().map(|x| envelope(*x)).collect())
}

/// The mean of the squares less the square of the mean.
fn noise(input: &Arrays, sizes: &Sizes) -> Arrays {
    spread(&input["frames"], sizes["n"] as usize)
}

fn spread(samples: &[f64], n: usize) -> Arrays {
    let pixel = |i: usize| samples.iter().skip(i).step_by(n).copied().collect::<Vec<f64>>();
    let mean = |values: &[f64]| pairwise(values) / values.len() as f64;
    let square = |values: &[f64]| mean(&zip(values, values, |a, b| a * b));
    let spreads = (0..n).map(|i| square(&pixel(i)) - mean(&pixel(i)).powi(2)).collect();
    two("spread", spreads, (0..n).map(|i| square(&pixel(i))).collect())
}

/// Cell by cell, particles from the last to the first.
fn deposits(input: &Arrays, _: &Sizes) -> Arrays {
    let (mut mesh, mut magnitudes) = (vec![0.0; 16384], vec![0.0; 16384]);
    for (particle, cell) in input["particle"].chunks(4).zip(&input["cell"]).rev() {
        for (part, value) in particle.iter().enumerate() {
            mesh[4 * *cell as usize + part] += value;
            magnitudes[4 * *cell as usize + part] += value.abs();
        }
    }
    two("mesh", mesh, magnitudes)
}

fn double_literal(input: &Arrays, _: &Sizes) -> Arrays {
    let c = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0];
    let y = input["angle"].iter().map(|x| x * horner(&c, x * x)).collect();
    two("y", y, input["angle"].iter().map(|x| x.abs() * horner(&c.map(f64::abs), x * x)).collect())
}

fn local_array(input: &Arrays, _: &Sizes) -> Arrays {
    let a = &input["a"];
    let b = a.iter().take(1024).enumerate().map(|(i, a)| a + (i % 2) as f64).collect();
    // A window that slides over the sequence, where the reference writes all of it down.
    let last = |seed: f64| {
        let mut window: Vec<u32> =
            (0..8u32).map(|j| (seed as i64 as u32).wrapping_add(j.wrapping_mul(0x9e37_79b9))).collect();
        for _ in 0..64 {
            let next = window[0].wrapping_add(window[5]);
            window.remove(0);
            window.push(next);
        }
        f64::from(window[7])
    };
    Arrays::from([("b".to_owned(), b), ("last".to_owned(), a.iter().map(|seed| last(*seed)).collect())])
}

fn xorshift(s: u32) -> u32 {
    let s = s ^ s << 13;
    let s = s ^ s >> 17;
    s ^ s << 5
}

fn stirred_as_drawn(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rounds = |drawn: f64| (drawn as i64 * (sizes["longest"] + 1) / 1024) as f64;
    let steps = input["drawn"].iter().map(|drawn| rounds(*drawn)).collect();
    trip_counts(&Arrays::from([("seed".to_owned(), input["seed"].clone()), ("steps".to_owned(), steps)]), sizes)
}

fn trip_counts(input: &Arrays, _: &Sizes) -> Arrays {
    let stir = |seed: f64, steps: f64| f64::from((0..steps as u32).fold(seed as u32, |s, _| xorshift(s)));
    one("out", zip(&input["seed"], &input["steps"], stir))
}

/// Stirred until the last six bits are zero.
fn tries(input: &Arrays, _: &Sizes) -> Arrays {
    let tries = |x: &f64| {
        let stirred = std::iter::successors(Some(*x as u32), |s| Some(xorshift(xorshift(*s))));
        stirred.skip(1).position(|s| s.trailing_zeros() >= 6).unwrap() as f64 + 1.0
    };
    one("y", input["x"].iter().map(tries).collect())
}

/// By sorting the elements by bucket.
fn lists_of_buckets(input: &Arrays, _: &Sizes) -> Arrays {
    let mut elements: Vec<(i64, f64)> =
        input["key"].iter().zip(&input["value"]).map(|(key, value)| (*key as i64 % 64, *value)).collect();
    elements.sort_by_key(|(bucket, _)| *bucket);
    let of = |bucket: i64| elements.iter().filter(move |(other, _)| *other == bucket).map(|(_, value)| *value);
    let length = (0..64).map(|bucket| of(bucket).count() as f64).collect();
    let sum = (0..64).map(|bucket| of(bucket).sum()).collect();
    Arrays::from([("length".to_owned(), length), ("sum".to_owned(), sum)])
}

/// Parcel after parcel.
fn parcels(input: &Arrays, _: &Sizes) -> Arrays {
    let mut balance = vec![0.0; 16];
    for ((amounts, from), further) in input["amount"].chunks(32).zip(&input["from"]).zip(&input["further"]) {
        let sum: f64 = amounts.iter().sum();
        balance[*from as usize] -= sum;
        balance[(*from + *further) as usize % 16] += sum;
    }
    one("balance", balance)
}

/// Around the first element, so that little cancels.
fn means_and_variances(input: &Arrays, _: &Sizes) -> Arrays {
    let mut out = Arrays::new();
    for chunk in input["x"].chunks(256) {
        let count = chunk.len() as f64;
        let shifted: Vec<f64> = chunk.iter().map(|x| x - chunk[0]).collect();
        let shift = pairwise(&shifted) / count;
        let mean = chunk[0] + shift;
        let typical = pairwise(&chunk.iter().map(|x| x.abs()).collect::<Vec<f64>>()) / count;
        let squares = shifted.iter().map(|d| (d - shift).powi(2)).collect::<Vec<f64>>();
        let spread = shifted.iter().map(|d| (d - shift).abs()).sum::<f64>() / count;
        let variance = pairwise(&squares) / count;
        let values = [mean, typical, variance, variance + 2.0 * spread * typical];
        for (name, value) in ["mean", "mean_magnitude", "variance", "variance_magnitude"].into_iter().zip(values) {
            out.entry(name.to_owned()).or_default().push(value);
        }
    }
    out
}

/// From the sorted coordinates.
fn box_around_points(input: &Arrays, _: &Sizes) -> Arrays {
    let [x, y] = ["x", "y"].map(|name| {
        let mut sorted = input[name].clone();
        sorted.sort_by(f64::total_cmp);
        (sorted[0], sorted[sorted.len() - 1])
    });
    one("box", vec![x.0, y.0, x.1, y.1])
}

/// Sixteen steps of a linear congruence are one step of another.
fn two_generators(input: &Arrays, _: &Sizes) -> Arrays {
    let (mut factor, mut summand) = (1u32, 0u32);
    for _ in 0..16 {
        factor = factor.wrapping_mul(1_664_525);
        summand = summand.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    let stir = |(i, seed): (usize, &f64)| {
        let seed = *seed as u32;
        let even = (0..16).fold(seed, |s, _| xorshift(s));
        f64::from(if i % 2 == 0 { even } else { seed.wrapping_mul(factor).wrapping_add(summand) })
    };
    one("out", input["seed"].iter().enumerate().map(stir).collect())
}

fn turned_and_averaged(input: &Arrays, _: &Sizes) -> Arrays {
    let n = input["x"].len();
    let mut padded = input["x"].clone();
    padded.resize(n.next_multiple_of(32), 0.0);
    padded.chunks_mut(32).for_each(<[f64]>::reverse);
    let pairs: Vec<(f64, f64)> =
        (0..n).map(|i| (if i % 32 > 0 { padded[i - 1] } else { padded[i] }, padded[i])).collect();
    let magnitude = pairs.iter().map(|(a, b)| 0.5 * (a.abs() + b.abs())).collect();
    two("y", pairs.iter().map(|(a, b)| 0.5 * (a + b)).collect(), magnitude)
}

/// By Horner's rule from the top, with the magnitudes of all terms.
fn curve_in_two_pieces(input: &Arrays, _: &Sizes) -> Arrays {
    let side = |x: f64| if x < 0.0 { &input["left"] } else { &input["right"] };
    let y = input["x"].iter().map(|x| horner(side(*x), *x)).collect();
    let size = |x: &f64| horner(&side(*x).iter().map(|c| c.abs()).collect::<Vec<_>>(), x.abs());
    two("y", y, input["x"].iter().map(size).collect())
}

fn marked_samples(input: &Arrays, _: &Sizes) -> Arrays {
    let filter = |x: f64, mark: f64| {
        let filtered = if mark == 7.0 { (0..48).fold(x as u32, |s, _| xorshift(s)) } else { x as u32 / 2 };
        f64::from(filtered)
    };
    one("y", zip(&input["x"], &input["marked"], filter))
}

fn lowest_and_highest(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    one("range", vec![sorted[0], sorted[sorted.len() - 1]])
}

fn sum_and_largest(input: &Arrays, _: &Sizes) -> Arrays {
    let mut sorted = input["x"].clone();
    sorted.sort_by(f64::total_cmp);
    one("record", vec![pairwise(&sorted), sorted[sorted.len() - 1]])
}

/// The leaf is the path's bits the other way round; its chain has a closed form, as any such chain.
fn tree_of_branches(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (depth, spread) = (sizes["depth"] as u32, sizes["spread"] as usize);
    let end = |(i, x): (usize, &f64)| {
        let path = (i / spread) as u32 % (1 << depth);
        let leaf = if depth == 0 { 0 } else { path.reverse_bits() >> (32 - depth) };
        let fixed = f64::from(leaf + 1) / 32.0;
        fixed + (x - fixed) * 0.875f64.powi(64)
    };
    let y = input["x"].iter().enumerate().map(end).collect();
    two("y", y, input["x"].iter().map(|x| x.abs().max(1.0)).collect())
}

fn opcodes(input: &Arrays, _: &Sizes) -> Arrays {
    let step = |op: i64, s: u32| match op {
        0 => xorshift(s),
        1 => s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223),
        2 => s.reverse_bits().wrapping_add(0x9e37_79b9),
        3 => s ^ s.count_ones().wrapping_mul(0x0100_0193),
        4 => s.rotate_left(25).wrapping_mul(5).wrapping_add(0xe654_6b64),
        5 => s.max(!s) - (s >> 3),
        6 => ((u64::from(s) * 0xcc9e_2d51) >> 32) as u32 ^ (s << 9),
        _ => s.wrapping_sub((s & 0x5555_5555).wrapping_mul(3)),
    };
    let run = |(i, x): (usize, &f64)| {
        let op = input["program"][i % 8] as i64;
        f64::from((0..16).fold(*x as u32, |s, _| step(op, s)))
    };
    one("y", input["x"].iter().enumerate().map(run).collect())
}

/// By a sort of every 32.
fn behind_the_best(input: &Arrays, _: &Sizes) -> Arrays {
    let behind = |chunk: &[f64]| {
        let mut sorted = chunk.to_vec();
        sorted.sort_by(f64::total_cmp);
        let best = sorted[sorted.len() - 1];
        chunk.iter().map(|x| if *x < 0.0 { -1.0 } else { best - x }).collect::<Vec<f64>>()
    };
    one("y", input["x"].chunks(32).flat_map(behind).collect())
}

/// By a bisection of the table and sums that grow from window to window.
fn roughness(input: &Arrays, _: &Sizes) -> Arrays {
    let (x, knots) = (&input["x"], &input["knots"]);
    let windows: Vec<&[f64]> = x.windows(40).collect();
    let of_block = |block: &[&[f64]]| {
        let total: f64 = block.iter().flat_map(|window| window.iter()).sum();
        let key = (total / (40.0 * 256.0)).trunc();
        let level = knots.partition_point(|knot| *knot < key) as f64;
        block.iter().map(|window| window.iter().map(|x| (x - level).abs()).sum()).collect::<Vec<f64>>()
    };
    one("y", windows.chunks(256).flat_map(of_block).collect())
}

/// A turn is a multiplication by 0.875 + 0.25i and a push of 0.125: the distance from the fixed point is multiplied by its power.
fn oscillation(x: &[f64], turns: i64) -> Arrays {
    let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let turn = (0.875, 0.25);
    // z = turn * z + 0.125, so z = 0.125 / (1 - turn).
    let (re, im) = (1.0 - turn.0, -turn.1);
    let fixed = (0.125 * re / (re * re + im * im), -0.125 * im / (re * re + im * im));
    let power = (0..turns).fold((1.0, 0.0), |power, _| times(turn, power));
    let end = |x: &f64| {
        let from = times((x - fixed.0, 0.5 - fixed.1), power);
        fixed.0 + from.0 + fixed.1 + from.1
    };
    two("y", x.iter().map(end).collect(), vec![3.0; x.len()])
}

fn chains_of_steps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let shrink = 0.875f64.powi(sizes["steps"] as i32);
    let mut out = Arrays::new();
    for (from, to) in [("doubles", "double_out"), ("floats", "float_out"), ("halves", "half_out")] {
        let end: Vec<f64> = input[from].iter().map(|x| 1.0 + (x - 1.0) * shrink).collect();
        out.insert(format!("{to}_magnitude"), vec![1.0; end.len()]);
        out.insert(to.to_owned(), end);
    }
    out
}

/// A distance is the larger less the smaller.
fn byte_distances(input: &Arrays, sizes: &Sizes) -> Arrays {
    let bytes = |words: &[f64]| words.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect::<Vec<u8>>();
    let (signal, pattern) = (bytes(&input["signal"]), bytes(&input["pattern"]));
    let at = |i: usize| signal[4 * i..].iter().zip(&pattern).map(|(a, b)| f64::from(*a.max(b) - *a.min(b))).sum();
    one("distance", (0..sizes["n"] as usize).map(at).collect())
}

fn row_sums(input: &Arrays, sizes: &Sizes) -> Arrays {
    one("sums", input["x"].chunks(sizes["width"] as usize).map(pairwise).collect())
}

/// Weight by weight, over all samples.
fn filtered(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (x, n) = (&input["x"], sizes["n"] as usize);
    let (mut y, mut magnitude) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for (lag, weight) in [0.25f64, 0.5, -0.125, 0.0625, -0.375, 0.75].into_iter().enumerate() {
        for at in lag * n..x.len() {
            y[at] += weight * x[at - lag * n];
            magnitude[at] += weight.abs() * x[at - lag * n].abs();
        }
    }
    two("y", y, magnitude)
}

/// By a sort, and the longest run of equals.
fn most_frequent(input: &Arrays, sizes: &Sizes) -> Arrays {
    let n = sizes["n"] as usize;
    let message = |i: usize| {
        let words = input["words"].iter().skip(i).step_by(n).map(|word| *word as u32);
        let mut symbols: Vec<u32> = words.flat_map(|word| (0..8).map(move |k| word >> (4 * k) & 15)).collect();
        symbols.sort_unstable();
        let runs: Vec<&[u32]> = symbols.chunk_by(|a, b| a == b).collect();
        // The last of equals in the other direction is the first.
        f64::from(runs.iter().rev().max_by_key(|run| run.len()).unwrap()[0])
    };
    one("mode", (0..n).map(message).collect())
}

/// A round leaves 7/8 of the distance, then 15/16 of that.
fn drawn_together(input: &Arrays, _: &Sizes) -> Arrays {
    let left = (0.875f64 * 0.9375).powi(32);
    let y: Vec<f64> = zip(&input["a"], &input["b"], |a, b| (a - b) * left);
    let ones = vec![1.0; y.len()];
    two("y", y, ones)
}

/// Each loop moves a value towards a fixed point: -1 or 1, then 1/2.
fn two_linear_maps(input: &Arrays, sizes: &Sizes) -> Arrays {
    let (steps, by_warp) = (sizes["steps"] as i32, sizes["cure"] == 4);
    let towards = |v: f64, point: f64, rate: f64| point + (v - point) * rate.powi(steps);
    let value = |(i, x): (usize, &f64)| {
        let side = input["kind"][if by_warp { i / 32 * 32 } else { i }] != 0.0;
        let v = if side { towards(*x, -1.0, 0.75) } else { towards(*x, 1.0, 0.875) };
        towards(v, 0.5, 0.875)
    };
    let y: Vec<f64> = input["x"].iter().enumerate().map(value).collect();
    let ones = vec![1.0; y.len()];
    two("y", y, ones)
}

fn few_long(input: &Arrays, sizes: &Sizes) -> Arrays {
    let end = |seed: f64, drawn: f64| {
        let rounds = if drawn as i64 % sizes["rare"] == 0 { 256 } else { 8 };
        f64::from((0..rounds).fold(seed as u32, |s, _| xorshift(s)))
    };
    one("out", zip(&input["seed"], &input["drawn"], end))
}

/// The branches as a table of functions.
fn four_ways(input: &Arrays, sizes: &Sizes) -> Arrays {
    let ways: [fn(u32, u32) -> u32; 4] = [
        |_, b| b ^ b.wrapping_mul(32),
        |s, _| (0..32).map(|bit| s >> bit & 1).sum::<u32>().wrapping_mul(0x0100_0193) ^ s,
        |s, _| s.reverse_bits().wrapping_add(0x9e37_79b9),
        |s, _| s.rotate_right(7).wrapping_mul(5).wrapping_add(0xe654_6b64),
    ];
    let end = |(i, x): (usize, &f64)| {
        let way = ways[i / sizes["spread"] as usize % 4];
        let round = |s: u32| {
            let a = s ^ s.wrapping_mul(8192);
            way(s, a ^ (a / 131_072))
        };
        f64::from((0..16).fold(*x as u32, |s, _| round(s)))
    };
    one("y", input["x"].iter().enumerate().map(end).collect())
}

fn doubled_plus_one(input: &Arrays, _: &Sizes) -> Arrays {
    let y = input["x"].iter().map(|x| 1.0 + (x + x)).collect();
    two("y", y, input["x"].iter().map(|x| 2.0 * x.abs() + 1.0).collect())
}

fn transposed(input: &Arrays, _: &Sizes) -> Arrays {
    let column = |matrix: &[f64], at: usize| matrix.iter().skip(at).step_by(32).copied().collect::<Vec<f64>>();
    let columns = |matrix: &[f64]| (0..32).flat_map(|at| column(matrix, at)).collect::<Vec<f64>>();
    one("y", input["x"].chunks(1024).flat_map(columns).collect())
}

fn sorted(row: &[f64]) -> Vec<f64> {
    let mut row = row.to_vec();
    row.sort_by(f64::total_cmp);
    row
}

/// Entry by entry, over all rows.
fn rows_of_eight(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rows = sizes["rows"] as usize;
    let (mut y, mut magnitude) = (vec![0.0; rows], vec![0.0; rows]);
    for (at, (column, value)) in input["column"].iter().zip(&input["value"]).enumerate().rev() {
        let product = value * input["x"][*column as usize];
        y[at % rows] += product;
        magnitude[at % rows] += product.abs();
    }
    two("y", y, magnitude)
}

fn rows_of_eight_each(input: &Arrays, sizes: &Sizes) -> Arrays {
    let rows = 1024 * sizes["kilo"] + sizes["tail"];
    rows_of_eight(input, &Sizes::from([("rows".to_owned(), rows)]))
}

/// The k-th number by the k-th power of the generator's map, and 31 steps of the walk by composing its table with itself.
fn drawn_again(input: &Arrays, _: &Sizes) -> Arrays {
    let then = |(a, c): (u32, u32), (b, d): (u32, u32)| (a.wrapping_mul(b), c.wrapping_mul(b).wrapping_add(d));
    let power = |k: u32| (0..k).fold((1, 0), |map, _| then(map, (1_664_525, 1_013_904_223)));
    let maps: Vec<(u32, u32)> = (1..=48).map(power).collect();
    let numbers = |seed: &f64| -> Vec<u32> {
        maps.iter().map(|(a, c)| (*seed as u32).wrapping_mul(*a).wrapping_add(*c) >> 24).collect()
    };

    let next = &input["next"];
    let step: Vec<usize> = next.iter().map(|to| *to as usize % next.len()).collect();
    let twice = |walk: &[usize]| -> Vec<usize> { walk.iter().map(|place| walk[*place]).collect() };
    let doublings: Vec<Vec<usize>> = std::iter::successors(Some(step), |walk| Some(twice(walk))).take(5).collect();
    let end = |place: usize| doublings.iter().fold(place, |place, walk| walk[place]);

    let warp = |seeds: &[f64]| -> Vec<f64> {
        let drawn: Vec<Vec<u32>> = seeds.iter().map(numbers).collect();
        let total: u32 = drawn.iter().flatten().sum();
        let level = next[end(total as usize % next.len())] as u32 >> 24;
        drawn
            .iter()
            .map(|numbers| f64::from(numbers.iter().map(|number| number.abs_diff(level)).sum::<u32>()))
            .collect()
    };
    one("y", input["seed"].chunks(32).flat_map(warp).collect())
}

fn largest_of_three(input: &Arrays, _: &Sizes) -> Arrays {
    let x = &input["x"];
    let largest = |i: usize| x[i.saturating_sub(1)..x.len().min(i + 2)].iter().copied().fold(f64::MIN, f64::max);
    one("y", (0..x.len()).map(largest).collect())
}
