//! Streams, graphs of what was put into one, and events between which the device takes the time.

use super::{Result, named};
use cudarc::driver::result::{self};
use cudarc::driver::sys::{self};

/// A stream that keeps the order of the default stream.
#[derive(Debug)]
pub struct Stream {
    pub(super) handle: sys::CUstream,
}

impl Stream {
    /// A new one.
    pub fn new() -> Result<Self> {
        let handle = result::stream::create(result::stream::StreamKind::Default).map_err(named("cuStreamCreate"))?;
        Ok(Self { handle })
    }

    /// Waits for everything in it.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is valid as long as `self`.
        unsafe { result::stream::synchronize(self.handle) }.map_err(named("cuStreamSynchronize"))
    }

    /// Records `work` into a graph instead of running it.
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the handle is valid as long as `self`; the capture is always ended.
        unsafe { result::stream::begin_capture(self.handle, mode) }.map_err(named("cuStreamBeginCapture"))?;
        let worked = work();
        let graph = unsafe { result::stream::end_capture(self.handle) }.map_err(named("cuStreamEndCapture"));
        worked?;
        let graph = graph?;
        // SAFETY: the graph is valid; the executable graph does not need it any longer once it is made.
        let executable = unsafe { result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)) }
            .map_err(named("cuGraphInstantiate"));
        let _ = unsafe { result::graph::destroy(graph) };
        Ok(Graph { handle: executable? })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once; pending work is finished by the driver.
        let _ = unsafe { result::stream::destroy(self.handle) };
    }
}

/// Recorded work. What it uses must be kept by whoever launches it.
#[derive(Debug)]
pub struct Graph {
    handle: sys::CUgraphExec,
}

impl Graph {
    /// Runs it, in the stream's order.
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles are valid; a kernel can only harm device memory.
        unsafe { result::graph::launch(self.handle, stream.handle) }.map_err(named("cuGraphLaunch"))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: created by `Stream::capture`, destroyed once.
        let _ = unsafe { result::graph::exec_destroy(self.handle) };
    }
}

/// A point in a stream, with its time.
#[derive(Debug)]
pub struct Event {
    handle: sys::CUevent,
}

impl Event {
    /// A new one.
    pub fn new() -> Result<Self> {
        let handle = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map_err(named("cuEventCreate"))?;
        Ok(Self { handle })
    }

    /// Takes the time when the stream comes here.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles are valid.
        unsafe { result::event::record(self.handle, stream.handle) }.map_err(named("cuEventRecord"))
    }

    /// Microseconds from `start` to here; both must have passed.
    pub fn microseconds_since(&self, start: &Self) -> Result<f64> {
        // SAFETY: both handles are valid.
        let milliseconds = unsafe { result::event::elapsed(start.handle, self.handle) };
        Ok(f64::from(milliseconds.map_err(named("cuEventElapsedTime"))?) * 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once.
        let _ = unsafe { result::event::destroy(self.handle) };
    }
}
