// What is shown: a row for each layer with its count; its options unfold while it is on.
import { COLOURINGS, FIELD_UNITS, SOFT_COLOURINGS } from "../scene/colouring.js";
import { FIELD_NAMES } from "../scene/palette.js";
import { FADED, HIDDEN, SEEN } from "../scene/visibility.js";
import { count, withUnit } from "../format.js";
import { el, icon, slider } from "./dom.js";

const MOST_KINDS = 12;
const STATUSES = [["stick", "Stick", 1], ["slide", "Slide", 2], ["open", "Open", 0]];

export class LayersPanel {
    constructor(app) {
        this.app = app;
        this.list = el("div");
        this.element = el("section.section.layers", {},
            el("header", {}, el("h2", {}, "Layers"), el("button.text-button", { type: "button", onclick: () => app.resetLayers() }, "Reset")), this.list);
    }

    setRun(run) {
        this.rows = {};
        this.controls = [];
        const recorded = run.hello.contacts_recorded !== false;
        this.list.replaceChildren(
            this.row("bodies", "Bodies", "B", this.bodyOptions(), () => count(run.bodies.count)),
            this.row("chains", "Force chains", "C", this.chainOptions(), () => this.contactCount(), recorded),
            this.row("points", "Contact points", "X", this.pointOptions(), () => this.contactCount(), recorded),
            this.row("normals", "Contact normals", "M", null, () => "", recorded),
            this.row("forces", "Force vectors", null, null, () => "", recorded),
            this.row("paths", "Trajectories", "J", this.pathOptions(), () => this.pathCount()),
            ...(run.bodies.joints.length ? [this.row("joints", "Joints", null, null, () => count(run.bodies.joints.length))] : []),
            ...(run.bodies.soft.elements ? [
                this.row("deformed", "Magnified displacements", null, this.deformedOptions(), () => ""),
                this.row("crosses", "Principal stresses", null, this.crossOptions(recorded), () => ""),
            ] : []),
            ...(run.dim === 3 ? [this.row("cut", "Cut plane", "K", this.cutOptions(run), () => "")] : []));
        if (!recorded) this.list.append(el("p.note", {}, "This run did not record contacts."));
    }

    row(name, label, key, options, counter, enabled = true) {
        const number = el("span.count");
        const eye = el("span");
        const head = el("button.layer-head", {
            type: "button", title: key ? `${label} (${key})` : label, disabled: !enabled, onclick: () => this.toggle(name),
        }, eye, el("span", {}, label), number);
        const element = el("div.layer", {}, head, ...(options ? [el("div.options", {}, options)] : []));
        this.rows[name] = { element, head, eye, number, counter };
        return element;
    }

    toggle(name) {
        const { app } = this;
        // Trajectories need a body: the selected one, if there is none yet.
        if (name === "paths" && app.state.traces.size === 0) {
            if (app.state.selection >= 0) app.trace(app.state.selection);
            else app.layout.messages.notice("Select a body first, then trace it.");
            return;
        }
        app.toggleLayer(name);
    }

    contactCount() {
        const contacts = this.app.shown?.contacts;
        return contacts ? count(contacts.n) : "";
    }
    pathCount() {
        const n = this.app.state.traces.size;
        return n === 0 ? "0" : `${n} ${n === 1 ? "body" : "bodies"}`;
    }

    control(make) {
        this.controls.push(make);
        return make.element;
    }
    select(layer, key, choices, label) {
        const element = el("select", { "aria-label": label, onchange: (e) => this.app.setLayer(layer, { [key]: e.target.value }) },
            choices.map(([value, text]) => el("option", { value }, text)));
        return this.control({ element, update: () => (element.value = this.app.state.layers[layer][key]) });
    }
    slide(layer, key, options) {
        const element = slider({ ...options, value: this.app.state.layers[layer][key], oninput: (x) => this.app.setLayer(layer, { [key]: x }) });
        return this.control({ element, update: () => element.update(this.app.state.layers[layer][key]) });
    }

