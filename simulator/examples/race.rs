//! A missing barrier, found, in words: `cargo run -p simulator --example race`.

mod shared;

use simulator::{Checks, Config};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for barrier in [false, true] {
        let config = Config { checks: Checks::ALL, ..Config::default() };
        let (report, out) = shared::run(&shared::neighbour(barrier), config)?;
        println!("{} bar.sync: thread 0 read {}", if barrier { "with" } else { "without" }, out[0]);
        for finding in &report.findings {
            let place = &finding.place;
            println!("  {}, line {} of the PTX, thread {:?}", finding.kind, place.ptx_line, place.thread);
        }
        assert_eq!(report.findings.is_empty(), barrier);
    }
    Ok(())
}
