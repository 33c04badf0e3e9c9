//! Signatures: which arguments fit which parameters.

use super::param::param;
use super::*;

/// Symbols as NVRTC 13 writes them.
#[test]
fn symbols_spell_the_parameters() {
    let cases = [
        ("_Z2bsILi256EEvPKfPfi", "const float*, float*, int"),
        ("_Z3bs2ILi256ELb1EL4Mode1EEvPK6float4PS1_m", "const float4*, float4*, unsigned long"),
        ("_Z3twoIfdEvPKT_PKT0_PS0_PS3_S0_", "const float*, const double*, float*, double*, float"),
        ("_ZN2ns36_GLOBAL__N__00000000_4_t_cu_c67081f74anonEPKfPf", "const float*, float*"),
        ("_ZN2ns1kI7__half2EEvPKT_PS2_j", "const __half2*, __half2*, unsigned int"),
        ("_Z4nonev", ""),
        (
            "_Z5typesPKvP6__halfP13__nv_bfloat16PcPaPhstlmxybdS1_PVi1SPSA_4ModePPfP5uint4P9longlong2PA4_Kf",
            "const void*, __half*, __nv_bfloat16*, char*, signed char*, unsigned char*, short, unsigned short, long, \
                 unsigned long, long long, unsigned long long, bool, double, __half, int volatile*, S, S*, Mode, float**, \
                 uint4*, longlong2*, float const (*) [4]",
        ),
    ];
    for (symbol, want) in cases {
        let count = if want.is_empty() { 0 } else { want.split(", ").count() };
        let words: Vec<String> = parameters(symbol, &vec![8; count])
            .iter()
            .map(|param| param.words().trim_matches('`').to_string())
            .collect();
        assert_eq!(words.join(", "), want, "{symbol}");
    }
}

#[test]
fn pointers_take_buffers_of_their_elements() {
    let cases: [(&str, &[DType]); 18] = [
        ("float const*", &[F32]),
        ("float4*", &[F32]),
        ("double2 const*", &[F64]),
        ("double4_16a*", &[F64]),
        ("__half2*", &[F16]),
        ("__nv_bfloat162 const*", &[Bf16]),
        ("__nv_bfloat16*", &[Bf16]),
        ("uchar4*", &[U8]),
        ("char*", &[I8, U8]),
        ("unsigned long long*", &[U64]),
        ("longlong2*", &[I64]),
        ("int volatile*", &[I32]),
        ("void const*", &DType::ALL),
        ("Point*", &DType::ALL),
        ("float**", &[U64]),
        ("Point* const*", &[U64]),
        ("float const (*) [4]", &[F32]),
        ("unsigned char (*) [16][3]", &[U8]),
    ];
    for (ty, takes) in cases {
        for dtype in DType::ALL {
            let fits = fit(Arg::Buffer(0), Some(("b", dtype)), &param(ty, 8)).is_ok();
            assert_eq!(fits, takes.contains(&dtype), "{ty} and {dtype}");
        }
    }
    // What stands between `<` and `>` is the class's own affair.
    for ty in [
        "cuda::std::__4::atomic<int, (cuda::std::__4::thread_scope)1>*",
        "cuda::std::__4::atomic<int, (cuda::std::__4::thread_scope)1> const*",
        "Pair<float*, int&>*",
        "Array<float [4], Op<(Mode)1> >*",
        "Call<void (*)(float*)>*",
    ] {
        assert!(matches!(param(ty, 8), Param::Pointer { to: Pointee::Any, .. }), "{ty}");
        let addresses = format!("{ty}*");
        let elements = matches!(param(&addresses, 8), Param::Pointer { to: Pointee::Elements(&[U64]), .. });
        assert!(elements, "{addresses}");
    }
    // A namespace without a name.
    let hidden = "(anonymous namespace)::P";
    assert!(matches!(param(&format!("{hidden}*"), 8), Param::Pointer { to: Pointee::Any, .. }));
    assert!(matches!(param(hidden, 8), Param::Structure { .. }));
    assert!(matches!(param(&format!("{hidden}&"), 8), Param::Unsupported { .. }));
    let flag = parameters("_Z1kPN4cuda3std3__46atomicIiLNS1_12thread_scopeE1EEEPi", &[8, 8]);
    assert!(matches!(flag[..], [Param::Pointer { to: Pointee::Any, .. }, Param::Pointer { .. }]), "{flag:?}");
    for ty in ["Pair<float*, int&>", "Op<(Mode)1>", "Call<void (*)(float*)>"] {
        assert!(matches!(param(ty, 8), Param::Structure { .. }), "{ty}");
    }
    for ty in ["Pair<float*, int> (*) [4]", "Op<(Mode)1>&", "Op<(Mode)1>***", "Op<1> (*) (Op<1>)"] {
        assert!(matches!(param(ty, 8), Param::Unsupported { .. }), "{ty}");
    }
    for ty in ["float***", "float* (*) [4]", "float (*) (float)", "float (*&) [4]", "S&"] {
        assert!(matches!(param(ty, 8), Param::Unsupported { .. }), "{ty}");
    }
    for ty in ["S", "float4", "__half2", "Mode"] {
        assert!(matches!(param(ty, 8), Param::Structure { .. }), "{ty}");
    }
}

