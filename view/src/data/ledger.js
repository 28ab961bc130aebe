// The ledger: for each step (or bin of steps) the smallest and largest value of every column. Grows in live runs.
import { lastAtOrBefore } from "./source_file.js";

export class Ledger {
    constructor(columns) {
        this.columns = columns;
        this.n = 0;
        this.room = 0;
        this.reserve(1024);
    }

    reserve(room) {
        if (room <= this.room) return;
        room = Math.max(room, 2 * this.room);
        const grow = (Kind, old) => {
            const array = new Kind(room);
            if (old) array.set(old.subarray(0, this.n));
            return array;
        };
        this.times = grow(Float64Array, this.times);
        this.steps = grow(Uint32Array, this.steps);
        this.low = this.columns.map((_, c) => grow(Float32Array, this.low?.[c]));
        this.high = this.columns.map((_, c) => grow(Float32Array, this.high?.[c]));
        this.room = room;
    }

    append(message) {
        const { n } = message;
        this.reserve(this.n + n);
        this.times.set(message.times, this.n);
        this.steps.set(message.steps, this.n);
        for (let c = 0; c < this.columns.length && c < message.low.length; c++) {
            this.low[c].set(message.low[c], this.n);
            this.high[c].set(message.high[c], this.n);
        }
        this.n += n;
        this.last = message.to ?? message.steps[n - 1];
    }

    has(name) {
        return this.columns.includes(name);
    }
    column(name) {
        const c = this.columns.indexOf(name);
        return c < 0 ? null : { low: this.low[c].subarray(0, this.n), high: this.high[c].subarray(0, this.n) };
    }

    // The bin that holds a step; -1 without any.
    at(step) {
        return this.n === 0 || step < this.steps[0] ? -1 : lastAtOrBefore(this.steps.subarray(0, this.n), step);
    }

    // Bins of the steps first..last, as a half-open range.
    range(first, last) {
        const begin = Math.max(0, this.at(first));
        return [begin, Math.max(begin, this.at(last) + 1)];
    }

    // Largest (or smallest) value of a column over bins, with the step of the bin that has it. NaN beats all.
    worst(name, begin, end, sign = 1) {
        const column = this.column(name);
        let value = -Infinity, step = -1;
        const source = column && (sign > 0 ? column.high : column.low);
        for (let i = begin; column && i < end; i++) {
            const x = sign * source[i];
            if (!(x <= value)) {
                value = x;
                step = this.steps[i];
                if (x !== x) break;
            }
        }
        return step < 0 ? null : { value: sign * value, step };
    }
}
