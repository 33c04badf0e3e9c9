use crate::steer::{Aim, Element, Goal, Input, Made, Origin, Parameter, SteerRequest};
use crate::{Arg, Config, Device, Launch, Module, Question};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs 64 threads that load their own word of `x` into `%r5` and their right neighbour's into `%r6`, asks for inputs by which the only
/// predicate with but one outcome has the other, and runs again over these: does it?
fn turns(element: Element, (low, high): (f64, f64), body: &str) -> bool {
    let ptx = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<19>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .b64 %d<9>; .shared .b32 s[64];\n\
         ld.param.u64 %d1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n\
         ld.global.u32 %r5, [%d3];\nld.global.u32 %r6, [%d3+4];\n{body}\nret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&ptx).expect("PTX"));
    let mut input = Input { address: 0, bytes: Vec::new(), element, low, high };
    input.bytes = (0..65u64).flat_map(|at| (input.draw(4, 1000 + at) as u32).to_le_bytes()).collect();
    let run = |bytes: &[u8], config: Config, input: Option<&Input>, wanted: BTreeSet<(u32, Aim)>, goals: Vec<Goal>| {
        let mut device = Device::new(Arc::clone(&module), config);
        let address = device.alloc("x", bytes.len() as u64).expect("memory");
        device.write(address, bytes).expect("bytes");
        let input = input.map(|input| Input { address, ..input.clone() });
        device.config_mut().steer = input.map(|input| SteerRequest {
            wanted,
            goals,
            inputs: vec![input],
            parameters: Vec::new(),
            seed: 5,
            steps: 1 << 20,
        });
        let args = vec![Arg::Pointer(address)];
        let launch =
            Launch { kernel: "k".into(), grid: [1; 3], block: [64, 1, 1], shared: 0, args, cooperative: false };
        (address, device.launch(&launch).expect("a launch"))
    };
    let asking = || Config { conditions: true, ..Config::default() };
    let (_, report) = run(&input.bytes, asking(), None, BTreeSet::new(), Vec::new());
    let open = report.conditions.iter().filter(|condition| !condition.by_size);
    let wanted: BTreeSet<(u32, Aim)> = open.filter_map(|condition| Some((condition.at, condition.aim()?))).collect();
    assert!(!wanted.is_empty(), "it has come out both ways already: {:?}", report.conditions);
    let (address, report) = run(&input.bytes, Config::default(), Some(&input), wanted.clone(), Vec::new());
    let (goals, mut found): (Vec<_>, Vec<_>) = report.steered.into_iter().partition(|one| !one.goal.is_empty());
    if !goals.is_empty() {
        // What was passed on has to be made: asked of the same memory.
        let goals =
            goals.into_iter().map(|one| Goal { at: one.at, aim: one.aim, words: one.goal, changes: one.changes });
        let (again, more) = run(&input.bytes, Config::default(), Some(&input), BTreeSet::new(), goals.collect());
        assert_eq!(again, address);
        found.extend(more.steered);
    }
    found.iter().any(|steered| {
        let mut bytes = input.bytes.clone();
        for (place, word) in &steered.changes {
            let at = (place - address) as usize;
            bytes[at..at + word.len()].copy_from_slice(word);
            let word = u64::from(u32::from_le_bytes(word[..].try_into().expect("a word")));
            assert!(input.allows(word, 4), "{word:x}");
        }
        let (_, again) = run(&bytes, asking(), None, BTreeSet::new(), Vec::new());
        let (last, aim) = *wanted.last().expect("one");
        !again.conditions.iter().any(|condition| condition.at == last && condition.aim() == Some(aim))
    })
}

/// All words there are.
const WORD: (f64, f64) = (0.0, 4294967295.0);

#[test]
fn bits_under_a_mask_are_found() {
    let whole = |body: &str| turns(Element::Unsigned(4), WORD, body);
    assert!(whole("and.b32 %r7, %r5, 0xffffff;\nsetp.eq.u32 %p1, %r7, 0x2aaaa5;"));
    assert!(whole("shr.u32 %r7, %r5, 12;\nsetp.ne.u32 %p1, %r7, 0x54321;"));
    assert!(
        whole("xor.b32 %r7, %r5, 0x1234567;\nmad.lo.u32 %r8, %r7, 69069, 12345;\nsetp.eq.u32 %p1, %r8, 77;"),
        "a product"
    );
    assert!(!whole("and.b32 %r7, %r5, 0xffffff;\nsetp.eq.u32 %p1, %r7, 0x1000000;"), "nothing is like that");
}

