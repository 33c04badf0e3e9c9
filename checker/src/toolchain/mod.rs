//! Find or provision NVRTC, nvdisasm and the CUDA headers.
