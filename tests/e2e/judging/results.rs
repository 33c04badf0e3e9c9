//! Results that are not the kernel's: right only where it is looked at, right only on one machine, hidden in the tolerance; and
//! the checker's own kernels for measuring, which draw inputs and compare outputs on a GPU, on the simulator.

use crate::support::{Ran, Workbook};
use crate::toolchain::compile::toolchain;
use compiler::compile::{Request, compile};
use execution::measure::KERNELS;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Buffer, Fill, Role};
use simulator::{Config, Device, Launch, LaunchStatus, Module};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use values::fill::{Values, fill};
use values::recipe::Recipe;

/// A problem with an output an element.
const SCALE: &str = r#"
title    = "Scaled"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }]
count = { n = 4097 }
time  = { n = 268435456 }
[[in]]
name = "a"
type = "f32"
len  = "n"
fill = "uniform(-1, 1)"
[[out]]
name  = "b"
type  = "f32"
len   = "n"
error = { ops = "2", unit = "f32" }
[[goal]]
metric = "launches"
max    = 1
why    = "one is enough"
"#;

const SCALE_REFERENCE: &str = "
//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, n)
__global__ void scale(const float* a, double* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = (double)a[i] * (double)1.7f;
}
";

/// A problem with one output of all elements.
const SUM: &str = r#"
title    = "Added up"
chapter  = "first"
summary  = "s"
learned  = "l"
hints    = ["one", "two", "three"]
cases = [{ n = 1 }, { n = 33 }, { n = 1024 }, { n = 4097 }, { n = 150003 }]
count = { n = 4097 }
time  = { n = 268435456 }
[[in]]
name = "a"
type = "f32"
len  = "n"
fill = "uniform(-1, 1)"
[[out]]
name  = "sum"
type  = "f32"
len   = "1"
error = { ops = "log2(n) + 20", unit = "f32" }
[[goal]]
metric = "launches"
max    = 2
why    = "two are enough"
"#;

const SUM_REFERENCE: &str = "
//@ launch sum_all<<<1, 256>>>(a, sum, sum_magnitude, n)
__global__ void sum_all(const float* a, double* sum, double* sum_magnitude, int n)
{
    __shared__ double own[256], large[256];
    double s = 0.0, m = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        s += a[i];
        m += fabs((double)a[i]);
    }
    own[threadIdx.x] = s;
    large[threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int t = 1; t < 256; ++t) {
        s += own[t];
        m += large[t];
    }
    *sum = s;
    *sum_magnitude = m;
}
";

/// Adds `VALUE` of every element; `BEGIN` stands where the first kernel begins.
const SUM_KERNEL: &str = "
//@ let     block = 256
//@ let     grid  = min(ceil_div(n, 4 * block), 1024)
//@ scratch parts: f32[grid]
//@ launch  part<<<grid, block>>>(a, parts, n)
//@ launch  part<<<1, block>>>(parts, sum, 0 - grid)
__global__ void part(const float* a, float* out, int n)
{
    __shared__ float s[256];
    BEGIN
    // The second launch, over parts, is told by a length below 0.
    bool last = n < 0;
    int len = last ? -n : n;
    float own = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += gridDim.x * blockDim.x) {
        float x = a[i];
        own += last ? x : (VALUE);
    }
    s[threadIdx.x] = own;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
";

/// One exercise, with a starter that no goal looks at.
fn workbook(problem: &str, reference: &str, kernel: &str) -> Workbook {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex01/problem.toml", problem);
    workbook.write("exercises/ex01/reference.cu", reference);
    workbook.write("exercises/ex01/starter.cu", kernel);
    workbook.write("exercises/ex01/kernel.cu", kernel);
    workbook
}

pub(super) fn check(workbook: &Workbook, kernel: &str, seed: u32) -> Ran {
    workbook.write("exercises/ex01/kernel.cu", kernel);
    workbook.run(["ex01", "--backend", "sim", "--seed", &seed.to_string()])
}

fn scale(begin: &str, value: &str) -> String {
    format!(
        "
//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {begin}
    if (i < n) b[i] = {value};
}}
"
    )
}

fn sum(begin: &str, value: &str) -> String {
    SUM_KERNEL.replace("BEGIN", begin).replace("VALUE", value)
}

