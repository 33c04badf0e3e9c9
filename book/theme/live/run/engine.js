// The simulator in a worker. One worker at a time; stopping ends it, and the next run starts another from the module that was
// compiled once.

/** Runs asked for while the worker is busy with another panel's wait for it. */
export class Stopped extends Error {}

let compiled = null;
let worker = null;
let running = null;
let sent = null;

/** The simulator's module: fetched and compiled at first use. */
function module() {
    compiled ??= fetch(new URL("../simulator.wasm", import.meta.url)).then(async (response) => {
        if (!response.ok) throw new Error(`the simulator is missing: ${response.status} ${response.url}`);
        return WebAssembly.compile(await response.arrayBuffer());
    });
    // A network that was away may come back.
    compiled.catch(() => (compiled = null));
    return compiled;
}

async function started() {
    if (worker) return worker;
    const wasm = await module();
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.postMessage({ wasm });
    sent = null;
    return worker;
}

/**
 * Runs a kernel and gives its report. Another run that is going on is stopped.
 * @param {object} kernel what the build wrote
 * @param {object} ask how to run it
 */
export async function run(kernel, ask) {
    stop();
    const turn = { reject: null };
    running = turn;
    const one = await started();
    if (running !== turn) throw new Stopped();
    return new Promise((resolve, reject) => {
        turn.reject = reject;
        const done = (settle, value) => {
            if (running === turn) running = null;
            settle(value);
        };
        one.onmessage = ({ data }) => {
            if (data.answer) {
                const { told, error } = JSON.parse(data.answer);
                done(error ? reject : resolve, error ? new Error(error) : { ...told, seconds: data.seconds });
            } else {
                drop();
                done(reject, new Error(data.failed));
            }
        };
        one.onerror = (event) => {
            drop();
            done(reject, new Error(event.message || "the worker did not start"));
        };
        one.postMessage({ message: JSON.stringify(sent === kernel ? { ask } : { kernel, ask }) });
        sent = kernel;
    });
}

function drop() {
    worker?.terminate();
    worker = null;
}

/** Ends the run that is going on. */
export function stop() {
    const turn = running;
    running = null;
    if (!turn) return;
    drop();
    turn.reject?.(new Stopped());
}

/** Makes the first run quick: fetches and compiles ahead. */
export function warm() {
    started().catch(() => {});
}