/// What tells of a word whether it is a certain one, and makes no predicate.
#[test]
fn numbers_that_stand_for_a_condition_turn() {
    let whole = |body: &str| turns(Element::Unsigned(4), WORD, &format!("xor.b32 %r7, %r5, 0x2aaaa5c3;\n{body}"));
    assert!(whole("neg.s32 %r8, %r7;\nor.b32 %r9, %r7, %r8;\nshr.s32 %r10, %r9, 31;"), "the sign of d | -d");
    assert!(whole("not.b32 %r8, %r7;\nadd.s32 %r9, %r7, -1;\nand.b32 %r10, %r8, %r9;\nshr.u32 %r11, %r10, 31;"));
    assert!(whole("clz.b32 %r8, %r7;\nshr.u32 %r9, %r8, 5;"), "32 leading zeros");
    assert!(whole("min.u32 %r8, %r7, 1;"));
    assert!(whole("cvt.rn.f32.u32 %f1, %r7;\ncvt.sat.f32.f32 %f2, %f1;"));
    assert!(whole("cvt.rn.f32.u32 %f1, %r7;\nmov.f32 %f2, 0f3f800000;\nsub.sat.f32 %f3, %f2, %f1;"));
    assert!(!whole("or.b32 %r8, %r7, 1;\nmin.u32 %r9, %r8, 1;"), "never zero");
}

/// Whatever operation makes a number that always comes to the same: what it is computed from leads to where it does not.
#[test]
fn numbers_that_always_come_to_the_same_turn() {
    let whole = |body: &str| turns(Element::Unsigned(4), WORD, &format!("xor.b32 %r7, %r5, 0x2aaaa5c3;\n{body}"));
    assert!(whole("cnot.b32 %r8, %r7;"));
    assert!(whole("shl.b32 %r8, 1, %r7;\nand.b32 %r9, %r8, 1;"), "a shift as a clamp");
    assert!(whole("bfind.u32 %r8, %r7;\nadd.u32 %r9, %r8, 1;\nclz.b32 %r10, %r9;\nand.b32 %r11, %r10, 32;"));
    assert!(whole("add.cc.u32 %r8, %r7, -1;\naddc.u32 %r9, 0, 0;"), "a carry");
    assert!(whole("mul.wide.u32 %d4, %r7, 3;\nadd.s64 %d5, %d4, -1;\nshr.u64 %d6, %d5, 63;"));
    assert!(whole("cvt.rn.f32.u32 %f1, %r7;\nneg.f32 %f2, %f1;\nex2.approx.f32 %f3, %f2;\ncvt.rzi.s32.f32 %r8, %f3;"));
    assert!(whole(
        "cvt.rn.f32.u32 %f1, %r7;\nmul.f32 %f2, %f1, 0f7f800000;\nmul.f32 %f3, %f2, 0f00000000;\nsetp.num.f32 %p1, %f2, %f2;"
    ));
    assert!(!whole("or.b32 %r8, %r7, 1;\ncnot.b32 %r9, %r8;"), "never zero");
}

/// What lies on both sides of two thresholds, one apart, has never been between them.
#[test]
fn numbers_whose_order_is_asked_are_made_equal() {
    let whole = |body: &str| turns(Element::Unsigned(4), WORD, body);
    assert!(whole("setp.ge.u32 %p1, %r5, 0x9abc1234;\nselp.u32 %r7, 1, 0, %p1;"));
    assert!(!whole("or.b32 %r7, %r5, 1;\nsetp.gt.u32 %p1, %r7, 0x9abc1234;"), "odd and even");
}

