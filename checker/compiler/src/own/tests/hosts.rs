//! What a text says of its memory, its sizes and its shapes, and how far the made lines follow it.

use super::lines;

/// Every line of `wanted` is made, or the beginning of one.
#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    let made = lines(text);
    let missed: Vec<_> = wanted.iter().filter(|want| !made.iter().any(|line| line.starts_with(*want))).collect();
    assert!(missed.is_empty(), "{text}\nmissed {missed:#?} in {made:#?}");
}

/// `&(x[i])` is an address as `&x[i]` is; brackets around what is read make none of it.
#[test]
fn an_address_in_brackets_is_written_through() {
    for place in ["&h[t]", "&(h[t])", "&((h[t]))", "(&(h[t]))"] {
        let text = format!("__global__ void k(unsigned *h) {{ atomicAdd({place}, 1); }}");
        has(&text, &["//@ inout  h: u32[n] = integers(0, 9)"]);
    }
    has("__global__ void k(int *h, int *g) { g[0] = 3 + (h[t]); }", &["//@ in     h: i32[n]", "//@ out    g: i32[n]"]);
}
