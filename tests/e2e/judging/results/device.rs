//! What the checker's own kernels do on a device, here on the simulator: draw inputs, keep answers, judge.

use crate::toolchain::compile::toolchain;
use compiler::compile::{CompileRequest, compile};
use execution::measure::KERNELS;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Buffer, Fill, Role};
use simulator::{Config, Device, Launch, LaunchStatus, Module};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use values::fill::{Values, fill};
use values::recipe::Recipe;

/// The checker's own kernels on the simulator.
struct Own {
    module: Arc<Module>,
}

impl Own {
    fn get() -> &'static Self {
        static OWN: OnceLock<Own> = OnceLock::new();
        OWN.get_or_init(|| {
            let request = CompileRequest::new("tools.cu", KERNELS.as_bytes(), "sm_90").unwrap();
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
        Fill::Sorted { run: 7, short: 0 },
        Fill::Sorted { run: 7, short: 2 },
        Fill::Scaled { lo: -149, hi: 118, len: 3 },
        Fill::Scaled { lo: -30000, hi: 118, len: 1 },
        Fill::Scaled { lo: -1030, hi: -1015, len: 2 },
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
    own.launch(&mut device, "mask", (1, 64, 0), &[hidden, 1003, 99, 7]);
    let masked = take(&device, hidden, 1003);
    let equal = masked.iter().zip(&want).filter(|(a, b)| a == b).count();
    assert!(equal < 30, "{equal} bytes of 1003 are as they were");
    let wrong = put(&mut device, "wrong", &[0; 8]);
    let count = |device: &Device| u64::from_le_bytes(take(device, wrong, 8).try_into().unwrap());
    let mut compare = |got: &[u8]| {
        device.write(wrong, &[0; 8]).unwrap();
        let got = put(&mut device, "got", got);
        own.launch(&mut device, "compare_bytes", (1, 64, 0), &[got, hidden, 1003, 99, 7, wrong]);
        count(&device)
    };
    assert_eq!(compare(&want), 0);
    for at in [0, 500, 999, 1000, 1002] {
        let mut other = want.clone();
        other[at] ^= 4;
        assert_eq!(compare(&other), 1, "byte {at}");
    }
    own.launch(&mut device, "mask", (1, 64, 0), &[hidden, 1003, 99, 7]);
    assert_eq!(take(&device, hidden, 1003), want);
}

/// Hidden are zeros, so that the key stream is to be seen: block after block of ChaCha8 with a key of 128 bits, of which a warp has the
/// words of 32 side by side. The first block is a vector of draft-strombergson-chacha-test-vectors.
#[test]
fn answers_are_hidden_under_a_cipher() {
    const BLOCK: [u64; 8] = [
        0x5d8c_7fa6_a45f_8ae2,
        0x8634_30b7_6f3e_edef,
        0x29a7_1914_d327_84aa,
        0x2011_4953_7977_2d57,
        0x85eb_8d2b_e7b8_4ab6,
        0x109a_08b6_7cea_6acd,
        0x424a_8108_ebbe_2418,
        0x1b08_16c8_a21f_ab8a,
    ];
    let own = Own::get();
    let mut device = own.device();
    let address = device.alloc("zeros", 8 * 600).unwrap();
    device.write(address, &[0; 8 * 600]).unwrap();
    own.launch(&mut device, "mask", (1, 64, 0), &[address, 8 * 600, 0, 0]);
    let mut bytes = [0; 8 * 600];
    device.read(address, &mut bytes).unwrap();
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let first: Vec<u64> = (0..8).map(|k| words[32 * k]).collect();
    assert_eq!(first, BLOCK, "{first:x?}");
    let mut sorted = words.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 600, "no word of the stream comes twice");
}

/// Seals are SipHash-2-4 of what a word says, its sample, its pass and itself, as the host makes them.
#[test]
fn results_are_sealed_under_the_key() {
    let own = Own::get();
    let mut device = own.device();
    let (key0, key1, sample) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 77);
    let address = device.alloc("results", 16 * 40).unwrap();
    let pairs: Vec<u8> = (0..40u64).flat_map(|pass| [pass * pass, 0]).flat_map(u64::to_le_bytes).collect();
    device.write(address, &pairs).unwrap();
    own.launch(&mut device, "seal", (1, 256, 0), &[address, 33, key0, key1, sample]);
    let mut bytes = [0; 16 * 40];
    device.read(address, &mut bytes).unwrap();
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    for (pass, pair) in words.as_chunks::<2>().0.iter().enumerate() {
        let pass = pass as u64;
        let want = if pass < 33 { siphash([key0, key1], &[1, sample, pass, pass * pass]) } else { 0 };
        assert_eq!(*pair, [pass * pass, want], "pass {pass}");
    }
}

