// node --test: kernels run in WebAssembly with every check on; results are compared with what JavaScript computes.
// SIMULATOR_WASM is the built module; `scripts/wasm.sh` builds it and runs this.

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { load } from "./simulator.mjs";

const wasm = readFileSync(process.env.SIMULATOR_WASM);
const ptx = readFileSync(new URL("kernels.ptx", import.meta.url), "utf8");
const simulator = await load(wasm);
const checks = { races: true, uninitialised: true, barriers: true };
const its = { kind: "its" };
const schedules = [its, { kind: "pre-volta" }, ...[0, 1, 5, 99].map((seed) => ({ kind: "adversarial", seed }))];

// Exact in float32, so that sums in any order are exact too.
const values = (n, seed) => Float32Array.from({ length: n }, (_, i) => ((i * 37 + seed) % 101) / 8 - 6);

const launch = (kernel, blocks, args) => ({ kernel, grid: [blocks, 1, 1], block: [256, 1, 1], args });

function timed(request, fills) {
    const begin = performance.now();
    const answer = simulator.run(request, fills);
    return { ...answer, seconds: (performance.now() - begin) / 1000 };
}

function add(n, config) {
    const [a, b] = [values(n, 1), values(n, 50)];
    const request = {
        ptx,
        config,
        buffers: [
            { name: "a", bytes: 4 * n, filled: true },
            { name: "b", bytes: 4 * n, filled: true },
            { name: "c", bytes: 4 * n },
        ],
        launches: [launch("vector_add", Math.ceil(n / 256), [{ buffer: 0 }, { buffer: 1 }, { buffer: 2 }, { s32: n }])],
    };
    const { reports, buffers, seconds } = timed(request, [a, b]);
    return { report: reports[0], seconds, got: new Float32Array(buffers[2]), want: a.map((x, i) => x + b[i]) };
}

function sum(kernel, n, config) {
    const a = values(n, 7);
    const blocks = Math.ceil(n / 256);
    const request = {
        ptx,
        config,
        buffers: [{ name: "a", bytes: 4 * n, filled: true }, { name: "sums", bytes: 4 * blocks }],
        launches: [launch(kernel, blocks, [{ buffer: 0 }, { buffer: 1 }, { s32: n }])],
    };
    const { reports, buffers, seconds } = timed(request, [a]);
    const want = Float32Array.from({ length: blocks }, (_, at) =>
        a.slice(256 * at, 256 * (at + 1)).reduce((x, y) => x + y, 0));
    return { report: reports[0], seconds, got: new Float32Array(buffers[1]), want };
}

test("vector add is right and clean under every schedule", () => {
    for (const schedule of schedules) {
        const { report, got, want } = add(1000, { schedule, checks });
        assert.equal(report.status, "finished");
        assert.deepEqual(report.findings, []);
        assert.deepEqual(got, want);
    }
});

test("block sums are right and clean under every schedule", () => {
    for (const schedule of schedules) {
        const { report, got, want } = sum("block_sum", 3000, { schedule, checks });
        assert.equal(report.status, "finished");
        assert.deepEqual(report.findings, []);
        assert.deepEqual(got, want);
    }
});

test("a missing barrier is a race, with both sides' lines", () => {
    const { report } = sum("block_sum_racy", 3000, { checks });
    const race = report.findings.find((finding) => finding.kind === "race");
    assert.ok(race, JSON.stringify(report.findings));
    const line = readFileSync(new URL("kernels.cu", import.meta.url), "utf8").split("\n")
        .findIndex((text) => text.includes("threadIdx.x + half")) + 1;
    assert.deepEqual([race.first.place.line, race.second.place.line], [line, line]);
});

test("what is wrong with a request is said", () => {
    assert.throws(() => simulator.run({ ptx: "nonsense", launches: [] }), /PTX line 1/);
    assert.throws(() => simulator.run({ ptx, buffers: [{ name: "a", bytes: 2 ** 40 }], launches: [] }), /`memory`/);
    assert.throws(() => simulator.run({ ptx, launches: [launch("nobody", 1, [])] }), /no kernel `nobody`/);
});

// Whole requests: reading the PTX and copying the buffers counts.
if (process.env.SIMULATOR_BENCH) {
    const rate = (run) => {
        let best = 0;
        for (let turn = 0; turn < 5; turn++) {
            const { report, seconds } = run();
            best = Math.max(best, report.counters.thread_instructions / seconds / 1e9);
        }
        return best.toFixed(3);
    };
    for (const [name, run] of [
        ["vector add", (config) => add(1 << 20, config)],
        ["block reduction", (config) => sum("block_sum", 1 << 20, config)],
    ]) {
        console.log(`${name}: ${rate(() => run({}))} G thread instructions a second, ${rate(() => run({ checks }))} with checks`);
    }
}