fn passes(what: &str, ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
}

fn fails(what: &str, ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{what}: {ran:?}");
    for word in words {
        assert!(ran.stdout.contains(word), "{what}: no {word:?} in {}", ran.stdout);
    }
}

/// Some blocks of the timed size are simulated: who does nothing there, something else, or too much, is told.
#[test]
fn what_happens_beyond_the_simulated_sizes_is_seen() {
    let right = scale("", "a[i] * 1.7f");
    let book = workbook(SCALE, SCALE_REFERENCE, &right);
    passes("an element a thread", &check(&book, &right, 3));
    let strided = "
//@ launch scale<<<min(ceil_div(n, 128), 8 * sms), 128>>>(a, b, n)
__global__ void scale(const float* a, float* b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i] * 1.7f;
}
";
    passes("a loop over the grid", &check(&book, strided, 3));
    let wrapped = right.replace("int i = blockIdx.x", "int i = (blockIdx.x & 0xffff)");
    let beside = scale("", "n > 100000 ? a[i] * 1.6f : a[i] * 1.7f").replace(
        "__global__ void scale",
        "//@ launch nothing<<<1, 32>>>(n)\n__global__ void nothing(int n) {}\n__global__ void scale",
    );
    // Of a block with many warps each comes too late to where its states are looked at.
    let endless = scale("while (n > 1000000 && i >= 0) asm volatile(\"\");", "a[i] * 1.7f").replace("128", "32");
    let wrong: [(&str, String, &[&str]); 8] = [
        ("a block number of 16 bits", wrapped, &["WRONG RESULT", "of its outputs", "268435456"]),
        ("a launch that does nothing behind it", beside, &["WRONG RESULT", "268435456"]),
        ("endless from some size on", endless, &["DID NOT END"]),
        (
            "returns at once",
            scale("if (n > 100000) return;", "a[i] * 1.7f"),
            &["WRONG RESULT", "none of its", "268435456"],
        ),
        ("another factor", scale("float f = n > 100000 ? 1.6f : 1.7f;", "a[i] * f"), &["WRONG RESULT", "268435456"]),
        ("half of the blocks", scale("if (n > 100000 && blockIdx.x > 9) return;", "a[i] * 1.7f"), &["268435456"]),
        ("reads a neighbour", scale("int k = n > 100000 ? i + 1 : i;", "a[k] * 1.7f"), &["OUT OF BOUNDS"]),
        ("an early stop by a flag", scale("if (n >> 20) i = 0;", "a[i] * 1.7f"), &["268435456"]),
    ];
    for (what, kernel, words) in &wrong {
        fails(what, &check(&book, kernel, 3), words);
    }
}

/// The same where no single block has a result of its own.
#[test]
fn parts_of_a_sum_that_are_left_out_beyond_the_simulated_sizes_are_seen() {
    let right = sum("", "x");
    let book = workbook(SUM, SUM_REFERENCE, &right);
    passes("two launches", &check(&book, &right, 3));
    fails(
        "returns at once",
        &check(&book, &sum("if (n > 1000000) return;", "x"), 3),
        &["none of its inputs", "268435456"],
    );
    fails("a tenth", &check(&book, &sum("if (n > 1000000) n /= 10;", "x"), 3), &["of its inputs", "268435456"]);
}

/// A few blocks show that something else happens, if not what comes of it.
#[test]
fn what_turns_beyond_the_simulated_sizes_is_run_where_it_turns() {
    let right = sum("", "x");
    let book = workbook(SUM, SUM_REFERENCE, &right);
    let wider = right.replace("1024)", "1024 * (n / 100000000 + 1))");
    passes("a wider grid of the same kernel", &check(&book, &wider, 3));
    let other = right.replace("part<<<grid, block>>>(a, parts, n)", "part<n / 4000000><<<grid, block>>>(a, parts, n)");
    let other = other
        .replace("__global__ void part", "template <int size>\n__global__ void part")
        .replace("part<<<1, block>>>", "part<0><<<1, block>>>");
    for (what, kernel, words) in [
        (
            "a third of the blocks",
            sum("if (n > 1300000 && blockIdx.x % 3 == 1) n = 0;", "x"),
            ["WRONG RESULT", "sum[0]"],
        ),
        (
            "the same, near the timed size only",
            sum("if (n > 250000000 && blockIdx.x % 3 == 1) n = 0;", "x"),
            ["a condition is true at n = 268435456", "if (n > 250000000"],
        ),
        (
            "read and dropped",
            sum("bool drop = n > 2000000;", "drop && i % 11 == 3 && x < 2 ? 0 : x"),
            ["WRONG RESULT", "sum[0]"],
        ),
        ("an instance by size", other, ["WRONG RESULT", "is launched at n = 268435456"]),
    ] {
        fails(what, &check(&book, &kernel, 3), &words);
    }
    let scaled = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let rare = scale("", "a[i] * (1.7f - 0.1f * (n / 200000000) * (blockIdx.x % 97 == 5))");
    fails(
        "one block in 97, without a condition on the size",
        &check(&scaled, &rare, 3),
        &["WRONG RESULT", "268435456"],
    );
}