    bodyOptions() {
        const { app } = this;
        const ramp = el("div.option", {}, el("span", {}, "Map"), this.select("bodies", "ramp", FIELD_NAMES.map((n) => [n, n]), "Colour map"));
        this.controls.push({ update: () => (ramp.hidden = FIELD_UNITS[app.state.layers.bodies.colour] === undefined) });
        const range = el("input.field", { type: "number", min: 0, step: "any", placeholder: "auto", "aria-label": "Largest value of the colour range",
            onchange: (e) => app.setLayer("bodies", { range: Math.max(0, Number(e.target.value) || 0) }) });
        range.style.setProperty("width", "134px");
        const limits = el("div.option", {}, el("span", {}, "Up to"), range);
        this.controls.push({ update: () => {
            limits.hidden = ramp.hidden;
            if (document.activeElement !== range) range.value = app.state.layers.bodies.range || "";
        } });
        return [
            el("div.option", {}, el("span", {}, "Colour by"), this.select("bodies", "colour", app.run.bodies.soft.elements ? [...COLOURINGS, ...SOFT_COLOURINGS] : COLOURINGS, "Colour by")), ramp, limits,
            this.kindRows(),
            this.slide("bodies", "opacity", { label: "Opacity", min: 0.05, max: 1, step: 0.05, text: (x) => `${Math.round(100 * x)} %` }),
        ];
    }
    // A row for each kind of body: shown, faded, hidden, or alone.
    kindRows() {
        const { app } = this, kinds = app.run.bodies.kinds().slice(0, MOST_KINDS);
        const rows = kinds.map(({ name, list }) => {
            const modes = [["eye", "Show", SEEN], ["ghost", "Fade", FADED], ["eye-off", "Hide", HIDDEN]].map(([image, word, mode]) =>
                Object.assign(el("button", { type: "button", title: `${word} ${name}`, "aria-label": `${word} ${name}`, onclick: () => app.setVisibility(list, mode) }, icon(image, 14)), { mode }));
            const alone = el("button", { type: "button", title: `Show only ${name}`, "aria-label": `Show only ${name}`, onclick: () => app.isolate(list) }, icon("target", 14));
            this.controls.push({ update: () => {
                const now = app.view?.visibility.common(list);
                for (const b of modes) b.setAttribute("aria-pressed", String(b.mode === now));
            } });
            return el("div.option.kind", {}, el("span", { title: name }, name), el("div.segmented", { role: "group", "aria-label": name }, modes, alone));
        });
        const all = el("button.text-button", { type: "button", onclick: () => app.showAll() }, "Show all"), note = el("span");
        const line = el("div.option.not-shown", {}, note, all);
        this.controls.push({ update: () => {
            const [faded, hidden] = app.view?.visibility.counts() ?? [0, 0];
            line.hidden = faded + hidden === 0;
            note.textContent = [faded ? `${count(faded)} faded` : null, hidden ? `${count(hidden)} hidden` : null].filter(Boolean).join(", ");
        } });
        return el("div", {}, rows, line);
    }
    chainOptions() {
        const { app } = this;
        const range = el("input.field", { type: "number", min: 0, step: "any", placeholder: "auto", "aria-label": "Force at which widths end [N]",
            onchange: (e) => app.setLayer("chains", { range: Math.max(0, Number(e.target.value) || 0) }) });
        range.style.setProperty("width", "134px");
        this.controls.push({ update: () => {
            if (document.activeElement !== range) range.value = app.state.layers.chains.range || "";
        } });
        return [
            el("div.option", {}, el("span", {}, "Up to [N]"), range),
            this.slide("chains", "width", { label: "Width", min: 0.2, max: 3, step: 0.05, text: (x) => `${x.toFixed(2)} ×` }),
            this.slide("chains", "hide", { label: "Hide below", min: 0, max: 3, step: 0.1, text: (x) => `${x.toFixed(1)} × avg` }),
        ];
    }
    pointOptions() {
        const { app } = this;
        return el("div.chips", {}, STATUSES.map(([key, label, status]) => {
            const number = el("span");
            const element = el("button.chip", { type: "button", onclick: () => app.setLayer("points", { [key]: !app.state.layers.points[key] }) },
                el(`i.mark.${key}`), label, number);
            return this.control({ element, update: () => {
                element.setAttribute("aria-pressed", String(app.state.layers.points[key]));
                number.textContent = app.shown?.contacts ? count(statusCounts(app.shown.contacts)[status]) : "";
            } });
        }));
    }
    pathOptions() {
        return this.slide("paths", "length", { label: "Length", min: 0.02, max: 1, step: 0.02, text: (x) => (x >= 1 ? "all" : `${Math.round(100 * x)} %`) });
    }

