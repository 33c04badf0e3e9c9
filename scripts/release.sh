#!/bin/bash
# release.sh ARCH: the checker for Linux in target/release-files, runnable with glibc 2.28 or newer. Needs cargo-zigbuild and zig
# (`pip install cargo-zigbuild ziglang`). ARCH is x86_64 or aarch64; `rustup target add` it first if it is not this machine's.
set -euo pipefail
[[ ${1:-} == x86_64 || ${1:-} == aarch64 ]] || { sed -n '2,3p' "$0"; exit 2; }
cd "$(dirname "$0")/.."
target=$1-unknown-linux-gnu
oldest=2.28
cargo zigbuild --profile dist -p checker --target "$target.$oldest"
binary=target/$target/dist/checker
newest=$(objdump -T "$binary" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -1)
[[ $(printf '%s\n' "$newest" "$oldest" | sort -V | tail -1) == "$oldest" ]] ||
    { echo "release.sh: $binary needs glibc $newest, and $oldest was asked for"; exit 1; }
mkdir -p target/release-files
tar -C "$(dirname "$binary")" -czf "target/release-files/checker-$1-linux.tar.gz" checker
(cd target/release-files && sha256sum "checker-$1-linux.tar.gz" > "checker-$1-linux.tar.gz.sha256")
echo "target/release-files/checker-$1-linux.tar.gz needs glibc $newest"
