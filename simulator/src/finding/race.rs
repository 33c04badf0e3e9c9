//! A race in words: what meets, why nothing orders it, and what would.

use super::{Access, Objects};

/// A sentence and what to do.
pub fn explain(
    first: &Access,
    second: &Access,
    hidden_before_volta: bool,
    objects: &Objects<'_>,
) -> (String, Vec<String>) {
    let object = objects(&second.object, Some(second.size));
    if [first, second].iter().any(|access| access.what == "cached read") {
        let text = format!(
            "the launch writes what it reads through the read-only cache (__ldg, `const` with __restrict__, textures, surfaces){}: {} and {}",
            if object.is_empty() { String::new() } else { format!(", {object}") },
            first.what,
            second.what
        );
        return (text, vec![CACHED.to_owned()]);
    }
    if second.what.starts_with("bulk") {
        let what = if object.is_empty() { "bytes" } else { &object };
        let text = format!(
            "a bulk copy {}s {what} in {} memory without a proxy fence behind the {} before it",
            if second.what == "bulk read" { "read" } else { "overwrite" },
            second.space,
            first.what
        );
        return (text, vec![PROXY.to_owned()]);
    }
    let what = if object.is_empty() { "the same bytes" } else { &object };
    let space = &second.space;
    let text = if first.what == "write" && second.what == "write" {
        format!("two threads write {what} in {space} memory, and nothing orders them")
    } else {
        format!("two threads use {what} in {space} memory, {} and {}, and nothing orders them", first.what, second.what)
    };
    let same_block = first.place.block == second.place.block;
    let copies = [first, second].iter().any(|access| access.what.starts_with("asynchronous"));
    let atomics = [first, second].iter().filter(|access| access.what == "atomic").count();
    let same_line = first.place.line > 0 && first.place.line == second.place.line;
    let mut advice = vec![if copies {
        copy(first, second)
    } else if atomics == 2 && first.size != second.size {
        "both are atomic, but not of the same bytes: atomics exclude each other only where they change the same word, so that \
         one of a part of it and one of the whole may lose what the other did"
    } else if hidden_before_volta {
        "both are lanes of one warp: lockstep hid this before Volta; today a __syncwarp() between the two has to order \
         them, or a __syncthreads() where other warps do the same (shuffles, votes and `volatile` order nothing in memory)"
    } else if same_block && second.space == "shared" {
        "the threads of a block run in any order: a __syncthreads() that all of them pass between the two would order them"
    } else if same_block {
        "the threads of a block run in any order: a __syncthreads() that all of them pass between the two would order them; \
         where a lock is to do that, it needs a __threadfence() behind the atomic that takes it and one before the atomic \
         that gives it back"
    } else if second.space == "shared" && atomics < 2 {
        "the two are threads of different blocks of a cluster: a cluster.sync() that both blocks pass between the two would order \
         them (a __syncthreads() is for one block, a relaxed arrival orders nothing)"
    } else if atomics == 2 {
        "both are atomic, but only for their own block: atomics of block scope do not exclude those of other blocks"
    } else if first.what == "write" && second.what == "write" {
        "the blocks of a launch run in any order, and either may write last: let one of them alone write there, or one of \
         the two in a later launch"
    } else {
        "the blocks of a launch run in any order: let the reader be in a later launch, or publish the data: write it, then \
         __threadfence(), then set a flag by an atomic; who sees the flag may read"
    }];
    if atomics == 1 && !copies {
        advice.push("an atomic excludes other atomics only: the other side is a plain access");
    } else if same_line && atomics == 0 && second.what == "write" && !copies {
        // In shared memory it is a round of a tree more often, in which one thread reads what another one writes: `s[t] += s[t + k]`.
        let at = if second.space == "shared" && first.what != "write" { advice.len() } else { 0 };
        advice.insert(
            at,
            "if every thread is to update the element, let the update be an atomic (atomicAdd, atomicMax, ...)",
        );
    }
    (text, advice.into_iter().map(str::to_owned).collect())
}

