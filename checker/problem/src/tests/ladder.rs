//! Names of types, loops that go on from a `let`, swapped buffers, the host's sum; `[ladder]` well formed and malformed.

use crate::*;
use plan::dtype::DType;
use plan::{Arg, Buffer, Fill, HostSum, Plan, Role};
use std::path::Path;

const KERNELS: &str = "template <typename T, typename A, int B> __global__ void total(const T* x, A* sums, int n) {}\n";

fn types() -> Types {
    Types::new([("element".to_string(), DType::F16), ("accumulator".to_string(), DType::F32)])
}

fn plan(lines: &str, n: i64) -> Result<Plan, LineError> {
    let file = KernelFile::parse_typed(Path::new("k.cu"), &format!("{KERNELS}{lines}\n"), &types())?;
    let buffer = |name: &str, dtype, len, role, fill| Buffer { name: name.into(), dtype, len, role, fill };
    let io =
        [buffer("x", DType::F16, n as u64, Role::In, Some(Fill::Iota)), buffer("sum", DType::F32, 1, Role::Out, None)];
    let sizes = Sizes::from([("n".to_string(), n), ("block".to_string(), 32)]);
    let context = PlanContext { sizes, device: DeviceShape::H200, active_blocks: &|_, _, _| Ok(1) };
    file.plan(&context, &io)
}

const ROUNDS: &str = "//@ let     m = max(1, ceil_div(n, block))\n\
                      //@ scratch partial: accumulator[m]\n\
                      //@ scratch next: accumulator[m]\n\
                      //@ launch  total<element, accumulator, block><<<m, block, block * sizeof(accumulator)>>>(x, partial, n)\n\
                      //@ for (; m > block; m = ceil_div(m, block))\n\
                      //@   launch total<accumulator, accumulator, block><<<ceil_div(m, block), block>>>(partial, next, m)\n\
                      //@   swap partial, next\n\
                      //@ end\n\
                      //@ launch  total<accumulator, accumulator, block><<<1, block>>>(partial, sum, m)";

#[test]
fn names_of_types_stand_for_types_everywhere() {
    let plan = plan(ROUNDS, 1000).unwrap();
    assert_eq!(plan.buffers[2].dtype, DType::F32);
    assert_eq!((plan.launches[0].kernel.as_str(), plan.launches[0].shared), ("total<__half, float, 32>", 128));
    assert_eq!(plan.launches[1].kernel, "total<float, float, 32>");
}

/// 40000, 1250, 40, 2 partial sums: each round reads what the one before wrote, and the last count is still known.
#[test]
fn rounds_take_turns_on_two_buffers() {
    let plan = plan(ROUNDS, 40_000).unwrap();
    let rounds: Vec<_> = plan.launches.iter().map(|launch| (launch.args.as_slice(), launch.grid[0])).collect();
    let (x, sum, partial, next) = (Arg::Buffer(0), Arg::Buffer(1), Arg::Buffer(2), Arg::Buffer(3));
    assert_eq!(
        rounds,
        [
            (&[x, partial, Arg::Int(40_000)][..], 1250),
            (&[partial, next, Arg::Int(1250)], 40),
            (&[next, partial, Arg::Int(40)], 2),
            (&[partial, sum, Arg::Int(2)], 1),
        ]
    );
}

#[test]
fn the_host_adds_up_at_the_end() {
    let lines = "//@ scratch partial: accumulator[4]\n\
                 //@ launch total<element, accumulator, block><<<4, block>>>(x, partial, n)\n";
    let found = plan(&format!("{lines}//@ host sum = sum(partial)"), 9).unwrap();
    assert_eq!(found.host, Some(HostSum { from: 2, to: 1 }));
    assert_eq!(plan(lines, 9).unwrap().host, None);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let scratch = "//@ scratch a: f32[4]\n//@ scratch b: f32[5]\n//@ scratch h: f16[1]\n";
    let launch = "//@ launch total<element, accumulator, block><<<1, 1>>>(x, sum, n)\n";
    for (lines, place, says) in [
        (format!("{scratch}//@ swap a, b"), "k.cu:5:13", "`a` and `b` differ in type or length"),
        (format!("{scratch}//@ swap a, x"), "k.cu:5:13", "`x` is no scratch buffer"),
        (format!("{scratch}//@ swap a, n"), "k.cu:5:13", "`n` is no scratch buffer"),
        (format!("{scratch}//@ host sum = sum(x)"), "k.cu:5:20", "not an input"),
        (format!("{scratch}//@ host sum = sum(h)"), "k.cu:5:20", "both are of the same type"),
        (format!("{scratch}//@ host a = sum(b)"), "k.cu:5:10", "an output of one element"),
        (format!("{scratch}//@ host sum = sum(a)\n{launch}"), "k.cu:6:1", "no launch comes after the host's sum"),
        ("//@ for (; n > 1; n = n / 2)\n//@ end".to_string(), "k.cu:2:19", "`n` is no `let` from before the loop"),
        ("//@ for (; k > 1; k = k / 2)\n//@ end".to_string(), "k.cu:2:19", "`k` is no `let` from before the loop"),
        ("//@ let element = 3".to_string(), "k.cu:2:9", "`element` is a type here"),
        ("//@ let k = sizeof(float4)".to_string(), "k.cu:2:20", "unknown type `float4`"),
        ("//@ blocks 64, 32".to_string(), "k.cu:2:16", "and increase"),
        ("//@ blocks 2048".to_string(), "k.cu:2:12", "from 1 to 1024"),
    ] {
        let error = plan(&lines, 9).unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains(says), "{lines}\n{error}");
    }
}