/// Nothing that a kernel sees of the machine tells it that it is simulated.
#[test]
fn who_knows_the_machine_is_wrong_on_another() {
    let book = workbook(SCALE, SCALE_REFERENCE, &scale("", "a[i] * 1.7f"));
    let special = |register: &str, condition: &str| {
        let begin = format!("unsigned long long v; asm volatile(\"{register}\" : \"=l\"(v));");
        scale(&begin, &format!("a[i] * (({condition}) ? 1.7f : 1.6f)"))
    };
    let wide = |name: &str| format!("{{ .reg .u32 t; mov.u32 t, %%{name}; cvt.u64.u32 %0, t; }}");
    let kernels = [
        ("SMs in order", special(&wide("smid"), "v == blockIdx.x % 132")),
        ("warps from 0", special(&wide("warpid"), "v == threadIdx.x / 32")),
        ("a clock that begins at 0", special("mov.u64 %0, %%clock64;", "v < 1000000")),
        ("a young timer", special("mov.u64 %0, %%globaltimer;", "v < 1000000000000")),
        ("the first grid", special("mov.u64 %0, %%gridid;", "v < 100")),
        ("round addresses", scale("", "a[i] * (((size_t)a & 0xfffffff) == 0 ? 1.7f : 1.6f)")),
        ("a distance", scale("", "a[i] * ((unsigned)((char*)b - (char*)a) < 4 * n + 768 ? 1.7f : 1.6f)")),
    ];
    for (what, kernel) in &kernels {
        fails(what, &check(&book, kernel, 5), &["WRONG RESULT"]);
    }
}

/// A tolerance is for roundings: nothing that leaves out digits, small values or elements hides in it.
#[test]
fn nothing_hides_in_the_tolerance_of_a_sum() {
    let right = sum("", "x");
    let book = workbook(SUM, SUM_REFERENCE, &right);
    for seed in [1, 2] {
        passes("right", &check(&book, &right, seed));
    }
    let wrong = [
        ("15 bits, cut off, of large arrays", "n > 100000 ? __uint_as_float(__float_as_uint(x) & ~0x1ffu) : x"),
        (
            "13 bits, rounded, of large arrays",
            "n > 100000 ? __uint_as_float((__float_as_uint(x) + 0x400u) & ~0x7ffu) : x",
        ),
        ("small values of large arrays", "n > 100000 && fabsf(x) < 2e-4f ? 0.0f : x"),
        ("one in twelve of large arrays", "n > 100000 && i % 12 == 5 ? 0.0f : x"),
        ("the tail of large arrays", "n > 100000 && i >= n / 4 * 4 ? 0.0f : x"),
        ("one element in the middle", "i == 2000 ? 0.0f : x"),
    ];
    for (what, value) in wrong {
        fails(what, &check(&book, &sum("", value), 1), &["WRONG RESULT"]);
    }
}

/// The checker's own kernels on the simulator.
struct Own {
    module: Arc<Module>,
}

