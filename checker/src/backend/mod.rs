//! One interface, two backends: the simulator and the GPU, each in a worker process.
