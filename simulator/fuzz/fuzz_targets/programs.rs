//! Whole programs: mutated with their structure in mind, parsed, launched under every kind of schedule.
#![no_main]

#[path = "../../tests/fuzz/mutate/mod.rs"]
mod mutate;
#[path = "../../tests/fuzz/trial.rs"]
mod trial;

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        trial::run(text, text.len() as u64 * 0x9e37_79b9);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match std::str::from_utf8(&data[..size]) {
        Ok(text) if seed % 8 != 0 => put(data, mutate::mutate(text, text, seed.into(), max_size)),
        _ => fuzzer_mutate(data, size, max_size),
    }
});

fuzz_crossover!(|one: &[u8], two: &[u8], out: &mut [u8], seed: u32| {
    let longest = out.len();
    match (std::str::from_utf8(one), std::str::from_utf8(two)) {
        (Ok(one), Ok(two)) => put(out, mutate::mutate(one, two, seed.into(), longest)),
        _ => 0,
    }
});

fn put(to: &mut [u8], text: String) -> usize {
    to[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
}
