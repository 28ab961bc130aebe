// Facts of the run.
import { count, digits, exponent, withUnit } from "../format.js";
import { el } from "./dom.js";

export class RunFacts {
    constructor(app) {
        this.app = app;
        this.list = el("dl.facts");
        this.element = el("section.section", {}, el("h2", {}, "Run"), this.list);
    }

    setRun(run) {
        const f = run.facts, { bodies } = run;
        const moving = bodies.moves.reduce((sum, m) => sum + m, 0);
        const kinds = new Set();
        bodies.shapes.forEach((list, i) => bodies.moves[i] && list.forEach((s) => kinds.add(s.kind)));
        const word = kinds.size === 1 ? `${plural([...kinds][0])}` : "";
        const h = withUnit(f.h, "s");
        const rows = [
            ["Bodies", `${count(bodies.count)}${moving < bodies.count ? `, ${count(moving)} ${word || "moving"}` : ` ${word}`}`],
            ["Dimension", `${run.dim}D`],
            ["Step", `${h.value} ${h.unit}`],
            ["Steps", " "],
            ["Frames", " "],
            ["Scheme", f.scheme ? `${f.scheme}, θ = ${digits(f.theta, 2)}` : null],
            ["Solver", f.solver],
            ["Tolerance", f.tolerance ? exponent(f.tolerance, 0) : null],
            ["Friction", f.friction?.length ? `μ = ${f.friction.slice(0, 3).map((m) => digits(m, 2)).join(", ")}` : null],
            ["Seed", f.seed !== undefined && f.seed !== null && f.seed !== "none" ? String(f.seed) : null],
            ["File", f.file],
            ["Cairn", run.hello.cairn],
        ];
        this.list.replaceChildren(...rows.filter((r) => r[1]).flatMap(([name, value]) => [el("dt", {}, name), el("dd", { "data-fact": name }, value)]));
        this.run = run;
        this.update();
    }

    // What grows while a run is live.
    update() {
        const { run } = this;
        if (!run) return;
        const set = (name, text) => {
            const element = this.list.querySelector(`[data-fact="${name}"]`);
            if (element.textContent !== text) element.textContent = text;
        };
        const { ledger, frames } = run;
        set("Steps", count(Math.max(run.mode === "live" ? 0 : run.facts.steps ?? 0, ledger.n ? ledger.last ?? 0 : 0, frames.steps.at(-1) ?? 0)));
        set("Frames", count(frames.count));
    }
}

function plural(kind) {
    return { polyhedron: "polyhedra", box: "boxes" }[kind] ?? `${kind}s`;
}