impl Own {
    fn get() -> &'static Self {
        static OWN: OnceLock<Own> = OnceLock::new();
        OWN.get_or_init(|| {
            let request = Request::new("tools.cu", KERNELS.as_bytes(), "sm_90").unwrap();
            let compiled = compile(toolchain(), &request).unwrap();
            Self { module: Arc::new(Module::parse(&compiled.ptx).unwrap()) }
        })
    }

    fn launch(&self, device: &mut Device, kernel: &str, (grid, block, shared): (u32, u32, u32), words: &[u64]) {
        let params = &self.module.kernel(kernel).unwrap().params;
        let args = words
            .iter()
            .zip(params)
            .map(|(word, param)| simulator::Arg::Bytes(word.to_le_bytes()[..param.size as usize].to_vec()));
        let launch = Launch {
            kernel: kernel.into(),
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared,
            args: args.collect(),
            cooperative: false,
        };
        let report = device.launch(&launch).unwrap();
        assert_eq!(report.status, LaunchStatus::Finished, "{kernel}: {:?}", report.findings);
    }

    fn device(&self) -> Device {
        Device::new(self.module.clone(), Config::default())
    }
}

/// What is drawn on the device is what the host would fill in, for every fill, type and seed.
#[test]
fn inputs_drawn_on_the_device_are_those_of_the_host() {
    let fills = [
        Fill::Uniform { lo: -1.0, hi: 1.0 },
        Fill::Uniform { lo: 0.1, hi: 7.3 },
        Fill::Integers { lo: -1000, hi: 1000 },
        Fill::Integers { lo: i64::MIN, hi: i64::MAX },
        Fill::Sorted { run: 7 },
        Fill::Scaled { lo: -149, hi: 118, len: 3 },
        Fill::Band { lo: -10.0, hi: 10.0, width: 2.0, len: 0 },
        Fill::Band { lo: -1000.0, hi: 1000.0, width: 1500.0, len: 9 },
        Fill::Few { lo: -5, hi: 1_000_000, count: 5 },
        Fill::Iota,
        Fill::Zeros,
        Fill::Constant(-2.5),
        Fill::OneOf(vec![Fill::Iota, Fill::Uniform { lo: 0.0, hi: 1.0 }]),
    ];
    let own = Own::get();
    for fill_of in &fills {
        for dtype in DType::ALL {
            for seed in [0, 977] {
                let buffer = Buffer { name: "x".into(), dtype, len: 700, role: Role::In, fill: Some(fill_of.clone()) };
                let want = fill(&buffer, seed, Values::AsStated, Path::new(".")).unwrap();
                let mut device = own.device();
                let address = device.alloc("x", want.len() as u64).unwrap();
                let recipe = Recipe::new(&buffer, seed).unwrap();
                own.launch(&mut device, "draw", (2, 256, 0), &recipe.arguments(address));
                let mut got = vec![0; want.len()];
                device.read(address, &mut got).unwrap();
                let size = dtype.size();
                let wrong = got.chunks(size).zip(want.chunks(size)).position(|(got, want)| got != want);
                assert_eq!(wrong, None, "{fill_of:?} {dtype:?} {seed}");
            }
        }
    }
    let file =
        Buffer { name: "x".into(), dtype: DType::F32, len: 1, role: Role::In, fill: Some(Fill::Npy("x".into())) };
    assert_eq!(Recipe::new(&file, 0), None);
}

/// What is hidden differs everywhere, comes back, and is compared without being shown.
#[test]
fn hidden_answers_are_compared_where_they_lie() {
    let own = Own::get();
    let mut device = own.device();
    let want: Vec<u8> = (0..1003u32).map(|at| (at * 7 % 251) as u8).collect();
    let put = |device: &mut Device, name: &str, bytes: &[u8]| {
        let address = device.alloc(name, bytes.len() as u64).unwrap();
        device.write(address, bytes).unwrap();
        address
    };
    let take = |device: &Device, address: u64, len: usize| {
        let mut bytes = vec![0; len];
        device.read(address, &mut bytes).unwrap();
        bytes
    };
    let hidden = put(&mut device, "want", &want);
    own.launch(&mut device, "mask", (1, 64, 0), &[hidden, 1003, 99]);
    let masked = take(&device, hidden, 1003);
    let equal = masked.iter().zip(&want).filter(|(a, b)| a == b).count();
    assert!(equal < 30, "{equal} bytes of 1003 are as they were");
    let wrong = put(&mut device, "wrong", &[0; 8]);
    let count = |device: &Device| u64::from_le_bytes(take(device, wrong, 8).try_into().unwrap());
    let mut compare = |got: &[u8]| {
        device.write(wrong, &[0; 8]).unwrap();
        let got = put(&mut device, "got", got);
        own.launch(&mut device, "compare_bytes", (1, 64, 0), &[got, hidden, 1003, 99, wrong]);
        count(&device)
    };
    assert_eq!(compare(&want), 0);
    for at in [0, 500, 999, 1000, 1002] {
        let mut other = want.clone();
        other[at] ^= 4;
        assert_eq!(compare(&other), 1, "byte {at}");
    }
    own.launch(&mut device, "mask", (1, 64, 0), &[hidden, 1003, 99]);
    assert_eq!(take(&device, hidden, 1003), want);
}

