// The selected body: who it is, how it moves, and who presses on it. Every number is of the recorded frame.
import { normalForces } from "../scene/pairs.js";
import { css } from "../scene/palette.js";
import { FADED, HIDDEN, SEEN } from "../scene/visibility.js";
import { jointStates } from "../data/joints.js";
import { shapeWord } from "../data/shapes.js";
import { count, prefixFor, digits, vectorText, withUnit } from "../format.js";
import { el, icon, iconButton, quantity } from "./dom.js";

const FIRST = 6;

export class Inspector {
    constructor(app) {
        this.app = app;
        this.element = el("section.section.inspector", { "aria-label": "Selected body" });
        this.impulse = false;
    }

    // The body's numbers in this frame, as the panel prints them and tests compare them.
    numbers(i) {
        const { frame, contacts } = this.app.shown, { bodies, facts } = this.app.run, { dim } = frame;
        const part = (array, size) => Array.from(array.subarray(size * i, size * (i + 1)));
        const velocity = part(frame.velocity, dim), spin = part(frame.spin, dim === 3 ? 3 : 1);
        const mass = bodies.mass[i] ?? 0;
        const speed = Math.hypot(...velocity);
        return {
            name: bodies.name[i], id: i + 1, step: frame.step, mass, position: part(frame.position, dim), velocity, spin, speed,
            kinetic: 0.5 * mass * speed * speed + this.turning(i, spin), neighbours: contacts ? neighboursOf(i, contacts, facts.h) : [], contactForce: contacts ? forceOn(i, contacts) : null,
            joints: jointStates(this.app.run, this.app.shown).filter((joint) => joint.bodies.includes(i)),
        };
    }

