//! Clusters in PTX: who is where, whose memory an address is in, and what is refused.

use simulator::{
    Arg, Config, Device, FindingKind, Launch, LaunchError, LaunchReport, LaunchStatus, MemoryLocation, Module, Schedule,
};
use std::sync::Arc;

const WORDS: usize = 4096;

/// A kernel `k(u64 out)` whose threads have a word each of the output at `%rd3`, their number in the grid in `%r3`.
fn module(head: &str, body: &str) -> Arc<Module> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{head}\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<20>;\n.shared .align 8 .b8 s[256];\n.shared .align 8 .b8 t[256];\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\n\
         mov.u32 %r6, %nctaid.x;\nmad.lo.u32 %r4, %r5, %r6, %r4;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r3, %r4, %r6, %r1;\n\
         mul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\n{body}\nret;\n}}\n"
    );
    Arc::new(Module::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn launch(
    module: Arc<Module>,
    config: Config,
    grid: [u32; 3],
    block: u32,
) -> Result<(LaunchReport, Vec<u32>), LaunchError> {
    let mut device = Device::new(module, config);
    let out = device.alloc("out", 4 * WORDS as u64).expect("fits");
    device.write(out, &[0; 4 * WORDS]).expect("inside");
    let (kernel, args) = ("k".into(), vec![Arg::Pointer(out)]);
    let report = device.launch(&Launch { kernel, grid, block: [block, 1, 1], shared: 0, args, cooperative: false })?;
    let mut bytes = vec![0; 4 * WORDS];
    device.read(out, &mut bytes).expect("inside");
    Ok((report, bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()))
}

fn run(head: &str, body: &str, grid: [u32; 3], block: u32) -> (LaunchReport, Vec<u32>) {
    launch(module(head, body), Config::default(), grid, block).expect("starts")
}

/// The first finding, of a launch that it stopped.
fn stopped(head: &str, body: &str, grid: [u32; 3], block: u32) -> FindingKind {
    let (report, _) = run(head, body, grid, block);
    assert_eq!(report.status, LaunchStatus::Stopped, "{body}");
    report.findings[0].kind.clone()
}

const PAIR: &str = ".explicitcluster\n.reqnctapercluster 2, 1, 1";
const SYNC: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;";

/// A special register of every block, one thread a block.
fn special(head: &str, name: &str, grid: [u32; 3]) -> Vec<u32> {
    let (report, out) = run(head, &format!("mov.u32 %r2, {name};\nst.global.u32 [%rd3], %r2;"), grid, 1);
    assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
    out[..grid.iter().product::<u32>() as usize].to_vec()
}

#[test]
fn blocks_know_where_they_are() {
    let head = ".explicitcluster\n.reqnctapercluster 2, 2, 1";
    let of = |name| special(head, name, [4, 2, 1]);
    assert_eq!(of("%clusterid.x"), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(of("%clusterid.y"), [0; 8]);
    assert_eq!(of("%nclusterid.x"), [2; 8]);
    assert_eq!(of("%nclusterid.y"), [1; 8]);
    assert_eq!(of("%cluster_ctaid.x"), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(of("%cluster_ctaid.y"), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(of("%cluster_nctaid.y"), [2; 8]);
    assert_eq!(of("%cluster_nctaid.z"), [1; 8]);
    assert_eq!(of("%cluster_ctarank"), [0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(of("%cluster_nctarank"), [4; 8]);
    let alone = |name| special("", name, [3, 2, 1]);
    assert_eq!(alone("%clusterid.x"), [0, 1, 2, 0, 1, 2], "without clusters each has one block");
    assert_eq!(alone("%nclusterid.y"), [2; 6]);
    assert_eq!(alone("%cluster_ctarank"), [0; 6]);
    assert_eq!(alone("%cluster_nctarank"), [1; 6]);
    let explicit = |head| {
        let body = "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r2, 7, 3, %p1;\nst.global.u32 [%rd3], %r2;";
        run(head, body, [2, 1, 1], 1).1[0]
    };
    assert_eq!((explicit(PAIR), explicit("")), (7, 3));
}

#[test]
fn an_address_of_another_block() {
    // Everybody writes its rank to the other block by each kind of address, and tells whose that was.
    let kinds = [
        (
            "mapa.shared::cluster.u32 %r8, s, %r7;",
            "st.shared::cluster.u32 [%r8], %r9;",
            "getctarank.shared::cluster.u32 %r10, %r8;",
        ),
        (
            "mov.u32 %r11, s; cvt.u64.u32 %rd5, %r11; cvta.shared.u64 %rd5, %rd5; mapa.u64 %rd6, %rd5, %r7;",
            "st.u32 [%rd6], %r9;",
            "getctarank.u64 %r10, %rd6;",
        ),
        (
            "mov.u32 %r11, s; cvt.u64.u32 %rd5, %r11; mapa.shared::cluster.u64 %rd6, %rd5, %r7;",
            "st.shared::cluster.u32 [%rd6], %r9;",
            "getctarank.shared::cluster.u64 %r10, %rd6;",
        ),
    ];
    for (maps, stores, asks) in kinds {
        let body = format!(
            "mov.u32 %r9, %cluster_ctarank;\nxor.b32 %r7, %r9, 1;\n{SYNC}\n{maps}\n{stores}\n{asks}\n{SYNC}\n\
             ld.shared.u32 %r12, [s];\nmad.lo.u32 %r12, %r10, 10, %r12;\nst.global.u32 [%rd3], %r12;"
        );
        let (report, out) = run(PAIR, &body, [4, 1, 1], 1);
        assert!(report.findings.is_empty(), "{maps}: {:?}", report.findings);
        assert_eq!(out[..4], [11, 0, 11, 0], "{maps}");
    }
    let own = "mov.u32 %r9, %cluster_ctarank;\nmapa.shared::cluster.u32 %r8, s, %r9;\nst.shared.u32 [%r8+4], 5;\n\
               ld.shared.u32 %r2, [s+4];\nst.global.u32 [%rd3], %r2;";
    assert_eq!(run(PAIR, own, [2, 1, 1], 1).1[..2], [5, 5], "one's own rank gives one's own address");
}

#[test]
fn which_window_an_address_is_in() {
    let body = "mov.u32 %r9, %cluster_ctarank;\nxor.b32 %r7, %r9, 1;\nmov.u32 %r11, s;\ncvt.u64.u32 %rd5, %r11;\n\
                cvta.shared.u64 %rd5, %rd5;\nmapa.u64 %rd6, %rd5, %r7;\nmov.u32 %r2, 0;\n\
                isspacep.shared::cta %p1, %rd5;\n@%p1 add.u32 %r2, %r2, 1;\nisspacep.shared::cluster %p1, %rd5;\n@%p1 add.u32 %r2, %r2, 2;\n\
                isspacep.shared %p1, %rd6;\n@%p1 add.u32 %r2, %r2, 4;\nisspacep.shared::cluster %p1, %rd6;\n@%p1 add.u32 %r2, %r2, 8;\n\
                isspacep.global %p1, %rd6;\n@%p1 add.u32 %r2, %r2, 16;\nst.global.u32 [%rd3], %r2;";
    assert_eq!(run(PAIR, body, [2, 1, 1], 1).1[..2], [11, 11]);
}

#[test]
fn launches_that_are_refused() {
    let refused = |head: &str, grid| launch(module(head, ""), Config::default(), grid, 32).map(|_| ());
    assert_eq!(refused(PAIR, [6, 1, 1]), Ok(()));
    assert!(matches!(refused(PAIR, [5, 1, 1]), Err(LaunchError::Cluster { cluster: [2, 1, 1], grid: [5, 1, 1], .. })));
    assert!(matches!(refused(".reqnctapercluster 1, 2", [6, 1, 1]), Err(LaunchError::Cluster { .. })));
    assert_eq!(refused(".reqnctapercluster 8", [8, 1, 1]), Ok(()));
    assert!(matches!(
        refused(".reqnctapercluster 16", [16, 1, 1]),
        Err(LaunchError::Extent { value: 16, limit: 8, .. })
    ));
    assert!(matches!(refused(".reqnctapercluster 4, 4", [16, 4, 1]), Err(LaunchError::Extent { value: 16, .. })));
    assert!(matches!(refused(".reqnctapercluster 0", [16, 1, 1]), Err(LaunchError::Extent { value: 0, .. })));
    // What the kernel leaves open is the launch's to say.
    let said = |head: &str, cluster| {
        let mut device = Device::new(module(head, ""), Config::default());
        let (kernel, args) = ("k".into(), vec![Arg::Pointer(0)]);
        let launch = Launch { kernel, grid: [6, 2, 1], block: [32, 1, 1], shared: 0, args, cooperative: false };
        device.launch_in_clusters(&launch, Some(cluster)).map(|_| ())
    };
    assert_eq!(said("", [3, 2, 1]), Ok(()));
    assert_eq!(said(PAIR, [2, 1, 1]), Ok(()));
    assert!(matches!(said("", [4, 1, 1]), Err(LaunchError::Cluster { .. })));
    assert!(matches!(said(PAIR, [1, 2, 1]), Err(LaunchError::RequiredCluster { required: [2, 1, 1], .. })));
}

/// A sum over all blocks of a cluster, each by 64 threads; all pass the barrier often.
fn sums(config: Config, clusters: u32) -> (LaunchReport, Vec<u32>) {
    let body = format!(
        "st.shared.u32 [s], 0;\n{SYNC}\nmov.u32 %r8, 0;\nmov.u32 %r10, 0;\n\
         L:\nmapa.shared::cluster.u32 %r9, s, %r8;\nred.shared::cluster.add.u32 [%r9], %r3;\n{SYNC}\n\
         add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 4;\n@%p1 bra L;\n\
         ld.shared.u32 %r2, [s];\nst.global.u32 [%rd3], %r2;"
    );
    launch(module(".reqnctapercluster 4", &body), config, [4 * clusters, 1, 1], 64).expect("starts")
}

#[test]
fn clusters_come_and_go_whatever_is_resident() {
    for resident in [1, 2, 4, 5, 9, 64] {
        for schedule in
            [Schedule::Its, Schedule::PreVolta, Schedule::Adversarial { seed: 5 }, Schedule::Adversarial { seed: 12 }]
        {
            for threads in [1, 2] {
                let config = Config { resident_blocks: resident, schedule, threads, ..Config::default() };
                let (report, out) = sums(config, 5);
                assert!(report.findings.is_empty(), "{resident} {schedule:?}: {:?}", report.findings);
                for cluster in 0..5 {
                    let (first, end) = (256 * cluster, 256 * cluster + 256);
                    let sum: u32 = (first..end).sum();
                    assert!(
                        out[first as usize..end as usize].iter().all(|&word| word == sum),
                        "{resident} {schedule:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn of_chosen_blocks_whole_clusters_run() {
    let config = Config { blocks: Some(vec![5, 9, 10]), ..Config::default() };
    let (report, out) = sums(config, 4);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let ran: Vec<u32> = (0..4).filter(|cluster| out[256 * *cluster as usize] != 0).collect();
    assert_eq!(ran, [1, 2]);
}

#[test]
fn what_goes_wrong_is_said() {
    let to = |rank: &str, then: &str| {
        format!("{SYNC}\nmov.u32 %r7, {rank};\nmapa.shared::cluster.u32 %r8, s, %r7;\n{then}\n{SYNC}")
    };
    let FindingKind::OutOfBounds { access } =
        stopped(PAIR, &to("5", "ld.shared::cluster.u32 %r2, [%r8];"), [2, 1, 1], 1)
    else {
        panic!("no such rank")
    };
    let MemoryLocation::Nobodys { memory } = access.object else { panic!("{access:?}") };
    assert_eq!(memory, "the cluster has 2 blocks, and none of rank 5");
    // Into the next array, behind the last one, before the first one: of another block's as of one's own.
    for offset in [256, 600_000, -2000, -4] {
        let body = to("%r6", &format!("add.s32 %r8, %r8, {offset};\nst.shared::cluster.u32 [%r8], 1;"));
        let kind = stopped(PAIR, &format!("xor.b32 %r6, %r4, 1;\n{body}"), [2, 1, 1], 1);
        let FindingKind::OutOfBounds { access } = kind else { panic!("{offset}: {kind:?}") };
        assert_eq!(access.object.name(), Some("s"), "{offset}: {access:?}");
    }
    // The second block leaves at once.
    let left = format!(
        "setp.ne.u32 %p1, %r4, 0;\n{SYNC}\n@%p1 ret;\nmapa.shared::cluster.u32 %r8, s, 1;\nL:\nnanosleep.u32 5;\n\
         add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 300;\n@%p2 bra L;\nld.shared::cluster.u32 %r2, [%r8];"
    );
    let kind = stopped(PAIR, &left.replace("setp.ne.u32 %p1", "mov.u32 %r9, 0;\nsetp.ne.u32 %p1"), [2, 1, 1], 1);
    assert!(matches!(kind, FindingKind::BlockAbsent { exited: true, .. }), "{kind:?}");
    for body in ["barrier.cluster.wait;", "barrier.cluster.arrive;\nbarrier.cluster.arrive;"] {
        assert!(matches!(stopped(PAIR, body, [2, 1, 1], 32), FindingKind::ClusterBarrier { .. }), "{body}");
    }
    let half = format!("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 0;\nbra.uni E;\nA:\n{SYNC}\nE:");
    let FindingKind::Deadlock { explanation } = stopped(PAIR, &half, [2, 1, 1], 64) else { panic!("a deadlock") };
    assert!(explanation[0].contains("at the cluster's barrier for 64 of its threads"), "{explanation:?}");
}

/// A barrier of clusters where there are none is one of the block.
#[test]
fn a_block_is_a_cluster() {
    let body = format!(
        "shl.b32 %r8, %r1, 2;\nmov.u32 %r9, s;\nadd.u32 %r8, %r8, %r9;\nst.shared.u32 [%r8], %r1;\n{SYNC}\n\
         xor.b32 %r8, %r1, 63;\nshl.b32 %r8, %r8, 2;\nadd.u32 %r8, %r8, %r9;\nld.shared.u32 %r2, [%r8];\nst.global.u32 [%rd3], %r2;"
    );
    let (report, out) = run("", &body, [3, 1, 1], 64);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert!((0..192).all(|at| out[at] == 63 - at as u32 % 64));
}

#[test]
fn what_says_no_cluster_reaches_its_own_block_only() {
    // A barrier is initialised where one is asked for; the other block does the rest.
    let map = |then: &str| {
        format!(
            "mbarrier.init.shared::cta.b64 [s], 1;\n{SYNC}\nmov.u32 %r9, %cluster_ctarank;\nxor.b32 %r7, %r9, 1;\n\
             mapa.shared::cluster.u32 %r8, s, %r7;\nmapa.shared::cluster.u32 %r10, s, %r9;\n{then}\n{SYNC}"
        )
    };
    for (wrong, right) in [
        ("ld.shared.u32 %r2, [%r8];", "ld.shared::cluster.u32 %r2, [%r8];"),
        ("st.shared::cta.u32 [%r8+8], 1;", "st.shared::cluster.u32 [%r8+8], 1;"),
        ("st.shared::cta.u32 [%r8+8], 1;", "st.shared::cta.u32 [%r10+8], 1;"),
        ("red.shared.add.u32 [%r8+8], 1;", "red.shared::cluster.add.u32 [%r8+8], 1;"),
        ("mbarrier.arrive.shared::cta.b64 _, [%r8];", "mbarrier.arrive.shared::cluster.b64 _, [%r8];"),
    ] {
        let FindingKind::OutOfBounds { access } = stopped(PAIR, &map(wrong), [2, 1, 1], 1) else { panic!("{wrong}") };
        let MemoryLocation::Nobodys { memory } = access.object else { panic!("{wrong}: {access:?}") };
        assert_eq!(memory, "the shared memory of another block, which takes .shared::cluster");
        let (report, _) = run(PAIR, &map(right), [2, 1, 1], 1);
        assert!(report.findings.is_empty(), "{right}: {:?}", report.findings);
    }
}

#[test]
fn a_generic_address_is_none_of_shared_memory() {
    let body = |access: &str| format!("mov.u64 %rd5, s;\ncvta.shared.u64 %rd6, %rd5;\nst.u32 [%rd6], 7;\n{access}");
    for head in ["", PAIR] {
        for (wrong, right) in [
            ("ld.shared.u32 %r2, [%rd6];", "ld.u32 %r2, [%rd6];"),
            ("st.shared.u32 [%rd6], 1;", "cvta.to.shared.u64 %rd7, %rd6;\nst.shared.u32 [%rd7], 1;"),
            ("atom.shared.add.u32 %r2, [%rd6], 1;", "atom.add.u32 %r2, [%rd6], 1;"),
        ] {
            let FindingKind::OutOfBounds { access } = stopped(head, &body(wrong), [2, 1, 1], 1) else {
                panic!("{wrong}")
            };
            let MemoryLocation::Nobodys { memory } = access.object else { panic!("{wrong}: {access:?}") };
            assert_eq!(memory, "a generic address, which is none of .shared without cvta.to.shared");
            let (report, _) = run(head, &body(right), [2, 1, 1], 1);
            assert!(report.findings.is_empty(), "{right}: {:?}", report.findings);
        }
    }
}