#[test]
fn a_part_of_an_element_is_one_of_it() {
    let half = "ld.global.u16 %r7, [%d3+2];\ncvt.u16.u32 %h1, %r7;\nsetp.eq.s16 %p1, %h1, 4660;";
    assert!(turns(Element::Unsigned(4), WORD, half));
    let byte = "ld.global.s8 %r7, [%d3+1];\nld.global.u8 %r8, [%d3+6];\nmul.lo.s32 %r9, %r7, %r8;\nsetp.eq.s32 %p1, %r9, -8265;";
    assert!(turns(Element::Signed(4), (-2e9, 2e9), byte), "-57 times 145, of two elements");
}

#[test]
fn two_words_are_found_together() {
    let whole = |body: &str| turns(Element::Signed(4), (-1e6, 1e6), body);
    assert!(whole("setp.eq.s32 %p1, %r5, %r6;"));
    assert!(whole("setp.eq.s32 %p1, %r5, 777;\nsetp.eq.s32 %p2, %r6, -776;\nand.pred %p3, %p1, %p2;"));
    assert!(whole(
        "add.s32 %r7, %r5, %r6;\nsetp.ne.s32 %p1, %r7, 123456;\nsetp.lt.s32 %p2, %r5, %r6;\nor.pred %p3, %p1, %p2;"
    ));
    assert!(!whole("add.s32 %r7, %r5, %r6;\nsetp.eq.s32 %p1, %r7, 2000001;"), "too far");
}

#[test]
fn a_narrow_interval_of_reals_is_found() {
    let real = |body: &str| turns(Element::F32, (-1.0, 1.0), body);
    let between = "mov.b32 %f1, %r5;\nsetp.gt.f32 %p1, %f1, 0f3f3ae148;\nsetp.lt.f32 %p2, %f1, 0f3f3ae14a;\nand.pred %p3, %p1, %p2;";
    assert!(real(between));
    assert!(
        real("mov.b32 %f1, %r5;\nmul.f32 %f2, %f1, 0f447a0000;\nsetp.eq.f32 %p1, %f2, 0f43b98000;"),
        "a thousand times it is 371"
    );
    assert!(!real("mov.b32 %f1, %r5;\nsetp.ge.f32 %p1, %f1, 0f3f800000;"), "1 is no number of the interval");
}

#[test]
fn what_comes_through_shared_memory_or_a_branch_is_known_by_its_value() {
    let stored = "mov.u32 %r9, s;\nmad.lo.u32 %r10, %r1, 4, %r9;\nst.shared.u32 [%r10], %r5;\nbar.sync 0;\nxor.b32 %r11, %r10, 4;\n\
                  ld.shared.u32 %r12, [%r11];\nand.b32 %r13, %r12, 0xfffff;\nsetp.eq.u32 %p1, %r13, 0x54321;";
    assert!(turns(Element::Unsigned(4), WORD, stored));
    let chosen = "mov.u32 %r7, 0;\nsetp.gt.u32 %p1, %r1, 60;\n@%p1 bra L;\nmov.u32 %r7, %r5;\nL:\nand.b32 %r8, %r7, 0xfffff;\n\
                  setp.eq.u32 %p2, %r8, 0x54321;";
    assert!(turns(Element::Unsigned(4), WORD, chosen));
}

/// Bits of a ballot, groups of equal lanes, and what several numbers of all lanes come to: each lane has to hand in its own part.
#[test]
fn what_is_put_together_of_all_lanes_is_made_lane_by_lane() {
    let whole = |body: &str| turns(Element::Signed(4), (-1000.0, 1000.0), body);
    let ballot = "setp.gt.s32 %p1, %r5, 0;\nvote.sync.ballot.b32 %r7, %p1, 0xffffffff;\n";
    assert!(whole(&format!("{ballot}setp.eq.u32 %p2, %r7, 0x5a5a00ff;")));
    assert!(whole(&format!("{ballot}and.b32 %r8, %r7, 0xffff00;\nsetp.eq.u32 %p2, %r8, 0xf00f00;")), "some of them");
    assert!(whole(
        "setp.gt.s32 %p1, %r5, 0;\nvote.sync.ballot.b32 %r7, !%p1, 0xffffffff;\nsetp.eq.u32 %p2, %r7, 0x80000001;"
    ));
    assert!(!whole(
        "setp.gt.s32 %p1, %r5, 1000;\nvote.sync.ballot.b32 %r7, %p1, 0xffffffff;\nsetp.eq.u32 %p2, %r7, 2;"
    ));
    assert!(whole("match.any.sync.b32 %r7, %r5, 0xffffffff;\nsetp.eq.u32 %p2, %r7, 0xffff;"), "16 equal ones");
    let both =
        "redux.sync.min.s32 %r7, %r5, 0xffffffff;\nredux.sync.max.s32 %r8, %r5, 0xffffffff;\nsub.s32 %r9, %r8, %r7;\n";
    assert!(whole(&format!("{both}setp.eq.s32 %p2, %r9, 77;")), "the largest is 77 more than the least");
    assert!(!whole(&format!("{both}setp.eq.s32 %p2, %r9, 2001;")), "too far");
}

