// Keys. None acts while a field has the focus.
import { FADED, HIDDEN, SEEN } from "../scene/visibility.js";
import { el } from "./dom.js";

const ORBIT = 0.03;

// A comma stays a comma with Shift, whatever else the layout writes there; other keys are known by what they write.
function keyOf(event) {
    if (event.code === "Comma" || event.code === "Period") return event.code === "Comma" ? "," : ".";
    return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export class Keyboard {
    constructor(app) {
        this.app = app;
        document.addEventListener("keydown", (event) => this.onKey(event));
    }

    onKey(event) {
        const { app } = this, target = event.target;
        if (event.ctrlKey || event.metaKey || (event.altKey && event.key !== "Alt")) return;
        if (event.key === "Escape" && !document.querySelector("dialog[open]")) return this.escape();
        if (target.matches?.("input:not([type=range]), select, textarea")) return;
        if (!app.run || document.querySelector("dialog[open]")) return;
        const onButton = target.matches?.("button, input");
        if (onButton && (event.key === " " || event.key === "Enter" || event.key.startsWith("Arrow"))) return;
        if (this.cameraKey(event)) return event.preventDefault();
        const action = this.actions(event.shiftKey)[keyOf(event)];
        if (action) {
            event.preventDefault();
            action();
        }
    }

    actions(shift) {
        const { app } = this, { playback, layout, live } = app;
        const isLive = app.run.mode === "live";
        const step = (by) => () => (isLive && by > 0 && live.following ? live.step() : app.stepFrames(by * (shift ? 10 : 1)));
        return {
            " ": () => (isLive ? live.toggle() : playback.toggle()), ",": step(-1), ".": step(1),
            Home: () => app.seekFrame(0), End: () => app.seekFrame(Infinity), a: () => playback.changeSpeed(-1), s: () => playback.changeSpeed(1), l: () => layout.timeBar.toggleLoop(), n: () => app.seekBad(shift ? -1 : 1), t: () => layout.badge.open(),
            b: () => app.toggleLayer("bodies"), c: () => app.toggleLayer("chains"), x: () => app.toggleLayer("points"), m: () => app.toggleLayer("normals"),
            j: () => layout.layers.toggle("paths"), k: () => app.run.dim === 3 && app.toggleLayer("cut"),
            1: () => this.preset("iso"), 2: () => this.preset("front"), 3: () => this.preset("side"), 4: () => this.preset("top"), f: () => app.fit(),
            o: () => { app.view?.camera.toggleProjection(); app.invalidate("camera"); }, "/": () => this.find(), i: () => this.nextNeighbour(),
            y: () => this.hide(shift ? FADED : HIDDEN), z: () => this.isolate(), u: () => app.showAll(), w: () => this.measure(),
            "[": () => layout.togglePanel("left"), "]": () => layout.togglePanel("right"), h: () => layout.togglePicture(),
            e: () => layout.tables.open(), p: () => app.capture.picture(), v: () => app.capture.toggleVideo(), d: () => app.setTheme(app.state.theme === "dark" ? "light" : "dark"),
            "?": () => layout.topBar.helpButton.click(), g: () => app.pointer.arm(), r: () => isLive && live.reset(),
        };
    }

    hide(mode) {
        const { app } = this, i = app.state.selection;
        if (i < 0) return app.layout.messages.notice("Select a body first, then hide it.");
        app.setVisibility([i], app.view.visibility.of(i) === mode ? SEEN : mode);
    }
    isolate() {
        const { app } = this;
        if (app.state.selection < 0) return app.layout.messages.notice("Select a body first, then isolate it.");
        app.isolate([app.state.selection]);
    }
    measure() {
        const { app } = this;
        if (app.state.selection < 0) return app.layout.messages.notice("Select a body first, then measure from it.");
        if (app.state.measuring || app.state.other >= 0) app.measure(-1);
        else app.measure();
    }

    preset(name) {
        if (this.app.run.dim === 3) this.app.lookFrom(name);
        else this.app.fit();
    }

    cameraKey(event) {
        const { camera } = this.app.view ?? {};
        const by = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        const zoom = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
        if (!camera || (!by && !zoom)) return false;
        if (zoom) camera.zoom(zoom);
        else if (event.shiftKey) camera.pan(by[0] * ORBIT, by[1] * ORBIT);
        else camera.orbit(by[0] * ORBIT, by[1] * ORBIT);
        this.app.invalidate("camera");
        return true;
    }

    escape() {
        const { app } = this;
        if (app.layout.popover.close()) return;
        if (app.root.classList.contains("picture")) app.layout.togglePicture();
        else if (app.run) app.select(-1);
    }

    nextNeighbour() {
        const { app } = this, i = app.state.selection;
        if (i < 0) return;
        const list = app.layout.inspector.numbers(i).neighbours;
        if (list.length) app.select(list[0].body === this.cameFrom && list.length > 1 ? list[1].body : list[0].body);
        this.cameFrom = i;
    }

    // Bodies by name or id.
    find() {
        const { app } = this, { bodies } = app.run;
        const list = el("div.menu");
        const search = (text) => {
            const words = text.trim().toLowerCase(), found = [];
            for (let i = 0; i < bodies.count && found.length < 8 && words; i++) {
                if (String(i + 1) === words || bodies.name[i].toLowerCase().includes(words)) found.push(i);
            }
            list.replaceChildren(...found.map((i) => el("button", { type: "button", onclick: () => choose(i) }, `${bodies.name[i]} · id ${i + 1}`)));
            return found;
        };
        const choose = (i) => { app.layout.popover.close(); app.select(i); };
        const input = el("input.field", { type: "text", placeholder: "Name or id of a body", "aria-label": "Find a body", oninput: (e) => search(e.target.value),
            onkeydown: (e) => { if (e.key === "Enter") { const found = search(e.target.value); if (found.length) choose(found[0]); } } });
        app.layout.popover.toggle(app.layout.topBar.element, "find", () => el("div", { "data-width": "300" }, input, list));
    }
}
