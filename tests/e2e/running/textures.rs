//! Textures and surfaces: `//@ texture`, `//@ surface`, what is read, and what is wrong.

use crate::support::{Ran, checker, repository};
use std::path::Path;

fn run(folder: &Path, text: &str, more: &[&str]) -> Ran {
    std::fs::write(folder.join("own.cu"), text).expect("a file");
    let args = ["run", "own.cu", "--seed", "1", "--backend", "sim"];
    checker().args(args).args(more).current_dir(folder).output().expect("the binary starts").into()
}

/// The report's text with single spaces, and the exit status.
fn said(text: &str, more: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run(folder.path(), text, more);
    let all = format!("{} {}", ran.stdout, ran.stderr);
    (all.split_whitespace().collect::<Vec<_>>().join(" "), ran.code)
}

/// Filters, address modes, every arrangement, channels, objects in structures and in variables.
#[test]
fn textures_are_read_as_the_guide_says() {
    let path = repository().join("tests/fixtures/own/textures.cu");
    let text = std::fs::read_to_string(path).expect("the fixture");
    for more in [&[][..], &["--schedule", "adversarial:1"]] {
        let (flat, code) = said(&text, more);
        assert_eq!(code, Some(0), "{flat}");
        for line in [
            "clamped: f32[8] 0 0 0 0.25 0.5 0.75 1 1.25",
            "bordered: f32[8] 2 3 4 4.25 4.5 4.75 5 5.25",
            "wrapped: f32[8] 6 7 4 5 6 7 4 5",
            "mirrored: f32[8] 5 4 4 5 6 7 7 6",
            "plane: f32[8] 2 2.25 2.5 2.75 3 3.25 3.5 3.75",
            "cube: f32[8] 3 3.125 3.25 3.375 3.5 3.625 3.75 3.875",
            // Layers below the first and above the last are these.
            "layers: f32[8] 4 1 6 7 7 7 7 7",
            "faces: f32[8] 0 1 2 3 4 5 4 4",
            // From the lower left, round.
            "gathered: f32[8] 5 6 2 1 1 1 1 1",
            "fetched: f32[8] 0 0 0 1 2 3 0 0",
            "fractions: f32[8] 0 1 2 3 4 5 6 7",
            "pixels: i32[8] 0 1 2 3 4 5 6 7",
            "half: f32[8] 0 1 2 3 4 5 6 7",
        ] {
            assert!(flat.contains(line), "{line}: {flat}");
        }
    }
}

/// A surface's kernel, with its body in place of `BODY`.
fn surface(lines: &str, body: &str) -> String {
    format!(
        "//@ in a: f32[32] = iota\n//@ inout b: f32[32] = iota\n//@ out c: f32[32]\n//@ out bytes: u8[64]\n{lines}\
         __global__ void k(cudaSurfaceObject_t s, cudaTextureObject_t t, float *c) {{ int i = threadIdx.x; {body} }}\n"
    )
}

const FOUR: &str = "//@ surface s: f32[8, 4] = b\n//@ texture t: f32[8, 4] = a\n//@ launch k<<<1, 32>>>(s, t, c)\n";

#[test]
fn surfaces_are_read_and_written() {
    let text = surface(
        FOUR,
        "float was = surf2Dread<float>(s, i % 8 * 4, i / 8); surf2Dwrite(-was, s, i % 8 * 4, i / 8);
         c[i] = was + tex2D<float>(t, i % 8, i / 8);",
    );
    let (flat, code) = said(&text, &["--schedule", "all"]);
    assert_eq!(code, Some(0), "each thread reads before it writes: {flat}");
    assert!(flat.contains("b: f32[32] -0 -1 -2 -3") && flat.contains("c: f32[32] 0 2 4 6"), "{flat}");
    // Outside, by the boundary modes that are no faults.
    let text = surface(
        FOUR,
        "surf2Dwrite(9.0f, s, i * 4, 5, cudaBoundaryModeZero);
         c[i] = surf2Dread<float>(s, i * 4 - 8, 0, cudaBoundaryModeClamp) + surf2Dread<float>(s, i * 4, 4, cudaBoundaryModeZero);",
    );
    let (flat, code) = said(&text, &[]);
    assert_eq!(code, Some(0), "{flat}");
    assert!(flat.contains("b: f32[32] 0 1 2 3") && flat.contains("c: f32[32] 0 0 0 1 2 3 4 5"), "{flat}");
    // Bytes, four at once, in two kernels.
    let lines = "//@ surface s: u8x4[8, 2] = bytes\n//@ texture t: u8x4[8, 2] = bytes\n//@ launch w<<<1, 16>>>(s)\n\
                 //@ launch k<<<1, 32>>>(s, t, c)\n\
                 __global__ void w(cudaSurfaceObject_t s) { unsigned char i = threadIdx.x;
                 surf2Dwrite(make_uchar4(i, 1, 2, i), s, i % 8 * 4, i / 8); }\n";
    let (flat, code) = said(&surface(lines, "c[i] = tex2D<uchar4>(t, i % 8, i / 8).w;"), &[]);
    assert_eq!(code, Some(0), "{flat}");
    assert!(flat.contains("bytes: u8[64] 0 1 2 0 1 1 2 1") && flat.contains("c: f32[32] 0 1 2 3"), "{flat}");
}

