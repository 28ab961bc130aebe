// What can be changed while a simulation runs. Each change is a command that the simulation confirms and records.
import { digits, withUnit } from "../format.js";
import { el, slider } from "./dom.js";

export class LivePanel {
    constructor(app) {
        this.app = app;
        const { live, run } = app;
        const g = run.facts.gravity ?? [0, 0, -9.81];
        const size = Math.hypot(...g);
        this.direction = size > 0 ? g.map((x) => x / size) : run.dim === 3 ? [0, 0, -1] : [0, -1];
        const weight = heaviest(run.bodies) * (size || 9.81);
        live.spring = live.spring || weight / Math.max(run.bodies.size, 1e-9);
        const spring = Math.log10(live.spring);
        this.speed = slider({ label: "Speed", min: -2, max: 1.2, step: 0.05, value: 0, text: (x) => `${digits(10 ** x, 2)} ×`, onchange: (x) => live.send("speed", { value: 10 ** x }) });
        this.gravity = slider({ label: "Gravity", min: 0, max: 2 * (size || 9.81), step: 0.01, value: size, text: (x) => `${x.toFixed(2)} m/s²`, onchange: () => this.sendGravity() });
        this.friction = slider({ label: "Friction", min: 0, max: 3, step: 0.05, value: 1, text: (x) => `${x.toFixed(2)} × μ`, onchange: (x) => live.send("friction", { value: x }) });
        this.spring = slider({ label: "Spring", min: spring - 2, max: spring + 2, step: 0.05, value: spring,
            text: (x) => { const { value, unit } = withUnit(10 ** x, "N/m", 2); return `${value} ${unit}`; }, oninput: (x) => (live.spring = 10 ** x) });
        const axes = run.dim === 3 ? ["x", "y", "z"] : ["x", "y"];
        this.axes = axes.flatMap((name, k) => [-1, 1].map((sign) => {
            const v = axes.map((_, d) => (d === k ? sign : 0));
            const button = el("button", { type: "button", onclick: () => { this.direction = v; this.sendGravity(); } }, `${sign < 0 ? "−" : "+"}${name}`);
            button.vector = v;
            return button;
        }));
        this.element = el("section.section.live-panel", {}, el("h2", {}, "Live controls"), this.speed, this.gravity,
            el("div.option", {}, el("span", {}, "Down"), el("div.segmented", { role: "group", "aria-label": "Direction of gravity" }, this.axes)), this.friction, this.spring,
            el("p.note", {}, "Alt and drag pulls a body."));
    }

    sendGravity() {
        const size = Number(this.gravity.querySelector("input").value);
        this.app.live.send("gravity", { value: this.direction.map((x) => x * size) });
        this.update();
    }

    // What the simulation says it uses; not while a slider is held.
    set(values) {
        const free = (row) => !row.matches(":active") && !row.contains(document.activeElement);
        if (values.speed > 0 && free(this.speed)) this.speed.update(Math.log10(values.speed));
        if (values.friction >= 0 && free(this.friction)) this.friction.update(values.friction);
        if (Array.isArray(values.gravity) && free(this.gravity)) {
            const size = Math.hypot(...values.gravity);
            this.gravity.update(size);
            if (size > 0) this.direction = values.gravity.map((x) => x / size);
        }
    }

    update() {
        for (const button of this.axes) {
            const along = button.vector.reduce((sum, x, k) => sum + x * this.direction[k], 0);
            button.setAttribute("aria-pressed", String(along > 0.999));
        }
    }
}

function heaviest(bodies) {
    let most = 0;
    for (let i = 0; i < bodies.count; i++) if (bodies.moves[i]) most = Math.max(most, bodies.mass[i] ?? 0);
    return most || 1;
}
