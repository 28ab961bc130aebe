// Plots under one another with one time axis, linked to the cursor: dragging in any of them scrubs.
//
// The playhead is an element of its own; a canvas is drawn again only when its data, size or range changes.

import { el, iconButton } from "./dom.js";
import { Plot } from "./plot.js";
import { bodyQuantities, coordinates, DEFAULT_PLOTS, LEDGER_PLOTS } from "./plot_kinds.js";

const LIVE_MS = 250; // between redraws while data streams in
const RELOAD_MS = 1000; // between requests for the motion of a body

export class Plots {
    constructor(app, popover) {
        this.app = app;
        this.plots = [];
        this.range = null; // [from, to] when zoomed
        this.list = el("div.plot-list");
        const add = iconButton("plus", "Add a plot", () => popover.toggle(add, "plots", () => this.menu()));
        this.element = el("section.section.plots", { "aria-label": "Plots" }, el("header", {}, el("h2", {}, "Plots"), add), this.list);
        new ResizeObserver(() => this.redraw()).observe(this.list);
    }

    setRun(run) {
        this.run = run;
        this.range = null;
        for (const plot of this.plots) plot.destroy();
        this.plots = [];
        this.list.replaceChildren();
        const first = run.ledger.has("joint_error_max") && run.bodies.joints.length ? [...DEFAULT_PLOTS, "joint"] : DEFAULT_PLOTS;
        if (run.bodies.isAbstract) this.addCoordinates();
        for (const key of first) this.addLedger(LEDGER_PLOTS.find((k) => k.key === key));
    }

    // Of a system: those of its coordinates that are not zero all the time.
    async addCoordinates() {
        const { run } = this;
        for (let i = 0; i < run.bodies.count; i++) {
            const series = await this.app.series(i);
            coordinates(i).forEach((quantity) => {
                const used = series.position.length && Array.from({ length: series.n }, (_, k) => quantity[3](series, k)).some((x) => x !== 0);
                if (used && this.run === run) this.addBody(i, quantity);
            });
        }
    }

    get span() {
        const { run } = this.app;
        return this.range ?? [run.start, run.end > run.start ? run.end : run.start + 1];
    }

    add(kind) {
        const plot = new Plot(this, kind);
        this.plots.push(plot);
        this.list.append(plot.element);
        this.redraw();
        return plot;
    }
    remove(plot) {
        this.plots.splice(this.plots.indexOf(plot), 1);
        plot.destroy();
        this.markLast();
        this.redraw();
        this.app.invalidate("selection");
    }
    markLast() {
        this.plots.forEach((plot, k) => plot.setLast(k === this.plots.length - 1));
    }

    addLedger(kind) {
        const { ledger } = this.run;
        if (kind.series.some(([, column]) => column(ledger) !== null) || ledger.n === 0) {
            this.add({ ...kind, times: () => ledger.times.subarray(0, ledger.n), columns: () => kind.series.map(([, column]) => column(ledger) ?? empty(ledger.n)) });
        }
        this.markLast();
    }

    async addBody(i, quantity) {
        const { app } = this, [key, label, unit, value] = quantity;
        const kind = {
            key: `body ${i} ${key}`, body: i, title: this.run.bodies.isAbstract ? label : `${this.run.bodies.name[i]} ${label}`, unit, free: true, fill: false,
            series: [[label, null, "k3"]], times: () => kind.data?.times ?? new Float64Array(0), columns: () => [kind.data?.column ?? empty(0)],
        };
        const load = async () => {
            const series = await app.series(i);
            const y = Float32Array.from({ length: series.n }, (_, k) => value(series, k));
            kind.data = { times: series.times, column: { low: y, high: y } };
            this.redraw();
        };
        kind.reload = load;
        this.add(kind);
        this.markLast();
        try {
            await load();
        } catch (error) {
            app.problem(error.message);
        }
    }
    hasBody(i) {
        return this.plots.some((plot) => plot.kind.body === i);
    }
    toggleBody(i) {
        const mine = this.plots.filter((plot) => plot.kind.body === i);
        if (mine.length) mine.forEach((plot) => this.remove(plot));
        else {
            const all = bodyQuantities(this.run.dim);
            this.addBody(i, all.find(([key]) => key === (this.run.dim === 3 ? "z" : "y")));
            this.addBody(i, all.find(([key]) => key === "speed"));
        }
        this.app.invalidate("selection");
    }

    menu() {
        const { app } = this, i = app.state.selection;
        const close = () => app.layout.popover.close();
        const shown = new Set(this.plots.map((p) => p.kind.key));
        const item = (label, action) => el("button", { type: "button", onclick: () => { close(); action(); } }, label);
        const ledger = LEDGER_PLOTS.filter((k) => !shown.has(k.key) && k.series.some(([, c]) => c(this.run.ledger))).map((k) => item(k.title, () => this.addLedger(k)));
        const body = i < 0 ? [el("small", {}, "Select a body to plot its motion")] :
            [el("small", {}, this.run.bodies.name[i]), ...bodyQuantities(this.run.dim).map((q) => item(`${q[1]} [${q[2]}]`, () => this.addBody(i, q)))];
        return el("div.menu", { "data-width": "220" }, ...ledger, ...body);
    }

    // Data of the visible range, at the width of the list.
    redraw() {
        if (!this.run || this.list.clientWidth < 40) return;
        for (const plot of this.plots) plot.draw(this.span);
        this.moveHeads();
    }

    moveHeads() {
        const t = this.app.playback.time, k = this.app.state.frame;
        for (const plot of this.plots) plot.moveHead(t, this.run.frames.times[k] ?? t);
    }

    zoom(range) {
        this.range = range;
        this.redraw();
    }

    // The motion of bodies in a live run is asked for again, at most once in RELOAD_MS and in any case after the last frame.
    reload() {
        const now = performance.now(), wait = (this.reloaded ?? -RELOAD_MS) + RELOAD_MS - now;
        if (wait > 0) return this.app.later("motion", wait, () => this.reload());
        this.reloaded = now;
        for (const { kind } of this.plots) kind.reload?.().catch(() => {});
        this.app.retrace();
    }

    update(dataChanged, maybeLonger) {
        if (!this.run) return;
        const live = this.run.mode === "live";
        if (live && (dataChanged || maybeLonger)) {
            this.reload();
            const now = performance.now();
            if (now - (this.drawn ?? 0) > LIVE_MS) {
                this.drawn = now;
                return this.redraw();
            }
            this.app.later("plots", LIVE_MS, () => this.redraw());
        } else if (dataChanged) return this.redraw();
        this.moveHeads();
    }
}

function empty(n) {
    const none = new Float32Array(n).fill(NaN);
    return { low: none, high: none };
}
