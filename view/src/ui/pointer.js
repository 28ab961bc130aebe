// The mouse and fingers on the scene: turn, move, zoom to the cursor, select, and in live runs pull a body.
const CLICK = 4; // [px] that a click may move
const HOVER_MS = 33;
const LONG_PRESS = 500; // [ms]

export class Pointer {
    constructor(app) {
        this.app = app;
        this.canvas = app.layout.canvas;
        this.fingers = new Map();
        this.armed = false;
        this.canvas.addEventListener("pointerdown", (e) => this.down(e));
        this.canvas.addEventListener("pointermove", (e) => this.move(e));
        this.canvas.addEventListener("pointerup", (e) => this.up(e));
        this.canvas.addEventListener("pointercancel", (e) => this.up(e));
        this.canvas.addEventListener("pointerleave", () => this.hover(null));
        this.canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
        this.canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    }

    // The next press pulls a body.
    arm() {
        this.armed = this.app.run?.mode === "live";
        this.canvas.classList.toggle("grab", this.armed);
    }

    place(event) {
        const box = this.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top, w: box.width, h: box.height };
    }
    pickAt(event) {
        const { x, y, w, h } = this.place(event);
        return this.app.view.pick((2 * x) / w - 1, 1 - (2 * y) / h);
    }

    down(event) {
        const { app } = this;
        if (!app.view?.pair) return;
        this.canvas.setPointerCapture(event.pointerId);
        this.fingers.set(event.pointerId, event);
        this.start = event;
        this.moved = false;
        if ((event.altKey || this.armed) && app.run.mode === "live") this.grab(event);
        else if (event.pointerType === "touch" && app.run.mode === "live") {
            this.press = setTimeout(() => this.moved || this.grab(event), LONG_PRESS);
        }
    }

    grab(event) {
        const hit = this.pickAt(event);
        if (!hit || !this.app.run.bodies.moves[hit.body]) return;
        this.app.select(hit.body);
        this.held = { body: hit.body, grip: this.app.view.poses.toBody(hit.body, hit.point), depth: hit.t };
        this.pull(event);
    }

    // The target lies where the pointer's ray crosses the plane through the grip that faces the eye.
    pull(event) {
        const { x, y, w, h } = this.place(event), { view } = this.app;
        const ray = view.ray((2 * x) / w - 1, 1 - (2 * y) / h);
        const target = view.dim === 2 ? [ray.origin[0], ray.origin[1], 0] : ray.origin.map((o, k) => o + this.held.depth * ray.direction[k]);
        this.app.live.drag(this.held.body, this.held.grip, target);
        this.showTip(x, y, `${this.app.live.dragForce().toPrecision(3)} N`);
    }

    move(event) {
        const { app } = this, last = this.fingers.get(event.pointerId);
        if (!app.view?.pair) return;
        if (!last) return this.hover(event);
        this.fingers.set(event.pointerId, event);
        if (Math.hypot(event.clientX - this.start.clientX, event.clientY - this.start.clientY) > CLICK) this.moved = true;
        if (this.held) return this.pull(event);
        if (!this.moved) return;
        const { w, h } = this.place(event), { camera } = app.view;
        const dx = (event.clientX - last.clientX) / w, dy = (event.clientY - last.clientY) / h;
        if (this.fingers.size === 2) this.pinch(event, last);
        else if (event.shiftKey || event.buttons & 6 || app.run.dim === 2) camera.pan(dx, dy);
        else camera.orbit((dx * w) / h, dy);
        app.invalidate("camera");
    }

    pinch(event, last) {
        const other = [...this.fingers.values()].find((f) => f.pointerId !== event.pointerId);
        const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
        const now = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
        if (before > 0 && now > 0) this.app.view.camera.zoom(before / now);
    }

    up(event) {
        clearTimeout(this.press);
        const was = this.fingers.delete(event.pointerId);
        if (this.held) {
            this.held = null;
            this.armed = false;
            this.canvas.classList.remove("grab");
            this.app.live.release();
            this.hover(null);
        } else if (was && !this.moved && event.type === "pointerup" && this.app.view?.pair) {
            this.app.select(this.pickAt(event)?.body ?? -1);
        }
    }

    wheel(event) {
        const { view } = this.app;
        if (!view?.pair) return;
        event.preventDefault();
        const { x, y, w, h } = this.place(event);
        view.camera.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.0015))), x / w - 0.5, 0.5 - y / h);
        this.app.invalidate("camera");
    }

    hover(event) {
        const now = performance.now();
        if (!event || this.app.playback.playing) return this.showTip(0, 0, null);
        if (now - (this.hovered ?? 0) < HOVER_MS || event.pointerType === "touch") return;
        this.hovered = now;
        const hit = this.pickAt(event), { x, y } = this.place(event);
        this.showTip(x, y, hit ? this.app.run.bodies.name[hit.body] : null);
    }

    showTip(x, y, text) {
        const { tip } = this.app.layout;
        tip.hidden = !text;
        if (!text) return;
        tip.textContent = text;
        tip.style.setProperty("left", `${x}px`);
        tip.style.setProperty("top", `${y}px`);
    }
}
