//! What prefetches move, as a model of time is told.

use simulator::locality::{LocalityRequest, MemoryRegion};
use simulator::{Arg, Config, Device, Launch, Module};
use std::sync::Arc;

/// Sectors that one warp prefetches, of 64 KiB.
fn prefetched(body: &str) -> u64 {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n\
         {body}\nret;\n}}\n"
    );
    let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
    let mut device = Device::new(module, Config::default());
    let data = device.alloc("data", 1 << 16).expect("fits");
    device.write(data, &[0; 1 << 16]).expect("inside");
    let regions = vec![MemoryRegion { base: data, bytes: 1 << 16 }];
    device.config_mut().locality = Some(LocalityRequest { block: 0, far: None, regions });
    let launch = Launch {
        kernel: "k".into(),
        grid: [1; 3],
        block: [32, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(data)],
        cooperative: false,
    };
    let report = device.launch(&launch).expect("starts");
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let locality = report.locality.expect("it was asked for");
    assert_eq!(locality.read[0].sectors, locality.prefetched);
    locality.prefetched
}

#[test]
fn a_prefetch_of_many_bytes_is_as_many_sectors() {
    assert_eq!(prefetched("@%p1 bra DONE; prefetch.global.L2 [%rd1]; DONE:"), 1);
    assert_eq!(prefetched("@%p1 bra DONE; cp.async.bulk.prefetch.L2.global [%rd1], 65536; DONE:"), 2048);
    assert_eq!(
        prefetched("@%p1 bra DONE; mov.u32 %r2, 4096; cp.async.bulk.prefetch.L2.global [%rd1], %r2; DONE:"),
        128
    );
}
