//! Who else is on the GPU: a measurement beside another process is worth little.

use serde::{Deserialize, Serialize};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long `nvidia-smi` may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Another process on the GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its process id, as the driver sees it.
    pub pid: u32,
    /// MiB of device memory it holds, where that is known.
    pub memory_mib: Option<u64>,
}

/// Compute processes on the GPU of that UUID (32 hexadecimal digits), as `nvidia-smi` lists them; None when it cannot be
/// asked. To be called before this process has a context of its own.
pub fn neighbours(uuid: &str) -> Option<Vec<Neighbour>> {
    let part = |from: usize, to: usize| uuid.get(from..to);
    let id = format!("GPU-{}-{}-{}-{}-{}", part(0, 8)?, part(8, 12)?, part(12, 16)?, part(16, 20)?, part(20, 32)?);
    let mut asked = Command::new("nvidia-smi")
        .args(["--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits", "-i", &id])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let begin = Instant::now();
    let status = loop {
        match asked.try_wait().ok()? {
            Some(status) => break status,
            None if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            None => {
                let _ = asked.kill();
                let _ = asked.wait();
                return None;
            }
        }
    };
    let mut text = String::new();
    asked.stdout.take()?.take(1 << 16).read_to_string(&mut text).ok()?;
    status.success().then(|| parse(&text))
}

/// "1234, 560" a line; the memory may be "[N/A]".
fn parse(text: &str) -> Vec<Neighbour> {
    text.lines()
        .filter_map(|line| {
            let (pid, memory) = line.split_once(',')?;
            Some(Neighbour { pid: pid.trim().parse().ok()?, memory_mib: memory.trim().parse().ok() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let neighbour = |pid, memory_mib| Neighbour { pid, memory_mib };
        assert_eq!(parse("1234, 560\n77, [N/A]\n"), [neighbour(1234, Some(560)), neighbour(77, None)]);
        assert!(parse("No running processes found\n").is_empty());
        assert_eq!(neighbours("short"), None);
    }
}
