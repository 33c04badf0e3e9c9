#!/bin/bash
# Builds the simulator for wasm32-unknown-unknown, alone and as the book's pages have it, and runs kernels in node:
# scripts/wasm.sh [--bench | --page]. With --page it builds what pages need, runs nothing, and says where it is.
#
# The target comes from rustup; where rustup has none, Debian's rustc-web, rust-web-src and lld build the standard library
# from source. Ends with 77 when neither is there, or no node.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1:-} == --page ]] || command -v node >/dev/null || { echo "scripts/wasm.sh: there is no node (18 or newer)"; exit 77; }

target=wasm32-unknown-unknown
arguments=(--target "$target")
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128"
sysroot=$(rustc --print sysroot)
if [[ ! -d $sysroot/lib/rustlib/$target ]] && ! rustup target add "$target" 2>/dev/null; then
    linker=$(compgen -c wasm-ld | sort -V | tail -n 1)
    if [[ ! -x /usr/bin/rustc || ! -d $(/usr/bin/rustc --print sysroot)/lib/rustlib/src || -z $linker ]]; then
        echo "scripts/wasm.sh: no Rust for $target: rustup target add $target, or install rustc-web rust-web-src lld"
        exit 77
    fi
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    arguments+=(-Zbuild-std=std,panic_abort)
    # Another compiler's crates.
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/debian
fi
folder=${CARGO_TARGET_DIR:-target}/$target/page
[[ $folder == /* ]] || folder=$PWD/$folder
# The last crate's level makes vectors; inlined is as much as in code that has to be small.
linked=(--profile page --crate-type cdylib "${arguments[@]}" -- -C strip=symbols -C llvm-args=-inline-threshold=30)
cargo rustc -p live-wasm "${linked[@]}"
cp "$folder/live_wasm.wasm" "$folder/live.wasm"
# Tests hold its age against that of its sources, as cargo has just done.
touch "$folder/live.wasm"
if [[ ${1:-} == --page ]]; then
    # The last line says where it is.
    echo "$folder/live.wasm"
    exit 0
fi
cargo rustc -p simulator-wasm "${linked[@]}"
export SIMULATOR_WASM=$folder/simulator_wasm.wasm
[[ ${1:-} != --bench ]] || export SIMULATOR_BENCH=1
node --test simulator/wasm/test.mjs
