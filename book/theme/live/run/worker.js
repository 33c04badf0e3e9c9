// The simulator's instance: JSON in, JSON out of linear memory (checker/live/src/message.rs).

let exports = null;
let ready = null;

function answer(message) {
    const bytes = new TextEncoder().encode(message);
    // `>>> 0`: addresses above 2 GiB arrive negative.
    const at = exports.live_input(bytes.length) >>> 0;
    new Uint8Array(exports.memory.buffer).set(bytes, at);
    const length = exports.live_run() >>> 0;
    const from = exports.live_output() >>> 0;
    return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, from, length));
}

self.onmessage = async ({ data }) => {
    try {
        if (data.wasm) {
            ready = WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (data.wasm), {}).then((instance) => (exports = instance.exports));
            await ready;
            return;
        }
        await ready;
        const begin = performance.now();
        const text = answer(data.message);
        self.postMessage({ answer: text, seconds: (performance.now() - begin) / 1000 });
    } catch (error) {
        // A trap leaves the instance in no known state: the page starts another.
        const memory = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
        self.postMessage({ failed: memory ? `the simulator gave up (${error.message}): try smaller sizes` : String(error) });
    }
};