#[test]
fn misuse_is_found() {
    let cases = [
        // x counts bytes.
        (
            "surf2Dwrite(1.0f, s, i % 8, i / 8);",
            "BAD TEXTURE ACCESS",
            "x counts bytes, and 4 of them begin at a multiple of 4",
        ),
        (
            "surf2Dwrite(1.0f, s, i * 4, 0);",
            "BAD TEXTURE ACCESS",
            "surf2Dwrite at x = 32 (bytes), y = 0 of `s`, which has rows of 8 texels of 4 bytes, 4 rows",
        ),
        ("c[i] = surf2Dread<float>(s, 0, i - 1);", "BAD TEXTURE ACCESS", "surf2Dread at x = 0 (bytes), y = -1 of `s`"),
        ("c[i] = tex3D<float>(t, 0, 0, 0);", "BAD TEXTURE ACCESS", "tex3D is given `t`, a texture of 2 dimensions"),
        ("c[i] = tex2D<float>(s, 0, 0);", "BAD TEXTURE ACCESS", "tex2D is given `s`, a surface of 2 dimensions"),
        ("c[i] = tex2D<int>(t, 0, 0);", "BAD TEXTURE ACCESS", "tex2D asks `t` for integers, and it gives floats"),
        (
            "c[i] = tex2D<float>(t + 7, 0, 0);",
            "BAD TEXTURE ACCESS",
            "which is no texture or surface object of this launch",
        ),
        // What was written in the launch cannot be read, not even by its thread.
        (
            "surf2Dwrite(1.0f, s, i % 8 * 4, i / 8); c[i] = surf2Dread<float>(s, i % 8 * 4, i / 8);",
            "RACE",
            "read-only cache",
        ),
        // Two threads, one texel.
        (
            "c[i] = i; if (i == 0) surf2Dwrite(c[0], s, 0, 0); if (i == 1) surf2Dwrite(2.0f, s, 0, 0);",
            "RACE",
            "in global memory",
        ),
    ];
    for (body, verdict, says) in cases {
        let (flat, code) = said(&surface(FOUR, body), &["--schedule", "adversarial:0"]);
        assert_eq!(code, Some(1), "{body}: {flat}");
        assert!(flat.contains(verdict) && flat.contains(says), "{body}: {flat}");
    }
    // A surface of an input, a texture of what nobody wrote.
    let lines = "//@ surface s: f32[8, 4] = a\n//@ texture t: f32[8, 4] = c\n//@ launch k<<<1, 32>>>(s, t, b)\n";
    let (flat, _) = said(&surface(lines, "surf2Dwrite((float)i, s, i % 8 * 4, i / 8);"), &[]);
    assert!(flat.contains("INPUT CHANGED"), "{flat}");
    let (flat, _) = said(&surface(lines, "c[i] = tex2D<float>(t, i % 8, i / 8);"), &[]);
    assert!(flat.contains("UNINITIALISED READ") && flat.contains("`c["), "{flat}");
}

