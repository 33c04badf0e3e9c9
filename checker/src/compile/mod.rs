//! Source to PTX and CUBIN through NVRTC, in a limited process, cached by content.
