// What a trace says: the state of every lane at every step, whom it waits with, how far it has come.

/** Lanes of a mask. */
export const lanesOf = (mask) => Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);

/** "0-3, 7" for lanes. */
export function ranges(lanes) {
    const parts = [];
    for (let at = 0; at < lanes.length; at++) {
        let end = at;
        while (lanes[end + 1] === lanes[end] + 1) end++;
        parts.push(end > at ? `${lanes[at]}-${lanes[end]}` : String(lanes[at]));
        at = end;
    }
    return parts.join(", ");
}

/** What a lane does during a step, with the mark of its cell. */
export const STATES = {
    runs: ["●", "runs"],
    off: ["○", "is there, its condition is false"],
    waits: ["‖", "waits for others"],
    elsewhere: ["·", "is elsewhere, another's turn"],
    left: [" ", "has left"],
};

export class Trace {
    /** @param {object} traced one launch's trace, by instruction */
    constructor(traced) {
        this.traced = traced;
        this.byLine = this.#merged();
        this.byInstruction = traced.steps.map((step, index) => ({ ...step, first: index, last: index }));
    }

    /** Runs of instructions of one source line by the same lanes are one step. */
    #merged() {
        const steps = [];
        this.traced.steps.forEach((step, index) => {
            const { line, file } = this.place(step);
            const last = steps.at(-1);
            const same = last && last.warp === step.warp && last.lanes === step.lanes;
            const before = last && this.place(last);
            // What the compiler gives no line belongs to what its lanes were at.
            if (same && (line === 0 || (before.line === line && before.file === file))) {
                last.active |= step.active;
                last.last = index;
            } else {
                steps.push({ ...step, first: index, last: index });
            }
        });
        return steps;
    }

    place(step) {
        return this.traced.places[step.place];
    }

    /** The state of a warp's lanes at a step, by lane; of a warp whose turn it is not, as its last step left them. */
    states(steps, at, warp) {
        const exists = this.traced.warps[warp].lanes;
        let from = at;
        while (from >= 0 && steps[from].warp !== warp) from--;
        const step = steps[from];
        return Array.from({ length: 32 }, (_, lane) => {
            const is = (mask) => (mask >>> lane) & 1;
            if (!is(exists)) return null;
            if (!step) return "elsewhere";
            if (!is(step.live)) return "left";
            if (is(step.waiting)) return "waits";
            if (from !== at || !is(step.lanes)) return "elsewhere";
            return is(step.active) ? "runs" : "off";
        });
    }

    /** Where the lanes of a warp that wait are: `[place, lanes]`, a place once. */
    waiting(steps, at, warp, states) {
        const groups = new Map();
        states.forEach((state, lane) => {
            if (state !== "waits") return;
            let from = at;
            while (from >= 0 && !(steps[from].warp === warp && (steps[from].lanes >>> lane) & 1)) from--;
            const place = from < 0 ? -1 : steps[from].place;
            groups.set(place, [...(groups.get(place) ?? []), lane]);
        });
        return [...groups].map(([place, lanes]) => [this.traced.places[place], lanes]);
    }

    /** What happened in memory during a step. */
    accesses(step) {
        const within = ({ step: at, what }) => at >= step.first && at <= step.last && what.memory;
        return (this.traced.events ?? []).filter(within).map((event) => ({ lanes: event.lanes, step: event.step, ...event.what.memory }));
    }

    /** Operations that others can see which lanes of a warp have executed before a step, by lane. */
    done(step) {
        const done = new Array(32).fill(0);
        for (const earlier of this.traced.steps.slice(0, step.first)) {
            if (earlier.warp !== step.warp || !earlier.active || !this.place(earlier).seen) continue;
            for (const lane of lanesOf(earlier.lanes)) done[lane]++;
        }
        return done;
    }

    /** The step of one side of a finding: the access itself where it was recorded, else the line; -1 where there is none. */
    find(steps, { block, warp, lane, line, address }) {
        const traced = this.traced.warps.findIndex((one) => one.block === block && one.warp === warp);
        const here = (step) => step.warp === traced && (step.lanes >>> lane) & 1 && this.place(step).line === line;
        const touches = (step) =>
            this.accesses(step).some(({ lanes, addresses, bytes }) => {
                const at = addresses[lanesOf(lanes).indexOf(lane)];
                return at !== undefined && address >= at && address < at + bytes;
            });
        const exact = address === undefined ? -1 : steps.findIndex((step) => here(step) && touches(step));
        return exact >= 0 ? exact : steps.findIndex(here);
    }
}

/** How many distinct words of each bank of shared memory the lanes of an access touch (4 bytes or fewer a lane go at once). */
export function banks({ addresses, bytes }) {
    const words = Array.from({ length: 32 }, () => new Set());
    for (const address of addresses) {
        for (let at = address; at < address + bytes; at += 4) words[Math.floor(at / 4) % 32].add(Math.floor(at / 4));
    }
    return words.map((set) => set.size);
}
