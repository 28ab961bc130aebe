// Frames by their number, kept while there is room, fetched when not. The latest request wins: while one is under way
// only the newest of the others waits.
const ROOM = 256e6; // [bytes]
const AHEAD = 2;
const IN_FLIGHT = 3;

export class Frames {
    constructor(source, onArrival, onProblem) {
        this.source = source;
        this.onArrival = onArrival;
        this.onProblem = onProblem;
        this.times = [];
        this.steps = [];
        this.kept = new Map(); // number -> {frame, contacts}, oldest use first
        this.bytes = 0;
        this.flying = new Set();
        this.bad = new Set(); // numbers of frames that cannot be read
        this.wanted = -1;
    }

    get count() {
        return this.steps.length;
    }

    appendIndex(message) {
        for (let k = 0; k < message.n; k++) {
            if (this.count && message.steps[k] <= this.steps.at(-1)) continue;
            this.times.push(message.times[k]);
            this.steps.push(message.steps[k]);
        }
    }

    // The number of the last frame at or before a time or a step.
    at(values, value) {
        let low = 0, high = values.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (values[middle] <= value) low = middle + 1;
            else high = middle;
        }
        return Math.max(0, low - 1);
    }
    atTime(t) {
        // Times are sums of steps, so a time asked for may be short of a frame's by rounding.
        return this.at(this.times, t * (1 + 1e-12) + 1e-12);
    }
    atStep(step) {
        return this.at(this.steps, step);
    }

    // The frame if it is here; asks for it otherwise, and when playing for those that will come next, a stride apart.
    get(number, stride = 0) {
        this.want(number);
        const pair = this.kept.get(number);
        for (let k = 1; pair && stride > 0 && k <= AHEAD; k++) {
            if (number + k * stride < this.count && this.flying.size < AHEAD) this.fetch(number + k * stride);
        }
        if (pair) {
            this.kept.delete(number);
            this.kept.set(number, pair);
        }
        return pair ?? null;
    }

    want(number) {
        this.wanted = number;
        if (this.flying.size < IN_FLIGHT) this.fetch(number);
    }

    async fetch(number) {
        if (this.kept.has(number) || this.flying.has(number) || this.bad.has(number) || !(number >= 0 && number < this.count)) return;
        this.flying.add(number);
        try {
            this.keep(number, await this.source.frame(this.steps[number]));
            this.onArrival(number);
        } catch (error) {
            if (!error.isLost) this.bad.add(number);
            this.onProblem(error, number);
        } finally {
            this.flying.delete(number);
        }
        if (!this.kept.has(this.wanted) && this.wanted !== number) this.want(this.wanted);
    }

    keep(number, pair) {
        pair.bytes = bytesOf(pair.frame) + (pair.contacts ? bytesOf(pair.contacts) : 0);
        this.kept.set(number, pair);
        this.bytes += pair.bytes;
        for (const [old, entry] of this.kept) {
            if (this.bytes <= ROOM || old === number) break;
            this.kept.delete(old);
            this.bytes -= entry.bytes;
        }
    }

    clear() {
        this.kept.clear();
        this.bytes = 0;
        this.times = [];
        this.steps = [];
    }
}

function bytesOf(message) {
    const own = Object.values(message).reduce((sum, value) => sum + (value?.byteLength ?? 0), 0);
    return own + (message.soft ? message.soft.x.byteLength + message.soft.stress.byteLength : 0);
}
