use super::{Block, Code, Unit};

/// Of lines of machine code; a label without a dot is a function's.
fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut text = "\t.section\t.text.k,\"ax\"\n".to_owned();
    let mut address = 0;
    for line in lines {
        if line.ends_with(':') {
            text += &format!("{line}\n");
        } else {
            text += &format!("/*{address:04x}*/ {line} ;\n");
            address += 16;
        }
    }
    Code::of(&sass::listing::parse(&text).kernels[0], &[]).blocks
}

#[test]
fn units_of_what_matches() {
    let unit = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].unit;
    assert_eq!(unit("MATCH.ANY R3, R3"), Unit::Match);
    assert_eq!(unit("MATCH.ALL PT, R3, R3"), Unit::Special);
}

#[test]
fn pauses_that_run() {
    let pause = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].pause;
    assert_eq!(pause("NANOSLEEP 0xfa0"), 4000);
    assert_eq!(pause("@!P0 NANOSLEEP.SYNCS 0x186a0"), 100_000);
    assert_eq!(pause("NANOSLEEP.SYNCS !PT, 0x186a0"), 100_000);
    assert_eq!(pause("NANOSLEEP R2"), 0);
    assert_eq!(pause("@!PT NANOSLEEP.SYNCS 0x186a0"), 0);
}

#[test]
fn products_of_doubles_by_their_shape() {
    let products = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].double_products;
    assert_eq!(products("DMMA.16x8x16 R24, R16, R8, R64"), 2048);
    assert_eq!(products("DMMA.8x8x4 R24, R16, R8, R64"), 256);
    assert_eq!(products("DMMA.884 R24, R16, R8, R64"), 256);
    assert_eq!(products("HMMA.16816.F32 R24, R16, R8, R64"), 0);
}

#[test]
fn units_of_what_waits() {
    let unit = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].unit;
    assert_eq!(unit("SYNCS.PHASECHK.TRANS64 PT, [UR6], R0"), Unit::Arrival);
    let group = ["LDGDEPBAR", "DEPBAR.LE SB0, 0x0", "UTMACMDFLUSH", "CCTL.IVALL"];
    assert_eq!(group.map(unit), [Unit::Group; 4]);
    assert_ne!(unit("CCTL.E.PF2 [R2]"), Unit::Group);
}

#[test]
fn a_call_is_a_slow_path_if_a_branch_goes_around_it_and_numbers_are_rare_that_need_it() {
    let slow = |function: &str| {
        let (call, label) = (format!("CALL.REL.NOINC `({function})"), format!("{function}:"));
        let lines = ["@!P0 BRA `(.L_x_1)", &call, ".L_x_1:", "EXIT", &label, "RET.REL.NODEC R6"];
        let blocks = blocks(&lines);
        let at = blocks.iter().position(|block| !block.calls.is_empty()).expect("it calls");
        assert!(blocks[blocks[at].calls[0]].root && blocks[at].ops[0].calls, "{blocks:?}");
        blocks[at].slow
    };
    assert!(slow("$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath"));
    assert!(!slow("$__internal_0_$__cuda_sm20_div_u64"));
    let name = "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath";
    let (call, label) = (format!("CALL.REL.NOINC `({name})"), format!("{name}:"));
    assert!(!blocks(&[&call, "EXIT", &label, "RET.REL.NODEC R6"]).iter().any(|block| block.slow));
}