    // Kinetic energy of the spin; the inertia is in the body's axes.
    turning(i, spin) {
        const inertia = this.app.run.bodies.inertia[i];
        if (!inertia?.length) return 0;
        if (inertia.length === 1) return 0.5 * inertia[0] * spin[0] ** 2;
        const w = this.app.view ? this.app.view.poses.toBodyAxes(i, spin) : spin;
        const at = (r, c) => (inertia.length === 9 ? inertia[3 * r + c] : r === c ? inertia[r] : 0);
        let sum = 0;
        for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) sum += 0.5 * w[r] * at(r, c) * w[c];
        return sum;
    }

    update() {
        const { state, run, shown } = this.app, i = state.selection;
        if (!run || !shown) return;
        if (i < 0) {
            if (this.empty) return;
            this.empty = true;
            this.element.replaceChildren(el("p.note", {}, "Click a body to see its mass, motion, contacts and forces."));
            return;
        }
        this.empty = false;
        const body = this.numbers(i);
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
        this.element.replaceChildren(this.header(i, body), this.facts(body), ...this.distance(i), ...this.joints(body), this.contacts(body), this.actions(i));
        if (focused) this.element.querySelector(`[data-focus="${focused}"]`)?.focus();
    }

    header(i, body) {
        const { run, view } = this.app, shapes = run.bodies.shapes[i];
        const swatch = el("i.swatch");
        const t = view?.poses.tint.image.data;
        if (t) swatch.style.setProperty("background", css([t[4 * i] / 255, t[4 * i + 1] / 255, t[4 * i + 2] / 255]));
        const radius = shapes.length === 1 && shapes[0].radius ? withUnit(shapes[0].radius, "m") : null;
        const words = [run.bodies.material[i], shapeWord(shapes), radius ? `r ${radius.value} ${radius.unit}` : null, `id ${i + 1}`];
        return el("header", {}, swatch, el("div", {}, el("b", {}, body.name), el("small", {}, words.filter(Boolean).join(" · "))),
            iconButton("copy", "Copy as JSON", () => navigator.clipboard?.writeText(JSON.stringify(body, null, 1))),
            iconButton("close", "Clear the selection", () => this.app.select(-1), "Esc"));
    }

    facts(body) {
        const rows = [
            ["Mass", body.mass > 0 ? quantity(withUnit(body.mass, "kg")) : "fixed"],
            ["Position", quantity(vectorText(body.position, "m"))],
            ["Velocity", quantity(vectorText(body.velocity, "m/s"))],
            ["Spin", quantity(vectorText(body.spin, "rad/s"))],
            ...(body.contactForce ? [["Contact force, sum", quantity(vectorText(body.contactForce, "N"))]] : []),
            ...(body.mass > 0 ? [["Kinetic energy", quantity(withUnit(body.kinetic, "J"))]] : []),
        ];
        return el("dl.facts", {}, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    }

    contacts(body) {
        const { neighbours } = body;
        const points = neighbours.reduce((sum, n) => sum + n.points, 0);
        if (neighbours.length === 0) return el("p.note", {}, this.app.shown.contacts ? "No contact in this frame." : "Contacts were not recorded.");
        const unit = this.impulse ? "N s" : "N", value = (n) => (this.impulse ? n.impulse : n.force);
        const [factor, prefix] = prefixFor(Math.max(...neighbours.map(value)), unit);
        const pressing = neighbours.filter((n) => n.force > 0), open = neighbours.length - pressing.length;
        const more = [pressing.length > FIRST ? `${pressing.length - FIRST} weaker` : null, open ? `${open} open` : null].filter(Boolean);
        const rows = pressing.slice(0, FIRST).map((n) => el("tr", {}, el("td", {},
            el("button", { type: "button", "data-focus": `n${n.body}`, onclick: () => this.app.select(n.body) }, el(`i.mark.${["open", "stick", "slide"][n.status]}`, { title: n.word }),
                el("span", {}, n.name(this.app), n.points > 1 ? el("small", {}, ` ${n.points} points`) : null))),
        el("td", {}, digits(value(n) / factor)), el("td", {}, meter(n.used), n.used === null ? "–" : `${Math.round(100 * n.used)} %`)));
        return el("div", {}, el("table", {},
            el("thead", {}, el("tr", {}, el("th", { scope: "col" }, `${count(points)} ${points === 1 ? "contact" : "contacts"}`),
                el("th", { scope: "col" }, el("button.text-button", { type: "button", "data-focus": "unit", title: "Force or impulse", onclick: () => { this.impulse = !this.impulse; this.update(); } },
                    `${this.impulse ? "Impulse" : "Normal"} ${prefix}${unit}`)), el("th", { scope: "col" }, "Friction used"))),
            el("tbody", {}, rows)),
        more.length ? el("p.note", {}, `and ${more.join(", ")}`) : null);
    }

    // To the other body: from centre of mass to centre of mass, and between the surfaces of two round bodies.
    distance(i) {
        const { app } = this, { other, measuring } = app.state;
        if (measuring) return [el("p.note", {}, "Click the body to measure to.")];
        if (other < 0) return [];
        const { distance, away, gap } = this.between(i, other);
        const rows = [["Distance", quantity(withUnit(distance, "m", 4))], ["Direction", quantity(vectorText(away, "m"))], ...(gap === null ? [] : [["Gap", quantity(withUnit(gap, "m", 4))]])];
        return [el("h3", {}, `To ${app.run.bodies.name[other]}`, iconButton("close", "Clear the measurement", () => app.measure(-1))),
            el("dl.facts", {}, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]))];
    }
    between(i, other) {
        const { run, view } = this.app, { bodies } = run;
        const centre = (k) => view.poses.toWorld(k, [0, 1, 2].map((d) => bodies.com[k]?.[d] ?? 0));
        const from = centre(i), away = centre(other).map((x, d) => x - from[d]).slice(0, run.dim), distance = Math.hypot(...away);
        const radius = (k) => (bodies.shapes[k].length === 1 && ["sphere", "disk"].includes(bodies.shapes[k][0].kind) ? bodies.shapes[k][0].radius : NaN);
        const gap = distance - radius(i) - radius(other);
        return { distance, away, gap: Number.isNaN(gap) ? null : gap };
    }

    joints(body) {
        if (body.joints.length === 0) return [];
        const shown = (x, unit, digitsShown) => (x === null ? "–" : quantity(withUnit(x, unit, digitsShown)));
        return [el("table.joints", {}, el("thead", {}, el("tr", {}, ["Joint", "Position", "Motor", "Force"].map((t) => el("th", { scope: "col" }, t)))),
            el("tbody", {}, body.joints.map((joint) => el("tr", {}, el("td", {}, joint.name), el("td", {}, joint.turns && joint.value !== null ? `${digits((joint.value * 180) / Math.PI, 4)}°` : shown(joint.value, "m", 4)),
                el("td", {}, shown(joint.effort, joint.turns ? "N m" : "N", 3)), el("td", {}, shown(joint.force, "N", 3))))))];
    }

    actions(i) {
        const { app } = this, mode = app.view?.visibility.of(i) ?? SEEN;
        const button = (name, label, on, action) => el("button.button", { type: "button", "data-focus": label, "aria-pressed": String(on), onclick: action }, icon(name), label);
        return el("div.actions", {},
            button("target", "Follow", app.state.follow, () => { app.state.follow = !app.state.follow; app.invalidate("selection", "camera"); }),
            button("route", "Trace", app.state.traces.has(i), () => app.trace(i)),
            button("chart", "Plot", app.layout.plots.hasBody(i), () => app.layout.plots.toggleBody(i)),
            button("ghost", "Fade", mode === FADED, () => app.setVisibility([i], mode === FADED ? SEEN : FADED)),
            button("eye-off", "Hide", mode === HIDDEN, () => app.setVisibility([i], mode === HIDDEN ? SEEN : HIDDEN)),
            button("target", "Isolate", false, () => app.isolate([i])),
            button("ruler", "Measure", app.state.measuring || app.state.other >= 0, () => (app.state.measuring || app.state.other >= 0 ? app.measure(-1) : app.measure())));
    }
}

