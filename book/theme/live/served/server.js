// The server that answers this page: questions with the token of its start, and jobs that say what they do.

const KEY = "warpbook-token";

/** A page's name for itself: the server gives each page one job at a time, and what it keeps in the browser is its own. */
export const page = crypto.getRandomValues(new Uint32Array(4)).join("-");

/** What the browser keeps for this page, where it may keep anything. */
export const kept = {
    get(name) {
        try {
            return localStorage.getItem(name);
        } catch {
            return null;
        }
    },
    set(name, value) {
        try {
            if (value == null) localStorage.removeItem(name);
            else localStorage.setItem(name, value);
        } catch {
            // Nothing is kept then.
        }
    },
    /** Names that begin so. */
    names(beginning) {
        try {
            return Object.keys(localStorage).filter((name) => name.startsWith(beginning));
        } catch {
            return [];
        }
    },
};

/** The token stands behind the # of the printed link. It leaves the address bar, so that nobody shows it by accident. */
const token = (() => {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!given) return kept.get(KEY);
    kept.set(KEY, given);
    history.replaceState(history.state, "", location.pathname + location.search);
    return given;
})();

// The link again, of a server that was started anew, in a page that is open.
addEventListener("hashchange", () => location.hash.startsWith("#token=") && location.reload());

/** An answer that is a refusal. */
export class Refused extends Error {
    constructor(status, words) {
        super(words);
        this.status = status;
    }
}

async function send(method, path, body, signal) {
    const headers = { "x-warpbook-token": token ?? "" };
    let response;
    try {
        response = await fetch(new URL(`/api/${path}`, location.origin), { method, headers, signal, cache: "no-store", body: body && JSON.stringify(body) });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new Refused(0, "the server does not answer; next: start `checker book serve` again, and open the link that it prints");
    }
    return response;
}

/** Asks, and gives the answer; what is refused is thrown, with its status. */
export async function ask(method, path, body) {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, words(text));
    return JSON.parse(text);
}

function words(text) {
    try {
        return JSON.parse(text).error;
    } catch {
        return text.trim();
    }
}

let before = Promise.resolve();

/** Does a job, after the page's last: `hear` is told of its steps; the last that it says is the result: `told` or `kernel`. */
export async function job(work, hear, signal) {
    const last = before;
    /** @type {(value?: unknown) => void} */
    let done = () => {};
    before = new Promise((resolve) => (done = resolve));
    try {
        await last;
        signal?.throwIfAborted();
        return await doing(work, hear, signal);
    } finally {
        done();
    }
}

async function doing(work, hear, signal) {
    const response = await send("POST", "job", { page, work }, signal);
    if (!response.ok) throw new Refused(response.status, words(await response.text()));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let last = {};
    for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
            last = JSON.parse(event.slice("data: ".length));
            if (last.waiting) hear(last.waiting === 1 ? "waiting for one before you" : `waiting for ${last.waiting} before you`);
            if (last.doing) hear(last.doing);
        }
    }
    if (last.failed) throw new Refused(500, last.failed);
    if (!last.told && !last.kernel) throw new Refused(0, "the server ended before it had an answer");
    return last;
}

async function found() {
    if (!token) throw new Refused(401, "to edit here, open the link that `checker book serve` printed: it has a token in it");
    return ask("GET", "state");
}

/** What the server can do and what is solved. Asked once. */
export const state = found();
state.catch(() => {});

/** What a guest has solved: only their browser knows. */
export const ownSolved = () => JSON.parse(kept.get("warpbook-solved") ?? "[]");
