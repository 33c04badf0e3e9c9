// node answers.mjs SIMULATOR.wasm: a message a line in, an answer a line out.
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, live_input, live_run, live_output } = instance.exports;
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const bytes = new TextEncoder().encode(line);
    const at = live_input(bytes.length) >>> 0;
    new Uint8Array(memory.buffer).set(bytes, at);
    const length = live_run() >>> 0;
    console.log(new TextDecoder().decode(new Uint8Array(memory.buffer, live_output() >>> 0, length)));
}
