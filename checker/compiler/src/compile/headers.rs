//! Headers that NVRTC lacks and learners use: given to NVRTC in memory.
//!
//! [`PRELUDE`] is included before every source, without moving its lines: it has what nvcc's implicit
//! `#include <cuda_runtime.h>` brings. Standard C headers repeat what the prelude has; standard C++ headers lead to
//! libcu++, CUDA's own version of them.

/// Included before the source.
pub const PRELUDE: &str = "warpbook_prelude.h";

/// Included before a file that is read as its owner wrote it: the same and the parts of `std` that device code uses.
pub const OWN_PRELUDE: &str = "warpbook_own.h";

const NOTHING: &str = "#pragma once\n";
const CUBLAS: &str = include_str!("headers/cublas.h");
const CUFFT: &str = include_str!("headers/cufft.h");
const HELPER_MATH: &str = include_str!("headers/helper_math.h");

/// A header of C++20 as CUDA's own one of that name has it.
macro_rules! in_std {
    ($name:literal) => {
        concat!("#pragma once\n#include <cuda/std/", $name, ">\nnamespace std {\nusing namespace cuda::std;\n}\n")
    };
}

/// Is the header so often copied beside files that a copy there is taken before the one in memory?
pub fn yields(name: &str) -> bool {
    matches!(name, "helper_math.h" | "cutil_math.h")
}

/// All headers in memory, as (name, text).
pub const ALL: &[(&str, &str)] = &[
    (PRELUDE, include_str!("headers/prelude.h")),
    (OWN_PRELUDE, include_str!("headers/own.h")),
    ("assert.h", NOTHING),
    ("cassert", NOTHING),
    ("cctype", NOTHING),
    ("cerrno", NOTHING),
    ("cfloat", NOTHING),
    ("climits", NOTHING),
    ("cmath", include_str!("headers/cmath.h")),
    ("cstddef", include_str!("headers/cstdint.h")),
    ("cstdint", include_str!("headers/cstdint.h")),
    ("cstdio", NOTHING),
    ("cstdlib", NOTHING),
    ("cstring", NOTHING),
    ("cub/cub.cuh", include_str!("headers/cub.h")),
    ("cublas.h", CUBLAS),
    ("cublasLt.h", CUBLAS),
    ("cublas_v2.h", CUBLAS),
    ("cuda.h", include_str!("headers/cuda.h")),
    ("cuda_profiler_api.h", NOTHING),
    ("cufft.h", CUFFT),
    ("cufftXt.h", CUFFT),
    ("cutil_math.h", HELPER_MATH),
    ("device_launch_parameters.h", NOTHING),
    ("errno.h", NOTHING),
    ("float.h", NOTHING),
    ("helper_math.h", HELPER_MATH),
    ("inttypes.h", NOTHING),
    ("limits.h", NOTHING),
    ("math.h", NOTHING),
    ("memory.h", NOTHING),
    ("stdbool.h", NOTHING),
    ("stddef.h", NOTHING),
    ("stdint.h", NOTHING),
    ("stdio.h", NOTHING),
    ("stdlib.h", NOTHING),
    ("string.h", NOTHING),
    ("time.h", NOTHING),
    ("bit", in_std!("bit")),
    ("compare", include_str!("headers/compare.h")),
    ("concepts", in_std!("concepts")),
    ("numbers", in_std!("numbers")),
    ("span", in_std!("span")),
    ("array", "#pragma once\n#include <cuda/std/array>\nnamespace std { using cuda::std::array; }\n"),
    ("limits", "#pragma once\n#include <cuda/std/limits>\nnamespace std { using cuda::std::numeric_limits; }\n"),
    ("tuple", include_str!("headers/tuple.h")),
    ("type_traits", include_str!("headers/type_traits.h")),
    ("utility", include_str!("headers/utility.h")),
];
