// In space the directions of the axes, in the plane a scale bar.
import { Vector3 } from "three";

import { prefixFor } from "../format.js";
import { niceAbove } from "../scene/colouring.js";
import { el, svg } from "./dom.js";

const AXES = [["x", new Vector3(1, 0, 0), "var(--k3)"], ["y", new Vector3(0, 1, 0), "var(--k4)"], ["z", new Vector3(0, 0, 1), "var(--k1)"]];

export class Gizmo {
    constructor(app) {
        this.app = app;
        this.axes = svg("svg", { viewBox: "-30 -30 60 60", class: "gizmo", "aria-hidden": "true" });
        this.text = el("span");
        this.rule = el("i");
        this.bar = el("div.scale-bar", {}, this.text, this.rule);
        this.element = el("div", {}, this.axes, this.bar);
        this.axes.style.display = "none";
        this.bar.hidden = true;
    }

    setRun(run) {
        this.axes.style.display = run.dim === 3 ? "" : "none";
        this.bar.hidden = run.dim === 3;
    }

    update() {
        const { view } = this.app;
        if (!view?.camera) return;
        if (view.dim === 3) this.drawAxes(view.camera.current.matrixWorldInverse);
        else this.drawBar(view.camera.pixel(view.height));
    }

    drawAxes(matrix) {
        const ends = AXES.map(([name, axis, colour]) => ({ name, colour, v: axis.clone().transformDirection(matrix) })).sort((a, b) => a.v.z - b.v.z);
        this.axes.replaceChildren(...ends.flatMap(({ name, colour, v }) => [
            svg("line", { x1: 0, y1: 0, x2: 21 * v.x, y2: -21 * v.y, stroke: colour, "stroke-width": 1.8, "stroke-linecap": "round" }),
            svg("text", { x: 27 * v.x, y: -27 * v.y + 3.5, fill: colour, "text-anchor": "middle" }, name),
        ]));
    }

    drawBar(pixel) {
        let length = niceAbove(50 * pixel);
        if (length / pixel > 110) length /= 2;
        const [factor, prefix] = prefixFor(length, "m");
        this.text.textContent = `${Number((length / factor).toPrecision(3))} ${prefix}m`;
        this.rule.style.setProperty("width", `${length / pixel}px`);
    }
}