#[test]
fn bytes_of_types_by_their_names_in_cpp() {
    for (name, bytes) in [
        ("char", 1),
        ("unsigned char", 1),
        ("short", 2),
        ("half", 2),
        ("f16", 2),
        ("int", 4),
        ("unsigned", 4),
        ("unsigned int", 4),
        ("float", 4),
        ("double", 8),
        ("long long", 8),
        ("unsigned long long", 8),
    ] {
        let launch = "//@ launch total<element, accumulator, block><<<1, 1>>>(x, a, n)\n";
        let lines = format!("//@ let k = sizeof({name})\n//@ scratch a: f32[k]\n{launch}");
        let found = plan(&lines, 9).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.buffers.last().map(|buffer| buffer.len), Some(bytes), "{name}");
    }
}

fn manifest(replace: &[(&str, &str)]) -> Result<Vec<Manifest>, LineError> {
    let mut text = include_str!("../../../../tests/fixtures/ladder/kernels/total/problem.toml").to_string();
    for (from, to) in replace {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    Manifest::parse_all(Path::new("problem.toml"), &text)
}

#[test]
fn a_ladder_has_a_manifest_for_each_element_type() {
    let all = manifest(&[]).unwrap();
    let of = |manifest: &Manifest| {
        (
            manifest.inputs[0].dtype,
            manifest.outputs[0].dtype,
            manifest.bytes.as_ref().unwrap().eval(&manifest.count).unwrap(),
        )
    };
    assert_eq!(
        all.iter().map(of).collect::<Vec<_>>(),
        [(DType::F32, DType::F32, 16384), (DType::I32, DType::I32, 16384)]
    );
    assert!(matches!(all[0].outputs[0].error, ErrorBound::Ops { .. }) && all[1].outputs[0].error == ErrorBound::Exact);
    // Every case at every block size; counts and times at the ladder's own.
    assert_eq!((all[0].cases.len(), all[0].count["block"], all[0].time["block"]), (10, 64, 64));
}

#[test]
fn a_malformed_ladder_is_said_with_its_place() {
    for (from, to, says) in [
        ("kind    = \"ladder\"", "", "a `[ladder]` table needs kind = \"ladder\""),
        ("[\"queue\", \"tree\"]", "[\"queue\"]", "two versions or more"),
        ("[\"queue\", \"tree\"]", "[\"queue\", \"queue\", \"tree\"]", "`queue` is there twice"),
        ("[\"queue\", \"tree\"]", "[\"queue\", \"tree\", \"reference\"]", "`reference` is no version's name"),
        ("block     = 64", "block     = 96", "96 is not one of `blocks`"),
        ("[32, 64]", "[64, 32]", "increasing"),
        ("[32, 64]", "[64, 2048]", "block sizes are 1 to 1024"),
        ("queue = \"n\"", "quay = \"n\"", "no version is called `quay`"),
        ("element = \"i32\"", "item = \"i32\"", "gives the same names of types"),
        ("\"i32\", exact", "\"float\", exact", "`float` is `f32` here"),
        ("name  = \"int\"", "name  = \"float\"", "two element types are called `float`"),
        ("at     = 1024", "at     = 1000", "1000 is not among `sizes`"),
        ("type = \"element\"", "type = \"elements\"", "unknown type `elements`"),
        ("len  = \"n\"", "len  = \"n / sizeof(items)\"", "unknown type `items`"),
    ] {
        let error = manifest(&[(from, to)]).unwrap_err().to_string();
        assert!(error.contains(says) && error.starts_with("problem.toml:"), "{to}\n{error}");
    }
}