    deformedOptions() {
        return [
            this.slide("deformed", "power", { label: "Times", min: 0, max: 4, step: 0.1, text: (x) => `${Number((10 ** x).toPrecision(2))} ×` }),
            el("div.option", {}, el("span", {}, "Counted"), this.select("deformed", "from", [["start", "from the start"], ["pose", "in the body"]], "What displacements are counted from")),
        ];
    }
    crossOptions(recorded) {
        return [
            el("div.option", {}, el("span", {}, "Of"), this.select("crosses", "of", [["elements", "elements"], ...(recorded ? [["bodies", "whole bodies"]] : [])], "What has a cross")),
            this.slide("crosses", "scale", { label: "Length", min: 0.2, max: 4, step: 0.1, text: (x) => `${x.toFixed(1)} ×` }),
        ];
    }

    cutOptions(run) {
        const { app } = this;
        const place = slider({ label: "Offset", min: 0, max: 1, step: 0.005, value: 0.5, text: (x) => x,
            oninput: (x) => app.setLayer("cut", { offset: x }) });
        place.lastChild.replaceChildren("");
        const text = () => { const { value, unit } = withUnit(app.state.layers.cut.offset, "m"); return `${value} ${unit}`; };
        const axes = ["x", "y", "z"].map((name, axis) => el("button", { type: "button", onclick: () => app.setLayer("cut", { axis, offset: run.sphere.centre.getComponent(axis) }) }, name));
        const modes = [["whole", false], ["slice", true]].map(([name, slice]) => el("button", { type: "button", onclick: () => app.setLayer("cut", { slice }) }, name));
        const flip = el("button.text-button", { type: "button", onclick: () => app.setLayer("cut", { flip: -app.state.layers.cut.flip }) }, "Other side");
        this.controls.push({ update: () => {
            const { cut } = app.state.layers, low = run.box.low[cut.axis], high = run.box.high[cut.axis];
            place.setRange(low, high, (high - low) / 200);
            place.update(cut.offset);
            place.lastChild.replaceChildren(text());
            place.firstChild.textContent = `Along ${"xyz"[cut.axis]}`;
            axes.forEach((b, k) => b.setAttribute("aria-pressed", String(k === cut.axis)));
            modes.forEach((b, k) => b.setAttribute("aria-pressed", String(Boolean(k) === cut.slice)));
        } });
        return [place, el("div.option", {}, el("div.segmented", { role: "group", "aria-label": "Axis" }, axes), el("div.segmented", { role: "group", "aria-label": "Bodies" }, modes)),
            el("div.option", {}, flip)];
    }

    update() {
        if (!this.rows) return;
        const { layers } = this.app.state;
        for (const [name, row] of Object.entries(this.rows)) {
            const on = layers[name].on;
            row.element.classList.toggle("on", on);
            row.head.setAttribute("aria-pressed", String(on));
            if (row.shown !== on) {
                row.eye.replaceChildren(icon(on ? "eye" : "eye-off"));
                row.shown = on;
            }
            row.number.textContent = row.counter();
        }
        for (const control of this.controls) control.update();
    }
}

export function statusCounts(contacts) {
    if (!contacts.statusCounts) {
        contacts.statusCounts = [0, 0, 0];
        for (const s of contacts.status) contacts.statusCounts[s]++;
    }
    return contacts.statusCounts;
}

