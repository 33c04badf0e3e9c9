// The simulator in JavaScript: `const simulator = await load(bytes)`, then `simulator.run(request, fills)`.
// src/request.rs says what a request is. `fills` are typed arrays, one for each filled buffer; `buffers` come back as
// ArrayBuffers, one for each buffer.

export async function load(wasm) {
    const { instance } = await WebAssembly.instantiate(wasm, {});
    const { memory, simulator_input, simulator_run, simulator_output } = instance.exports;

    function run(request, fills = []) {
        const json = new TextEncoder().encode(JSON.stringify(request));
        const pieces = fills.map((fill) => new Uint8Array(fill.buffer, fill.byteOffset, fill.byteLength));
        const total = 4 + json.length + pieces.reduce((sum, piece) => sum + piece.length, 0);
        // `>>> 0`: addresses above 2 GiB arrive negative.
        let at = simulator_input(total) >>> 0;
        new DataView(memory.buffer).setUint32(at, json.length, true);
        at += 4;
        for (const piece of [json, ...pieces]) {
            new Uint8Array(memory.buffer).set(piece, at);
            at += piece.length;
        }
        const length = simulator_run() >>> 0;
        const from = simulator_output() >>> 0;
        const answer = memory.buffer.slice(from, from + length);
        const split = 4 + new DataView(answer).getUint32(0, true);
        const { reports, error } = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 4, split - 4)));
        if (error) throw new Error(error);
        let offset = split;
        const buffers = (request.buffers ?? []).map(({ bytes }) => answer.slice(offset, (offset += bytes)));
        return { reports, buffers };
    }

    return { run, bytes: () => memory.buffer.byteLength };
}
