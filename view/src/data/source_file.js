// A run inside the page itself, as `cairn export --to html` writes it. The same face as SocketSource.
import { CONTACTS, FRAME, HEADER, INDEX, LEDGER, decode, inflate, readHeader } from "./protocol.js";

const BLOCKS_KEPT = 6;

export class FileSource {
    static isPresent() {
        return document.getElementById("cairn-head") !== null;
    }

    constructor(listener) {
        this.listener = listener;
        this.blocks = new Map(); // block number -> Promise of its frames, oldest use first
    }

    async open() {
        const head = JSON.parse(new TextDecoder().decode(await inflateElement("cairn-head")));
        this.ranges = head.blocks;
        this.listener.expect(head.hello);
        const messages = splitMessages(await inflateElement("cairn-ledger"));
        const index = messages.find((m) => m.type === INDEX);
        this.steps = index.steps;
        this.book = messages.find((m) => m.type === LEDGER);
        this.listener.hello(head.hello, head.bodies, index);
    }

    async frame(step) {
        const at = lastAtOrBefore(this.steps, step);
        const number = this.ranges.findIndex((r) => at >= r.first && at < r.first + r.count);
        if (number < 0) {
            throw new Error(`there is no frame at or before step ${step}`);
        }
        const frames = await this.block(number);
        return frames[at - this.ranges[number].first];
    }

    block(number) {
        let frames = this.blocks.get(number);
        this.blocks.delete(number);
        frames ??= inflateElement(`cairn-frames-${number}`).then(pairMessages);
        this.blocks.set(number, frames);
        if (this.blocks.size > BLOCKS_KEPT) {
            this.blocks.delete(this.blocks.keys().next().value);
        }
        return frames;
    }

    // The whole run is inside; a range of it is cut out, not binned again.
    async ledger(from, to) {
        const { steps } = this.book;
        let first = 0, end = steps.length;
        while (first < end - 1 && steps[first + 1] <= from) first++;
        while (end > first + 1 && steps[end - 1] > to) end--;
        const cut = (array) => array.subarray(first, end);
        return {
            ...this.book, n: end - first, times: cut(this.book.times), steps: cut(steps),
            low: this.book.low.map(cut), high: this.book.high.map(cut),
        };
    }

    async series(body, points) {
        const stride = Math.max(1, Math.ceil(this.steps.length / points));
        const rows = [];
        for (let k = 0; k < this.steps.length; k++) {
            if (k % stride === 0 || k === this.steps.length - 1) {
                rows.push((await this.frame(this.steps[k])).frame);
            }
        }
        return seriesOf(rows, body);
    }
}

function seriesOf(frames, body) {
    const { dim } = frames[0];
    const spins = dim === 3 ? 3 : 1, turns = dim === 3 ? 4 : 1, n = frames.length;
    const series = {
        n, dim,
        times: Float64Array.from(frames, (f) => f.t),
        steps: Uint32Array.from(frames, (f) => f.step),
        position: new Float32Array(dim * n),
        velocity: new Float32Array(dim * n),
        spin: new Float32Array(spins * n),
        orientation: new Float32Array(turns * n),
    };
    frames.forEach((f, k) => {
        series.position.set(f.position.subarray(dim * body, dim * body + dim), dim * k);
        series.velocity.set(f.velocity.subarray(dim * body, dim * body + dim), dim * k);
        series.spin.set(f.spin.subarray(spins * body, spins * body + spins), spins * k);
        if (f.orientation) {
            series.orientation.set(f.orientation.subarray(turns * body, turns * body + turns), turns * k);
        }
    });
    return series;
}

export function lastAtOrBefore(ascending, value) {
    let low = 0, high = ascending.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (ascending[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return Math.max(0, low - 1);
}

async function inflateElement(id) {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error(`this file lacks its part ${id}; export the run again`);
    }
    const text = atob(element.textContent), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i); // many times quicker than Uint8Array.from
    return inflate(bytes);
}

function splitMessages(buffer) {
    const messages = [];
    for (let at = 0; at < buffer.byteLength; ) {
        const header = readHeader(buffer, at);
        messages.push(decode(buffer, header, at));
        at += HEADER + header.bytes;
    }
    return messages;
}

function pairMessages(buffer) {
    const pairs = [];
    for (const message of splitMessages(buffer)) {
        if (message.type === FRAME) pairs.push({ frame: message, contacts: null });
        else if (message.type === CONTACTS) pairs.at(-1).contacts = message;
    }
    return pairs;
}