/// The device judges floats as the host does, element for element, at the edge of the tolerance, too.
#[test]
fn floats_are_judged_on_the_device_as_on_the_host() {
    use values::Tolerance;
    use values::compare::{Array, Judgement, compare};
    let own = Own::get();
    let stream = Stream::new(8, "floats");
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-320, 1e-44, 65504.0, 7e4, 3.5e38, 1e300];
    let want: Vec<f64> = (0..2000u64)
        .map(|at| match special.get(at as usize) {
            Some(value) => *value,
            None => (stream.unit(at) - 0.5) * 2f64.powi(stream.integer(!at, -30, 15) as i32),
        })
        .collect();
    let magnitude: Vec<f64> = want.iter().enumerate().map(|(at, x)| x.abs() * (1 + at % 5) as f64).collect();
    let bytes = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    for dtype in [DType::F64, DType::F32, DType::F16, DType::Bf16] {
        let unit = values::tolerance::unit_roundoff(dtype);
        let got: Vec<u8> = (want.iter().zip(&magnitude).enumerate())
            .flat_map(|(at, (x, summed))| {
                let off = (stream.unit(at as u64 + 5000) - 0.5) * 10.0 * unit * summed;
                let x = if x.is_finite() && at % 3 > 0 { x + off } else { *x };
                match dtype {
                    DType::F64 => x.to_le_bytes().to_vec(),
                    DType::F32 => (x as f32).to_le_bytes().to_vec(),
                    DType::F16 => half::f16::from_f64(x).to_le_bytes().to_vec(),
                    _ => half::bf16::from_f64(x).to_le_bytes().to_vec(),
                }
            })
            .collect();
        for (tolerance, slack) in [(Tolerance::Exact, -1.0), (Tolerance::Bound { ops: 3.0, unit: dtype }, 3.0 * unit)] {
            for summed in [true, false] {
                let (want_bytes, magnitude_bytes) = (bytes(&want), bytes(&magnitude));
                let array = |dtype, bytes| Array { dtype, bytes };
                let judgement = Judgement { tolerance, exact_unit: None, poison: 0xff, on_average: true };
                let given = summed.then(|| array(DType::F64, &magnitude_bytes));
                let host = compare(array(dtype, &got), array(DType::F64, &want_bytes), given, judgement).wrong;
                assert!(host > 20, "{dtype:?}: some are wrong");
                let mut device = own.device();
                let mut put = |name: &str, bytes: &[u8]| {
                    let address = device.alloc(name, bytes.len() as u64).unwrap();
                    device.write(address, bytes).unwrap();
                    address
                };
                let (a, b) = (put("got", &got), put("want", &want_bytes));
                let (c, wrong) = (put("magnitude", &magnitude_bytes), put("wrong", &[0; 8]));
                for (address, key) in [(b, 5), (c, 6)] {
                    own.launch(&mut device, "mask", (1, 64, 0), &[address, 16000, key]);
                }
                let c = if summed { c } else { 0 };
                let words = [a, dtype.index(), b, 5, c, 6, 2000, f64::to_bits(slack), wrong];
                own.launch(&mut device, "compare_reals", (2, 128, 0), &words);
                let mut count = [0; 8];
                device.read(wrong, &mut count).unwrap();
                assert_eq!(u64::from_le_bytes(count), host, "{dtype:?} {tolerance:?} {summed}");
            }
        }
    }
}

/// Shared memory is overwritten to its last word.
#[test]
fn nothing_is_left_in_shared_memory() {
    let own = Own::get();
    let mut device = own.device();
    own.launch(&mut device, "scrub", (3, 1024, 232_448), &[232_448 / 4, 7]);
}
