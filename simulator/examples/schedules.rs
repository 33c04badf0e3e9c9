//! One kernel under many orders of execution: which show the bug? `cargo run -p simulator --example schedules`.

mod shared;

use simulator::{Config, Schedule};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let right: Vec<u32> = (0..64).map(|thread| 2 * ((thread + 1) % 64)).collect();
    let mut schedules = vec![Schedule::Its, Schedule::PreVolta];
    schedules.extend((0..8).map(|seed| Schedule::Adversarial { seed }));
    schedules.extend((0..8).map(|seed| Schedule::Pct { seed, depth: 2, operations: 0 }));
    let mut wrong = 0;
    for schedule in schedules {
        // A word of shared memory that nothing wrote yet holds what `seed` draws: nothing is right by luck.
        let (report, out) = shared::run(&shared::neighbour(false), Config { schedule, seed: 1, ..Config::default() })?;
        let differing = out.iter().zip(&right).filter(|(got, want)| got != want).count();
        wrong += usize::from(differing > 0);
        println!("{schedule:?}: {differing} of 64 wrong, {} stops", report.order.preempted.len());
    }
    assert!(wrong > 0, "some order shows it");
    Ok(())
}