#[test]
fn integers_are_narrowed_only_when_they_fit() {
    let cases = [
        ("int", -2_147_483_648, true),
        ("int", 2_147_483_648, false),
        ("unsigned int", 4_294_967_295, true),
        ("unsigned int", -1, false),
        ("unsigned char", 256, false),
        ("signed char", -128, true),
        ("unsigned long", -1, false),
        ("long long", i64::MIN, true),
        ("bool", 1, true),
        ("bool", 2, false),
    ];
    for (ty, value, fits) in cases {
        assert_eq!(fit(Arg::Int(value), None, &param(ty, 8)).is_ok(), fits, "{value} for {ty}");
    }
    assert_eq!(fit(Arg::Int(3), None, &param("float", 4)), Ok(Arg::Real(3.0)));
    assert_eq!(fit(Arg::Real(1.5), None, &param("__half", 4)), Ok(Arg::Int(0x3e00)));
    assert_eq!(fit(Arg::Real(1.5), None, &param("__nv_bfloat16", 4)), Ok(Arg::Int(0x3fc0)));
    assert!(fit(Arg::Real(1.5), None, &param("int", 4)).is_err());
    assert!(fit(Arg::Int(70_000), None, &Param::Opaque { bytes: 2 }).is_err());
}

/// A file without sizes, and its plan.
fn planned(text: &str) -> (KernelFile, plan::Plan) {
    let file = KernelFile::parse(std::path::Path::new("kernel.cu"), text).unwrap();
    let context = crate::PlanContext {
        sizes: Default::default(),
        device: crate::DeviceShape::H200,
        active_blocks: &|_, _, _| Ok(1),
    };
    let plan = file.plan(&context, &[]).unwrap();
    (file, plan)
}

#[test]
fn a_wrong_launch_is_shown_at_its_argument() {
    let text = "template <int B> __global__ void block_sum(const float *, float *, int) {}\n\
                    //@ in a: f32[8] = iota\n\
                    //@ out c: i32[8]\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, c, 8)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, a)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, 0.5)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a)\n\
                    //@ launch block_sum<256><<<1, 256>>>(1, a, 3)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, 1 << 31)\n";
    let (file, mut plan) = planned(text);
    let params = parameters("_Z9block_sumILi256EEvPKfPfi", &[8, 8, 4]);
    let all: Vec<String> = (0..plan.launches.len())
        .map(|launch| check(&file, &mut plan, launch, &params).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

/// Whoever wants wide loads of narrow numbers is told how they are written.
#[test]
fn a_vector_of_other_numbers_is_for_a_cast_inside_the_kernel() {
    let text = "__global__ void k(const uint4*, float*) {}\n//@ in a: u16[8] = iota\n//@ out c: i32[8]\n//@ launch k<<<1, 32>>>(a, c)\n";
    let (file, mut plan) = planned(text);
    let told = |plan: &mut plan::Plan, mangled: &str| {
        check(&file, plan, 0, &parameters(mangled, &[8, 8])).unwrap_err().to_string()
    };
    let wide = told(&mut plan, "_Z1kPK5uint4Pi");
    assert!(wide.contains("`a` is a buffer of u16: take the buffer's own type and cast inside the kernel"), "{wide}");
    let words = told(&mut plan, "_Z1kPKiPi");
    assert!(words.contains("`a` is a buffer of u16: take the buffer's own type and cast inside the kernel"), "{words}");
    let other = told(&mut plan, "_Z1kPKtPf");
    assert!(other.contains("`c` is a buffer of i32\n"), "{other}");
}
