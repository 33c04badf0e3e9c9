//! Jobs on host threads.

use std::sync::Mutex;

/// Does something with each of `all`, on as many host threads, this one among them. Who gets no thread leaves more to the others.
pub(super) fn side_by_side<T: Send>(hosts: u32, all: Vec<T>, one: impl Fn(T) + Sync) {
    let helpers = (hosts as usize).min(all.len()).saturating_sub(1);
    let left = Mutex::new(all.into_iter());
    let next = || left.lock().ok().and_then(|mut left| left.next());
    let work = || {
        while let Some(job) = next() {
            one(job);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            // An error here means one thread fewer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}
