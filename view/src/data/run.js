// A run as the page knows it: facts, bodies, frames, ledger, trust, and the space it takes.
import { Vector3 } from "three";

import { Bodies } from "./bodies.js";
import { Frames } from "./frames.js";
import { Ledger } from "./ledger.js";
import { Trust } from "./trust.js";

export class Run {
    constructor(hello, bodies, index, source, on) {
        this.hello = hello;
        this.facts = hello.run;
        this.mode = hello.mode;
        this.dim = hello.run.dim;
        this.source = source;
        this.bodies = new Bodies(bodies, this.dim);
        this.frames = new Frames(source, on.frame, on.problem);
        this.frames.appendIndex(index);
        this.ledger = new Ledger(hello.ledger ?? []);
        this.trust = new Trust(this.ledger, hello.limits, hello.checked);
        this.measure(hello.bounds);
    }

    get end() {
        const { times } = this.frames;
        return Math.max(times.length ? times[times.length - 1] : 0, this.mode === "live" ? this.ledger.times[this.ledger.n - 1] ?? 0 : 0);
    }
    get start() {
        return this.frames.times[0] ?? 0;
    }

    // The box and sphere of what moves; without bounds from the server, of the first frame.
    measure(bounds, frame = null) {
        const { bodies, dim } = this;
        let low = bounds?.low, high = bounds?.high;
        if (!low && frame) {
            low = [Infinity, Infinity, Infinity].slice(0, dim);
            high = low.map((x) => -x);
            for (let i = 0; i < bodies.count; i++) {
                if (!bodies.moves[i] && bodies.reach[i] === 0) continue;
                for (let d = 0; d < dim; d++) {
                    const x = frame.position[dim * i + d];
                    low[d] = Math.min(low[d], x);
                    high[d] = Math.max(high[d], x);
                }
            }
        }
        this.measured = Boolean(low && low.every(Number.isFinite));
        if (!this.measured) [low, high] = [[-1, -1, -1], [1, 1, 1]];
        const pad = this.padding();
        this.box = { low: [0, 1, 2].map((d) => (low[d] ?? 0) - pad), high: [0, 1, 2].map((d) => (high[d] ?? 0) + pad) };
        const centre = this.box.low.map((x, d) => (x + this.box.high[d]) / 2);
        const half = this.box.high.map((x, d) => x - centre[d]);
        if (dim === 2) half[2] = 0;
        this.sphere = { centre: new Vector3(...centre), radius: Math.hypot(...half) || 1 };
        this.growToWalls();
    }

    padding() {
        let pad = 0;
        for (let i = 0; i < this.bodies.count; i++) if (this.bodies.moves[i]) pad = Math.max(pad, this.bodies.reach[i]);
        return pad || this.bodies.size;
    }

    // The room that the outlines of walls are cut to: the box, up to walls along an axis that are near.
    growToWalls() {
        this.room = { low: [...this.box.low], high: [...this.box.high] };
        for (const list of this.bodies.shapes) {
            for (const { kind, normal, offset } of list) {
                if (kind !== "plane") continue;
                const d = normal.findIndex((x) => Math.abs(x) > 0.999);
                if (d < 0) continue;
                const at = offset * normal[d];
                if (Math.abs(at - this.sphere.centre.getComponent(d)) > 3 * this.sphere.radius) continue;
                if (normal[d] > 0) this.room.low[d] = at;
                else this.room.high[d] = at;
            }
        }
    }

    loadLedger() {
        return this.source.ledger(0, 0xffffffff, 65536).then((message) => {
            if (this.ledger.n === 0) this.ledger.append(message);
            this.trust.update();
        });
    }

    // The checks of the steps after the frame before number k up to its own: a bad step between frames is not lost.
    checksAt(k) {
        const { steps } = this.frames, { ledger } = this;
        if (ledger.n === 0 || steps.length === 0) return [];
        const last = steps[k], first = k > 0 ? steps[k - 1] + 1 : 0;
        if (ledger.at(last) < 0) return [];
        const [begin, end] = ledger.range(Math.min(first, last), last);
        return this.trust.checks(begin, end);
    }

    // The value of a ledger column at the frame's own step.
    value(name, k) {
        const i = this.ledger.at(this.frames.steps[k] ?? 0);
        return i < 0 ? NaN : this.ledger.column(name)?.high[i] ?? NaN;
    }
}
