// A live run: what is asked of the simulation, and the newest frame on the screen unless the user looks back.
const DRAG_MS = 16; // between two messages of a drag

export class LiveControl {
    constructor(app) {
        this.app = app;
        this.on = false;
        this.following = true; // the cursor is at the newest frame
        this.running = false;
        this.values = null;
        this.spring = 0;
        this.dragging = null;
        this.owed = []; // steps of frames that came and were not acknowledged
    }

    begin(values) {
        this.on = true;
        this.over = false;
        this.values = { speed: 1, friction: 1, ...values };
        this.running = Boolean(this.values.running);
        this.following = true;
        this.owed = [];
        this.app.layout.livePanel?.set(this.values);
    }

    ended() {
        this.over = true;
        this.running = false;
        this.app.invalidate("ui");
    }

    frame(pair) {
        const { app } = this, { run } = app;
        if (!run) return;
        const { frames } = run, { step, t, n } = pair.frame;
        if (n !== run.bodies.count) return app.problem(`a frame has ${n} bodies, not ${run.bodies.count}`);
        if (frames.count === 0 || step > frames.steps[frames.count - 1]) {
            frames.steps.push(step);
            frames.times.push(t);
        }
        const number = frames.atStep(step);
        frames.keep(number, pair);
        if (!run.measured) app.arrived(number);
        if (this.following) app.playback.time = t;
        app.layout.messages.hide();
        this.owed.push(step);
        app.invalidate("poses", "ui");
    }

    // The server sends the next frame when this one was drawn. Where the processor draws, the page rests as long as a picture
    // takes: the simulation needs the processor too.
    drawn() {
        const { view, source } = this.app, steps = this.owed;
        if (steps.length === 0) return;
        this.owed = [];
        const rest = view?.isLean && view.times.length ? view.cost : 0;
        setTimeout(() => steps.forEach((step) => source.acknowledge(step)), rest);
    }

    status(message) {
        this.last = message;
        this.running = message.running;
        this.app.layout.livePanel?.set(message);
        this.app.invalidate("ui");
    }

    async send(op, fields) {
        try {
            await this.app.source.command(op, fields);
        } catch (error) {
            this.app.problem(error.message);
        }
    }

    toggle() {
        this.running = !this.running;
        this.send(this.running ? "resume" : "pause");
        if (this.running) this.follow();
        this.app.invalidate("ui");
    }
    step() {
        if (this.running) this.toggle();
        this.follow();
        this.send("step", { count: 1 });
    }
    reset() {
        this.send("reset");
        this.follow();
    }
    follow() {
        this.following = true;
        if (this.app.run.frames.count) this.app.seekFrame(this.app.run.frames.count - 1);
    }
    // The user looks back; the simulation goes on.
    leave() {
        if (this.on) this.following = false;
    }

    // A spring from a point of a body to the pointer, as a force of the model.
    drag(body, grip, target) {
        const { view } = this.app;
        const from = view.poses.toWorld(body, grip);
        this.app.state.drag = { from, to: target };
        this.dragging = { body, grip, target };
        this.sendDrag();
        this.app.invalidate("overlay");
    }
    // At most once in DRAG_MS, and in any case the place where the pointer stops.
    sendDrag() {
        if (!this.dragging) return;
        const now = performance.now(), wait = (this.dragSent ?? -DRAG_MS) + DRAG_MS - now;
        if (wait > 0) return this.app.later("drag", wait, () => this.sendDrag());
        this.dragSent = now;
        const { body, grip, target } = this.dragging, { dim } = this.app.run;
        this.send("drag", { body, point: grip.slice(0, dim), target: target.slice(0, dim), k: this.spring });
    }
    release() {
        if (!this.dragging) return;
        this.dragging = null;
        this.app.state.drag = null;
        this.send("release");
        this.app.invalidate("overlay");
    }
    // The force that the spring exerts [N].
    dragForce() {
        const d = this.app.state.drag;
        return d ? this.spring * Math.hypot(...d.to.map((x, k) => x - d.from[k])) : 0;
    }
}
