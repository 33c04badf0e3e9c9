//! Interleaved timing, the ratio's interval and verdict, the device's roof.