/// As often as it stands in the inputs.
#[test]
fn what_one_of_two_loads_has_brought_is_known() {
    let guarded = "mov.u32 %r7, 0;\nsetp.lt.u32 %p1, %r1, 60;\n@%p1 ld.global.u32 %r7, [%d3];\n\
                   setp.eq.s32 %p2, %r7, 5;\nsetp.eq.s32 %p3, %r1, 33;\nand.pred %p4, %p2, %p3;\n\
                   setp.eq.s32 %p5, %r6, 2;\nand.pred %p6, %p4, %p5;";
    assert!(turns(Element::Signed(4), (0.0, 6.0), guarded), "of ten equal elements that of one thread");
}

#[test]
fn sizes_are_found_by_what_is_asked_of_parameters() {
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u32 rows, .param .u32 cols)\n{\n\
               .reg .pred %p<9>; .reg .b32 %r<19>;\nld.param.u32 %r1, [rows];\nld.param.u32 %r2, [cols];\nmov.u32 %r3, %tid.x;\n\
               shl.b32 %r4, %r1, 1;\nsetp.eq.s32 %p1, %r2, %r4;\nsetp.gt.s32 %p2, %r2, 600;\nadd.s32 %r5, %r2, -1;\nsetp.eq.s32 %p3, %r3, %r5;\n\
               and.pred %p4, %p1, %p2;\nret;\n}\n";
    let module = Arc::new(Module::parse(ptx).expect("PTX"));
    // 24 rows, 3 eights of columns.
    let size = |value: i64| Input {
        address: 0,
        bytes: value.to_le_bytes().to_vec(),
        element: Element::Signed(8),
        low: 1.0,
        high: 5000.0,
    };
    let inputs = vec![Input { address: 8, ..size(24) }, Input { address: 16, ..size(3) }];
    let parameters = vec![
        Parameter { from: Origin::Offset(8), input: 0, made: Made::ITSELF },
        Parameter { from: Origin::Offset(12), input: 1, made: Made { times: 8, ..Made::ITSELF } },
    ];
    let device = Device::new(Arc::clone(&module), Config { conditions: true, ..Config::default() });
    let launch = |mut device: Device| {
        let number = |number: u32| Arg::Bytes(number.to_le_bytes().to_vec());
        let args = vec![Arg::Pointer(0), number(24), number(24)];
        let launch =
            Launch { kernel: "k".into(), grid: [1; 3], block: [32, 1, 1], shared: 0, args, cooperative: false };
        device.launch(&launch).expect("a launch")
    };
    let conditions = launch(device).conditions;
    let last = conditions.iter().filter(|one| one.by_size && one.question == Question::True).map(|one| one.at).max();
    let wanted = BTreeSet::from([(last.expect("a condition"), Aim::Is(true))]);
    let steer = Some(SteerRequest { wanted, goals: Vec::new(), inputs, parameters, seed: 7, steps: 1 << 20 });
    let steered = launch(Device::new(module, Config { steer, ..Config::default() })).steered;
    let size = |address: u64, before: i64| {
        let found = steered[0].changes.iter().find(|(at, _)| *at == address);
        found.map_or(before, |(_, bytes)| i64::from_le_bytes(bytes[..].try_into().expect("a word")))
    };
    let (rows, eights) = (size(8, 24), size(16, 3));
    assert!(8 * eights == 2 * rows && 8 * eights > 600, "{rows} {eights}");
}
