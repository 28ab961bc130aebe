// What the colours and widths in the scene mean. It lives in the scene, so pictures carry it.
import { COLOURINGS, FIELD_UNITS, SOFT_COLOURINGS } from "../scene/colouring.js";
import { PRESSURE, TENSION } from "../scene/crosses.js";
import { css, emberOf, kindColour, mix, ramp, THEMES } from "../scene/palette.js";
import { count, digits, prefixFor } from "../format.js";
import { el } from "./dom.js";

export class Legend {
    constructor(app) {
        this.app = app;
        this.element = el("div.float.legend", { hidden: true });
    }

    update() {
        const { run, state, view } = this.app;
        if (!run || !view || !this.app.shown) return;
        const key = JSON.stringify([state.theme, state.layers.bodies, state.layers.chains, state.layers.points, state.layers.forces.on, state.layers.crosses, view.crossRange, view.range, view.forceRange(), view.clipping]);
        if (key === this.key && run === this.run) return;
        this.key = key;
        this.run = run;
        const parts = [];
        const { layers } = state;
        if (layers.chains.on && view.forceRange() > 0) parts.push(this.forces());
        if (FIELD_UNITS[layers.bodies.colour] !== undefined && layers.bodies.on) parts.push(this.field(layers.bodies.colour));
        if (layers.bodies.colour === "kind" && run.bodies.groups.length > 1 && run.bodies.groups.length <= 7) parts.push(this.groups());
        if (layers.bodies.colour === "material") parts.push(this.materials());
        if (layers.points.on) parts.push(el("div.keys", {}, el("span.key", {}, el("i.mark.stick"), "Stick"), el("span.key", {}, el("i.mark.slide"), "Slide"),
            ...(layers.points.open ? [el("span.key", {}, el("i.mark.open"), "Open")] : [])));
        if (layers.crosses?.on && view.crossRange > 0) parts.push(this.crosses());
        this.element.replaceChildren(...parts);
        this.element.hidden = parts.length === 0;
    }

    crosses() {
        const { view, state } = this.app, [factor, prefix] = prefixFor(view.crossRange, "Pa");
        const key = (name, colour) => {
            const swatch = el("i.swatch");
            swatch.style.setProperty("background", css(colour));
            return el("span.key", {}, swatch, name);
        };
        return el("div", {}, el("header", {}, "Principal stress", el("span", {}, `to ${digits(view.crossRange / factor)} ${prefix}Pa`)),
            el("div.keys", {}, key("Pressure", PRESSURE[state.theme]), key("Tension", TENSION[state.theme])));
    }

    // A wedge: width and colour together say the force.
    forces() {
        const { view, state } = this.app;
        const [factor, prefix] = prefixFor(view.forceRange(), "N"), { count: above, largest } = view.clipping ?? {};
        const note = above ? el("p.clipped", {}, `${count(above)} above, drawn like the end; largest ${digits(largest / factor)} ${prefix}N`) : null;
        return this.bar("Normal force", `${prefix}N`, view.forceRange() / factor, note, (g, w, h, scale) => {
            for (let x = 0; x < w; x++) {
                const share = x / w, half = Math.max(0.5 * scale, (share * h) / 2);
                g.fillStyle = css(ramp("ember", state.theme, emberOf(share)));
                g.fillRect(x, h / 2 - half, 1, 2 * half);
            }
        });
    }

    field(name) {
        const { view, state } = this.app;
        const label = [...COLOURINGS, ...SOFT_COLOURINGS].find((c) => c[0] === name)[1], unit = FIELD_UNITS[name];
        const [factor, prefix] = unit ? prefixFor(view.range, unit) : [1, ""];
        const mute = state.layers.chains.on ? 0.42 : 0;
        return this.bar(label, prefix + unit, view.range / factor, null, (g, w, h) => {
            for (let x = 0; x < w; x++) {
                g.fillStyle = css(mix(ramp(state.layers.bodies.ramp, state.theme, x / w), THEMES[state.theme].mute, mute));
                g.fillRect(x, 0, 1, h);
            }
        });
    }

    bar(label, unit, high, note, paint) {
        const canvas = el("canvas", { width: 312, height: 20 });
        paint(canvas.getContext("2d"), 312, 20, 2);
        return el("div", {}, el("header", {}, label, el("span", {}, unit)), canvas, el("div.ends", {}, el("span", {}, "0"), el("span", {}, digits(high))), note);
    }

    keys(list) {
        return el("div.keys.kinds", {}, list.map(([name, colour]) => {
            const swatch = el("i.swatch");
            const mute = this.app.run.dim === 2 && this.app.state.layers.chains.on ? 0.42 : 0;
            swatch.style.setProperty("background", css(mix(colour, THEMES[this.app.state.theme].mute, mute)));
            return el("span.key", {}, swatch, name);
        }));
    }
    groups() {
        return this.keys(this.app.run.bodies.groups.map(({ name }, k) => [name, kindColour(k)]));
    }
    materials() {
        return this.keys(this.app.run.bodies.materials.slice(0, 7).map((name, k) => [name, kindColour(k + 1)]));
    }
}