// Contacts of a body summed by neighbour, strongest first. Friction used is |tangential| over friction times normal.
function neighboursOf(i, contacts, h) {
    const { n, dim, candidate, antagonist, force, normal, friction, status } = contacts, size = normalForces(contacts);
    const found = new Map();
    for (let c = 0; c < n; c++) {
        if (candidate[c] !== i && antagonist[c] !== i) continue;
        const other = candidate[c] === i ? antagonist[c] : candidate[c];
        let entry = found.get(other);
        if (!entry) found.set(other, (entry = { body: other, points: 0, force: 0, tangential: 0, limit: 0, status: 0 }));
        let tangential = 0;
        for (let d = 0; d < dim; d++) tangential += (force[dim * c + d] - size[c] * normal[dim * c + d]) ** 2;
        entry.points++;
        entry.force += size[c];
        entry.tangential += Math.sqrt(tangential);
        entry.limit += friction[c] * size[c];
        entry.status = Math.max(entry.status, status[c]);
    }
    return [...found.values()].sort((a, b) => b.force - a.force).map((entry) => ({
        ...entry, impulse: entry.force * h, used: entry.limit > 0 ? Math.min(1, entry.tangential / entry.limit) : null,
        word: ["open", "sticking", "sliding"][entry.status], name: (app) => app.run.bodies.name[entry.body],
    }));
}

// The sum of the contact forces on a body [N]; a contact's force is on its candidate.
function forceOn(i, contacts) {
    const { n, dim, candidate, antagonist, force } = contacts, sum = new Array(dim).fill(0);
    for (let c = 0; c < n; c++) {
        const sign = (candidate[c] === i) - (antagonist[c] === i);
        for (let d = 0; sign && d < dim; d++) sum[d] += sign * force[dim * c + d];
    }
    return sum;
}

function meter(used) {
    const bar = el("i");
    bar.style.setProperty("width", `${100 * (used ?? 0)}%`);
    return el(`span.meter${used >= 0.995 ? ".full" : ""}`, {}, bar);
}