const CACHED: &str = "that cache may hold the old value, whatever orders the two: what a launch writes is read without __ldg, \
                      through a pointer that is not both `const` and __restrict__, and no texture or surface, or by a later launch";

const PROXY: &str = "a thread's own writes and bulk copies go to memory by different ways (proxies), which barriers alone do not put in \
                     order: whoever wrote executes fence.proxy.async (cuda::ptx::fence_proxy_async(cuda::ptx::space_shared)) after the \
                     write and before the barrier behind which the copy begins";

fn copy(first: &Access, second: &Access) -> &'static str {
    let writes = ["asynchronous write", "asynchronous reduction"];
    if second.space == "global" && [first, second].iter().any(|access| writes.contains(&access.what.as_str())) {
        return "a bulk copy to global memory goes on by itself: its thread must wait for its group (cp.async.bulk.wait_group; with .read \
                that is only until the source has been read) before it counts on what is written, and then let others go on";
    }
    let own = first.place.block == second.place.block && first.place.thread == second.place.thread;
    if own {
        "a copy by cp.async goes on by itself: its thread must wait for it (cp.async.wait_group or wait_all, a bulk copy at its \
         mbarrier) before it counts on the copied bytes or changes them"
    } else {
        "a copy by cp.async goes on by itself: its thread must wait for it (cp.async.wait_group or wait_all), and other \
         threads need a __syncthreads() after that wait; for a bulk copy each of them waits at its mbarrier"
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Access, Place, as_named};
    use super::explain;

    fn side(what: &str, block: u32, thread: u32) -> Access {
        let place = Place { line: 3 + thread, block: [block, 0, 0], thread: [thread, 0, 0], ..Place::default() };
        Access { what: what.into(), space: "shared".into(), place, ..Access::default() }
    }

    #[test]
    fn what_would_order_the_two() {
        let advice = |a: &Access, b: &Access, hidden| explain(a, b, hidden, &as_named).1.join(" ");
        let (write, read) = (side("write", 0, 0), side("read", 0, 40));
        assert!(advice(&write, &read, false).contains("__syncthreads()"));
        assert!(advice(&write, &read, true).contains("__syncwarp()"));
        assert!(advice(&write, &side("read", 1, 0), false).contains("cluster.sync()"));
        let global = |what: &str, block, thread| Access { space: "global".into(), ..side(what, block, thread) };
        assert!(advice(&global("write", 0, 0), &global("read", 1, 0), false).contains("__threadfence()"));
        let written = advice(&global("write", 0, 0), &global("write", 1, 5), false);
        assert!(written.contains("write last") && !written.contains("reader"), "{written}");
        assert!(advice(&side("atomic", 0, 0), &side("atomic", 1, 0), false).contains("block scope"));
        let half = Access { size: 4, ..side("atomic", 0, 40) };
        assert!(advice(&side("atomic", 0, 0), &half, false).contains("same bytes"));
        assert!(advice(&side("atomic", 0, 0), &read, false).contains("plain access"));
        assert!(advice(&write, &side("write", 0, 0), false).starts_with("if every thread is to update"));
        let copy = side("asynchronous write", 0, 0);
        assert!(advice(&copy, &side("read", 0, 0), false).contains("wait_group"));
        assert!(!advice(&copy, &side("read", 0, 0), false).contains("__syncthreads()"));
        assert!(advice(&copy, &read, false).contains("__syncthreads() after"));
        let stored = global("asynchronous reduction", 0, 0);
        assert!(advice(&stored, &global("read", 0, 40), false).contains("cp.async.bulk.wait_group"));
        let cached = side("cached read", 0, 0);
        assert!(advice(&write, &cached, false).contains("__ldg"));
        assert!(!advice(&write, &cached, false).contains("__syncthreads()"));
        assert!(advice(&write, &side("bulk read", 0, 0), false).contains("fence.proxy.async"));
    }
}