/// The clock of a spin has its seals, too.
#[test]
fn the_clock_is_sealed_with_it() {
    let own = Own::get();
    let mut device = own.device();
    let address = device.alloc("results", 32).unwrap();
    own.launch(&mut device, "probe", (1, 1, 0), &[address, 500, 3, 4, 9]);
    let mut bytes = [0; 32];
    device.read(address, &mut bytes).unwrap();
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    assert!(words[0] > 0 && words[2] >= 500, "{words:?}");
    for pass in [0, 1] {
        assert_eq!(words[2 * pass + 1], siphash([3, 4], &[0, 9, pass as u64, words[2 * pass]]));
    }
}

#[expect(deprecated, reason = "it is SipHash-2-4, and says so; what replaces it may be anything")]
fn siphash([key0, key1]: [u64; 2], words: &[u64]) -> u64 {
    use std::hash::{Hasher, SipHasher};
    let mut hasher = SipHasher::new_with_keys(key0, key1);
    words.iter().for_each(|word| hasher.write(&word.to_le_bytes()));
    hasher.finish()
}

/// Fingerprints hang on every byte, on its place and on both halves of the key, and not on the launch.
#[test]
fn fingerprints_hang_on_bytes_places_and_key() {
    let own = Own::get();
    let print = |bytes: &[u8], key: [u64; 2], grid: u32| {
        let mut device = own.device();
        let (data, out) = (device.alloc("data", bytes.len() as u64).unwrap(), device.alloc("out", 8).unwrap());
        device.write(data, bytes).unwrap();
        device.write(out, &[0; 8]).unwrap();
        let words = [data, bytes.len() as u64, key[0], key[1], out];
        own.launch(&mut device, "fingerprint", (grid, 64, 0), &words);
        let mut sum = [0; 8];
        device.read(out, &mut sum).unwrap();
        u64::from_le_bytes(sum)
    };
    let bytes: Vec<u8> = (0..1003u32).map(|at| (at * 7 % 251) as u8).collect();
    let first = print(&bytes, [1, 2], 1);
    assert_eq!(print(&bytes, [1, 2], 3), first);
    assert!([[1, 3], [3, 2], [2, 1]].into_iter().all(|key| print(&bytes, key, 1) != first));
    for at in [0, 500, 999, 1001, 1002] {
        let mut other = bytes.clone();
        other[at] ^= 4;
        assert_ne!(print(&other, [1, 2], 1), first, "byte {at}");
    }
    let mut moved = bytes.clone();
    moved.swap(0, 8);
    assert_ne!(print(&moved, [1, 2], 1), first);
    // Two words in each other's place, each less what tells the places apart.
    const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;
    let read = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let mut moved = bytes.clone();
    moved[..8].copy_from_slice(&read(8).wrapping_add(PLACE).to_le_bytes());
    moved[8..16].copy_from_slice(&read(0).wrapping_sub(PLACE).to_le_bytes());
    assert_ne!(print(&moved, [1, 2], 1), first);
}

/// The device judges floats as the host does, element for element, at the edge of the tolerance, too.
#[test]
fn floats_are_judged_on_the_device_as_on_the_host() {
    use values::Tolerance;
    use values::compare::{Array, Judgement, compare};
    let own = Own::get();
    let stream = Stream::new(8, "floats");
    let special = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-320,
        1e-44,
        2e-45,
        2.8e-46,
        3e-8,
        65504.0,
        7e4,
        3.5e38,
        1e300,
    ];
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
                // More than a unit of the smallest numbers, less than what underflows.
                let off = off + if at < special.len() { 1.7 * values::tolerance::ulp(0.0, dtype) } else { 0.0 };
                let x = if x.is_finite() && at % 3 > 0 { x + off } else { *x };
                match dtype {
                    DType::F64 => x.to_le_bytes().to_vec(),
                    DType::F32 => (x as f32).to_le_bytes().to_vec(),
                    DType::F16 => half::f16::from_f64(x).to_le_bytes().to_vec(),
                    _ => half::bf16::from_f64(x).to_le_bytes().to_vec(),
                }
            })
            .collect();
        let least = 3.0 * values::tolerance::underflow(dtype);
        let bound = Tolerance::Bound { ops: 3.0, unit: dtype };
        for (tolerance, slack, least) in [(Tolerance::Exact, -1.0, 0.0), (bound, 3.0 * unit, least)] {
            for summed in [true, false] {
                let (want_bytes, magnitude_bytes) = (bytes(&want), bytes(&magnitude));
                let array = |dtype, bytes| Array { dtype, bytes };
                let judgement =
                    Judgement { tolerance, exact_unit: None, poison: 0xff, on_average: true, flushes: false };
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
                    own.launch(&mut device, "mask", (1, 64, 0), &[address, 16000, key, 7]);
                }
                let c = if summed { c } else { 0 };
                let (slack, least) = (f64::to_bits(slack), f64::to_bits(least));
                let words = [a, dtype.index(), b, 5, 7, c, 6, 7, 2000, slack, least, wrong];
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
