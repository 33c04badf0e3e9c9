//! The worker's standard output belongs to the kernels: CUDA's printf writes there. Replies go to a copy of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes of printf output kept a pass.
const KEPT: u64 = 256 << 10;

/// What kernels print, in an unnamed file.
#[derive(Debug)]
pub struct Capture {
    file: File,
}

impl Capture {
    /// Takes standard output away. Gives back the stream to the parent and the capture.
    pub fn start() -> io::Result<(File, Self)> {
        let replies = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
        let file = tempfile::tempfile()?;
        rustix::stdio::dup2_stdout(&file)?;
        Ok((File::from(replies), Self { file }))
    }

    /// What was printed since the last call (at most 256 KiB), and how many bytes beyond that were dropped. Whoever
    /// printed must have flushed.
    pub fn take(&self) -> io::Result<(Vec<u8>, u64)> {
        // The descriptor on standard output shares its position with this one.
        let mut file = &self.file;
        let written = file.stream_position()?;
        file.seek(SeekFrom::Start(0))?;
        let mut printed = Vec::new();
        file.take(KEPT.min(written)).read_to_end(&mut printed)?;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        let dropped = written - printed.len() as u64;
        Ok((printed, dropped))
    }
}