#[test]
fn a_line_that_cannot_be_is_refused_at_its_place() {
    let cases = [
        ("//@ texture t: f32[8, 4] = a, blurred", "3:31", "unknown option `blurred`"),
        ("//@ texture t: f32x3[8, 4] = a", "3:16", "a texel has 1, 2 or 4 channels"),
        ("//@ texture t: f64[8, 4] = a", "3:16", "no texel has channels of f64"),
        ("//@ texture t: f32[8, 4] = a, wrap", "3:31", "are for coordinates from 0 to 1"),
        ("//@ texture t: u32[8, 4] = a, linear", "3:31", "`linear` is between floats"),
        ("//@ texture t: f32[8, 4] = a, normalized_float", "3:31", "integers of 8 and 16 bits"),
        ("//@ texture t: f32[8, 5] = a", "3:28", "`a` has 128 bytes, and the texels of `t` take 160"),
        ("//@ texture t: f32[8, 0] = a", "3:23", "a height of 0; it must be 1 to 65536"),
        ("//@ texture t: f32[8, 4] = 7", "3:28", "the texels of `t` are a buffer's"),
        ("//@ texture t: f32[4, 2, 4] = a, cubemap", "3:20", "square faces"),
        ("//@ texture t: f32[4] = a, layered", "3:13", "[W, LAYERS] or [W, H, LAYERS]"),
        ("//@ surface t: f32[8, 4] = a, linear", "3:31", "one of layered, cubemap"),
        ("//@ texture t: f32[8, 4] = a\n//@ let n = t + 1", "4:13", "`t` is a texture or surface"),
        ("//@ constant v = 5", "3:18", "constant VARIABLE = {f32 0.5}"),
    ];
    for (line, place, says) in cases {
        let text = format!(
            "//@ in a: f32[32] = iota\n//@ out c: f32[1]\n{line}\n//@ launch k<<<1, 1>>>(c)\n\
             __constant__ float v;\n__global__ void k(float *c) {{ *c = v; }}\n"
        );
        let (flat, code) = said(&text, &[]);
        assert_eq!(code, Some(1), "{line}: {flat}");
        assert!(flat.contains(&format!("own.cu:{place}")) && flat.contains(says), "{line}: {flat}");
    }
    let (flat, code) =
        said("//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\n__global__ void k(cudaTextureObject_t t) {}\n", &[]);
    assert_eq!(code, Some(1), "{flat}");
    assert!(flat.contains("`c` is a buffer of f32"), "{flat}");
}

/// Lines made for a file without any have its textures, as its kernels read them.
#[test]
fn made_lines_have_textures() {
    let text = "__global__ void k(cudaTextureObject_t image, cudaTextureObject_t table, cudaSurfaceObject_t to, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        float4 texel = tex2D<float4>(image, x, y);
        surf2Dwrite(texel.x + tex1Dfetch<unsigned char>(table, y), to, x * 4, y); }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let asked = run(folder.path(), text, &[]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    let lines: Vec<&str> = asked.stderr.lines().filter(|line| line.starts_with("//@")).collect();
    for line in [
        "//@ texture image: f32x4[width, height] = image_texels",
        "//@ texture table: u8[4096] = table_texels",
        "//@ surface to: f32[width, height] = to_texels",
    ] {
        assert!(lines.contains(&line), "{lines:#?}");
    }
    let ran = run(folder.path(), &format!("{}\n{text}", lines.join("\n")), &[]);
    assert_eq!(ran.code, Some(0), "{lines:#?} {ran:?}");
}

/// CUDA has no texture references any more, and a file that has one is told what to do.
#[test]
fn a_texture_reference_is_told_what_it_should_be() {
    let text = "//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\ntexture<float, 2, cudaReadModeElementType> image;\n\
                __global__ void k(float *c) { *c = tex2D(image, 1.0f, 2.0f); }\nint main() {}\n";
    let (flat, code) = said(text, &[]);
    assert_eq!(code, Some(1), "{flat}");
    assert!(
        flat.contains("`image` (line 3) is a texture reference, which CUDA 12 dropped: let the kernel take a `cudaTextureObject_t`"),
        "{flat}"
    );
}

/// A structure is put into a variable.
#[test]
fn a_variable_takes_a_structure() {
    let text = "//@ out c: f32[4]\n//@ in a: f32[4] = iota\n//@ constant params = {{1.0f, 2.0f, 3.0f}, 2, a + 1}\n\
                //@ launch k<<<1, 4>>>(c)\nstruct Params { float3 scale; int shift; const float *a; };\n\
                __constant__ Params params;\n\
                __global__ void k(float *c) { c[threadIdx.x] = params.scale.y * (params.shift + threadIdx.x) + params.a[0]; }\n";
    let (flat, code) = said(text, &[]);
    assert_eq!(code, Some(0), "{flat}");
    assert!(flat.contains("c: f32[4] 5 7 9 11"), "{flat}");
    let (flat, code) = said(&text.replace("a + 1}", "a + 1, 0, 0}"), &[]);
    assert_eq!(code, Some(1), "{flat}");
    assert!(flat.contains("the structure has 32 bytes, `params` has 24"), "{flat}");
}
