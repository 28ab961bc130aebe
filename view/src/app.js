// The page as a whole: one state, one cursor in time, and who is told when something changes. Data comes from a source (socket or
// file), pictures are the View's, panels are in ui/. Everything is drawn on demand: a change marks what is stale and
// asks for one animation frame.
import { FileSource } from "./data/source_file.js";
import { Run } from "./data/run.js";
import { SocketSource } from "./data/source_socket.js";
import { Playback } from "./playback.js";
import { CanvasView } from "./scene/canvas_view.js";
import { SETTLE, View } from "./scene/view.js";
import { FADED, HIDDEN } from "./scene/visibility.js";
import { defaultLayers, loadTaste, readHash, readMoment, saveTaste, systemTheme, writeHash } from "./state.js";
import { Capture } from "./ui/capture.js";
import { Keyboard } from "./ui/keyboard.js";
import { Layout } from "./ui/layout.js";
import { LiveControl } from "./live.js";
import { Pointer } from "./ui/pointer.js";

export class App {
    constructor(root) {
        this.startedAt = performance.now();
        this.open(); // the data is under way while the page is made
        const taste = loadTaste();
        this.root = root;
        this.taste = taste;
        this.run = null;
        this.state = {
            theme: taste.theme ?? systemTheme(), layers: null, selection: -1, other: -1, measuring: false, hover: -1, traces: new Map(), drag: null, follow: false,
            frame: 0, plots: null,
        };
        this.stale = new Set();
        this.scheduled = false;
        this.playback = new Playback(this);
        this.layout = new Layout(this);
        this.applyTheme();
        this.makeView();
        this.pointer = new Pointer(this);
        this.keyboard = new Keyboard(this);
        this.capture = new Capture(this);
        this.live = new LiveControl(this);
        new ResizeObserver(() => this.resize()).observe(this.layout.scene);
        matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
            if (!this.taste.theme) this.setTheme(systemTheme(), false);
        });
    }

    makeView() {
        try {
            this.view = new View(this.layout.canvas);
        } catch (error) {
            this.view = new CanvasView(this.layout.canvas);
            this.layout.messages.notice("This browser has no WebGL 2: the scene is drawn plainly, without shadows. Everything else works.");
            console.info(`no WebGL 2: ${error.message}`);
        }
        let losses = 0;
        this.layout.canvas.addEventListener("webglcontextlost", (event) => {
            event.preventDefault();
            if (++losses > 2) this.layout.messages.notice("The graphics were lost several times; drawing simply from now on.");
        });
        this.layout.canvas.addEventListener("webglcontextrestored", () => this.invalidate("poses", "look"));
    }

    async open() {
        this.source = FileSource.isPresent() ? new FileSource(this) : new SocketSource(this);
        const slow = setTimeout(() => this.run ?? this.layout.messages.show("Opening", "Reading the run …", null), 300);
        try {
            await this.source.open();
        } catch (error) {
            this.layout.messages.show("This run cannot be read", error.message, null);
        } finally {
            clearTimeout(slow);
        }
    }

    // ---- what a source tells ----

    // The first word of a run; its bodies follow.
    expect(hello) {
        if (!this.run) this.view?.expect(hello.run.dim);
    }

    hello(hello, bodies, index) {
        this.marks = { hello: performance.now() };
        const first = this.run === null;
        this.layout.messages.hide();
        const run = new Run(hello, bodies, index, this.source, {
            frame: (number) => this.arrived(number),
            problem: (error, number) => this.missing(error, number),
        });
        this.run = run;
        run.frames.fetch(first ? firstFrame(run.frames) : run.frames.count - 1); // under way while the scene is built
        if (first || !this.state.layers) this.state.layers = defaultLayers(run);
        this.state.traces.clear();
        const wanted = first ? readHash(this) : { faded: null, hidden: null };
        if (wanted.picture) this.root.classList.add("picture");
        const before = this.view?.visibility;
        this.view?.setRun(run);
        if (this.view && before?.modes.length === run.bodies.count) this.view.visibility.modes.set(before.modes); // a live run began anew
        this.containersSought = !first || wanted.faded !== null || wanted.hidden !== null;
        if (wanted.faded) this.view?.visibility.read(wanted.faded, FADED);
        if (wanted.hidden) this.view?.visibility.read(wanted.hidden, HIDDEN);
        this.resize();
        if (this.view) {
            this.frameScene(wanted.camera);
        }
        if (this.framed || run.mode === "live" || run.frames.count === 0) this.layout.setRun(run); // else after the first picture
        if (wanted.fine && this.view) this.view.alwaysFine = true;
        if (wanted.theme === "dark" || wanted.theme === "light") this.setTheme(wanted.theme, false);
        document.title = `${this.layout.titleOf(run)} · Cairn`;
        if (run.frames.count === 0) {
            this.layout.messages.show("No frames yet", "The first one appears here as soon as it is recorded.", null);
        } else if (run.mode === "live") this.seekFrame(run.frames.count - 1);
        else this.seekFrame(first ? firstFrame(run.frames) : 0);
        run.loadLedger().then(() => this.invalidate("ledger"), (error) => this.problem(error.message)).then(() => (run.ledgerRead = true));
        if (run.mode === "live") this.live.begin(hello.live);
        this.invalidate("poses", "look", "ui", "ledger");
    }

    arrived(number) {
        this.marks.data ??= performance.now();
        if (!this.run.measured) {
            const pair = this.run.frames.kept.get(number);
            this.run.measure(null, pair.frame);
            this.frameScene(null);
        }
        if (!this.fitted && this.view) {
            this.fitted = true; // rings and drums are placed by the first frame
            if (this.run.dim === 2) this.frameScene(null);
        }
        this.layout.messages.hide();
        this.invalidate("poses");
        if (!this.framed) this.redraw(performance.now()); // at once, not with the screen's next frame
    }

    closed(reason, retry) {
        if (reason || !this.run) {
            this.layout.messages.show("Not connected", reason ?? `The server cannot be reached. Trying again in ${retry} s.`,
                reason ? null : ["Retry now", () => this.source.retry()]);
        } else {
            const live = this.run.mode === "live" ? "The simulation goes on without this page." : "The server went away.";
            this.layout.messages.notice(`${live} Trying again in ${retry} s.`, ["Retry now", () => this.source.retry()]);
        }
    }

    // A frame that cannot be had: the rest of the page is shown all the same.
    missing(error, number) {
        this.framed = true;
        if (error.isLost) this.problem(error.message);
        else this.layout.messages.notice(`${error.message}. The other frames are intact.`, ["Show the next one", () => this.seekFrame(number + 1)]);
        this.invalidate("ui");
    }

    problem(text) {
        this.layout.messages.notice(text);
    }

    liveFrame(pair) {
        this.live.frame(pair);
    }
    liveIndex(message) {
        this.run?.frames.appendIndex(message);
        this.invalidate("ui");
    }
    liveLedger(message) {
        if (!this.run || (this.run.ledger.n && message.from <= this.run.ledger.last)) return;
        this.run.ledger.append(message);
        this.run.trust.update();
        this.invalidate("ledger");
    }
    liveStatus(message) {
        this.live.status(message);
    }
    event(message) {
        if (!message.text.startsWith("live: ")) this.layout.messages.notice(message.text);
    }
    end(message) {
        this.layout.messages.notice(message.text ?? "The run is over.");
        this.live.ended();
    }

    // ---- time ----

    seekFrame(number) {
        const { frames } = this.run;
        number = Math.max(0, Math.min(frames.count - 1, number));
        this.playback.seek(frames.times[number] ?? 0);
    }
    stepFrames(by) {
        this.playback.pause();
        this.live.leave();
        this.seekFrame(this.state.frame + by);
    }
    // The next bad step in a direction; shows the frame at or before it and says so.
    seekBad(direction) {
        const { run } = this;
        if (!run) return;
        run.trust.update();
        const step = run.frames.steps[this.state.frame] ?? 0;
        const here = direction > 0 ? run.ledger.at(step) : run.ledger.at(run.frames.steps[this.state.frame - 1] ?? 0) + (this.state.frame ? 1 : 0);
        const bin = run.trust.nextBad(here, direction);
        if (bin < 0) {
            this.layout.messages.notice(direction > 0 ? "No bad step after this one." : "No bad step before this one.");
            return;
        }
        this.seekStep(run.ledger.steps[bin]);
    }
    // The first frame at or after a step covers it: its badge shows the worst of the steps since the frame before.
    seekStep(step) {
        const { frames } = this.run;
        this.playback.pause();
        let k = frames.atStep(step);
        if (frames.steps[k] < step && k + 1 < frames.count) k++;
        this.seekFrame(k);
        if (frames.steps[k] !== step) {
            this.layout.messages.notice(`Step ${step} was not recorded; this is the frame of step ${frames.steps[k]}, whose badge covers it.`);
        }
    }

    // ---- choices ----

    setTheme(theme, keep = true) {
        this.state.theme = theme;
        if (keep) this.keep({ theme });
        this.applyTheme();
        this.invalidate("look", "ui", "theme");
    }
    applyTheme() {
        document.documentElement.dataset.theme = this.state.theme;
    }
    keep(change) {
        Object.assign(this.taste, change);
        saveTaste(this.taste);
    }
    setLayer(name, change) {
        Object.assign(this.state.layers[name], change);
        this.invalidate("look", "layers");
    }
    toggleLayer(name) {
        if (this.run) this.setLayer(name, { on: !this.state.layers[name].on });
    }
    resetLayers() {
        this.state.layers = defaultLayers(this.run);
        this.invalidate("look", "layers");
    }
    select(body) {
        if (this.state.measuring && body >= 0 && body !== this.state.selection) return this.measure(body);
        if (body !== this.state.selection) this.state.other = -1;
        this.state.measuring = false;
        this.state.selection = body;
        if (body < 0) this.state.follow = false;
        this.invalidate("look", "selection");
    }
    // Bodies shown, faded or hidden; see scene/visibility.js.
    setVisibility(list, mode) {
        this.view?.visibility.set(list, mode);
        this.invalidate("look", "layers", "selection");
    }
    isolate(list) {
        this.view?.visibility.isolate(list);
        this.invalidate("look", "layers", "selection");
    }
    showAll() {
        this.view?.visibility.showAll();
        this.invalidate("look", "layers", "selection");
    }
    // The selected body is measured against another one: by a click while this is on.
    measure(body) {
        this.state.measuring = body === undefined;
        this.state.other = body ?? -1;
        this.invalidate("look", "selection");
    }
    async trace(body) {
        const { traces } = this.state;
        if (traces.has(body)) traces.delete(body);
        else {
            traces.set(body, null);
            try {
                traces.set(body, await this.series(body));
            } catch (error) {
                traces.delete(body);
                this.problem(error.message);
            }
        }
        this.setLayer("paths", { on: traces.size > 0 });
    }
    // Paths of a live run grow.
    retrace() {
        const { traces } = this.state;
        for (const body of traces.keys()) {
            this.series(body).then((series) => {
                if (!traces.has(body)) return;
                traces.set(body, series);
                this.invalidate("look");
            }, () => {});
        }
    }
    // A body through time; kept, since a path and several plots may ask for it. Live runs grow, so theirs is not.
    series(body) {
        this.run.seriesKept ??= new Map();
        const kept = this.run.seriesKept;
        if (!kept.has(body) || this.run.mode === "live") kept.set(body, this.run.source.series(body, 2048));
        return kept.get(body);
    }

    // ---- pictures ----

    frameScene(preset) {
        const { camera } = this.view;
        camera.sphere = this.run.sphere;
        const grounds = this.run.bodies.shapes.flat().filter((s) => s.kind === "plane" && s.normal[2] > 0.99);
        camera.lowest = grounds.length ? Math.min(...grounds.map((s) => s.offset)) : null;
        camera.insets = this.layout.insets();
        camera.look(preset && ["front", "side", "top", "iso"].includes(preset) ? preset : this.firstPreset());
        camera.fit(this.run.sphere, this.fitBox());
        this.invalidate("camera");
    }
    firstPreset() {
        return "iso";
    }
    // In the plane also what does not move but has an end (drums, rings) is to be seen.
    fitBox() {
        const { run } = this, box = { low: [...run.box.low], high: [...run.box.high] };
        if (run.dim !== 2) return box;
        const [pair] = run.frames.kept.values();
        for (let i = 0; pair && i < run.bodies.count; i++) {
            if (run.bodies.moves[i] || run.bodies.reach[i] === 0 || run.bodies.reach[i] > 4 * run.sphere.radius) continue;
            const grow = run.bodies.shapes[i].some((s) => s.kind === "ring") ? 1.06 : 1;
            for (let d = 0; d < 2; d++) {
                const x = pair.frame.position[2 * i + d];
                box.low[d] = Math.min(box.low[d], x - grow * run.bodies.reach[i]);
                box.high[d] = Math.max(box.high[d], x + grow * run.bodies.reach[i]);
            }
        }
        return box;
    }
    lookFrom(preset) {
        if (!this.view || !this.run) return;
        this.view.camera.insets = this.layout.insets();
        this.view.camera.look(preset);
        this.view.camera.fit(this.run.sphere, this.fitBox());
        this.invalidate("camera");
    }
    fit() {
        if (!this.view || !this.run) return;
        const { camera } = this.view, { selection } = this.state;
        const middle = selection >= 0 ? this.view.middle(selection) : null;
        camera.insets = this.layout.insets();
        camera.isMoved = selection >= 0;
        if (middle && this.run.dim === 3) {
            camera.fit({ centre: this.run.sphere.centre.clone().set(...middle.centre), radius: 4 * middle.radius });
        } else if (middle) {
            const r = 8 * middle.radius, c = middle.centre;
            camera.fit(null, { low: [c[0] - r, c[1] - r], high: [c[0] + r, c[1] + r] });
        } else camera.fit(this.run.sphere, this.fitBox());
        this.invalidate("camera");
    }
    resize() {
        const box = this.layout.scene.getBoundingClientRect();
        if (!this.view || box.width < 2) return;
        this.view.resize(box.width, box.height, devicePixelRatio);
        const { camera } = this.view;
        if (this.run && camera?.sphere && !camera.isMoved && !this.state.follow) { // still as it was fitted, so it is fitted anew
            camera.insets = this.layout.insets();
            camera.fit(this.run.sphere, this.fitBox());
        }
        this.invalidate("camera", "ui");
        if (this.shown) this.redraw(performance.now()); // at once: a canvas of another size is empty
    }

    invalidate(...what) {
        for (const word of what) this.stale.add(word);
        if (!this.scheduled) {
            this.scheduled = true;
            requestAnimationFrame((now) => this.redraw(now));
        }
    }

    // Everything that is stale, in the order in which it depends on one another.
    redraw(now) {
        this.scheduled = false;
        if (!this.run) return;
        const moving = this.playback.tick(now);
        const stale = this.stale;
        this.stale = new Set();
        const { frames } = this.run;
        const k = this.playback.frameNumber();
        const pair = frames.get(k, this.playback.stride());
        const changed = pair && this.shown !== pair;
        if (pair) {
            this.state.frame = k;
            if (changed) stale.add("look").add("frame");
            this.drawScene(stale, pair, k, moving);
            this.shown = pair;
            this.live.drawn();
        }
        if (!this.framed && frames.count > 0) return this.holdPanels(stale, pair);
        if (this.layout.run !== this.run) this.layout.setRun(this.run);
        if (this.run.bodies.isAbstract && this.layout.messages.whole.hidden) {
            this.layout.messages.show("A system without bodies", "It has coordinates and nothing to draw: they are in the plots and in the table.", null);
        }
        this.layout.update(stale);
        if (this.playback.playing || (this.capture.busy && moving)) this.invalidate();
        if (stale.has("frame") || stale.has("layers") || stale.has("selection")) this.later("hash", 400, () => writeHash(this));
    }

    // The first picture does not wait for panels: they follow it.
    holdPanels(stale, pair) {
        for (const word of stale) this.stale.add(word);
        if (!pair) return;
        this.framed = true;
        this.invalidate();
    }

    drawScene(stale, pair, k, moving) {
        const { view, run } = this;
        if (!view) return;
        if (stale.has("poses") || stale.has("frame") || moving) {
            const share = this.playback.share();
            view.setPoses(pair.frame, share > 0 ? run.frames.get(k + 1)?.frame ?? null : null, share);
            run.frames.wanted = k;
            stale.add("overlay");
        }
        if (this.state.follow && this.state.selection >= 0) {
            const middle = view.middle(this.state.selection);
            if (middle) view.camera.target.set(...middle.centre);
            view.camera.update();
        }
        if (!this.containersSought) this.fadeContainers();
        if (stale.has("look") || stale.has("theme")) view.setLook(pair, { ...this.state, theme: this.state.theme });
        else if (stale.has("overlay") || stale.has("camera") || stale.has("selection")) view.redrawOverlay();
        const settle = stale.has("settle") || (view.alwaysFine && !moving);
        view.draw(!settle);
        if (!this.firstDrawn) {
            this.firstDrawn = performance.now();
            view.stats.firstMs = this.firstDrawn;
            view.stats.helloMs = this.marks.hello;
            view.stats.dataMs = this.marks.data;
            view.stats.startMs = this.startedAt;
        }
        // The fine picture follows when nothing has changed for a moment.
        if (!settle && run.dim === 3) this.later("settle", SETTLE, () => this.playback.playing || !view.mayRefine() || this.invalidate("settle"));
    }

    // A closed container must not hide what it holds: what covers most of the moving bodies at the start is faded.
    fadeContainers() {
        this.containersSought = true;
        if (this.run.dim !== 3) return;
        this.faded = this.view.containers();
        if (this.faded.length === 0) return;
        this.view.visibility.set(this.faded, FADED);
        this.stale.add("look");
        this.invalidate("layers");
    }

    later(name, delay, action) {
        this.timers ??= new Map();
        clearTimeout(this.timers.get(name));
        this.timers.set(name, setTimeout(action, delay));
    }

    // What tests and the command's pictures need of the page.
    face() {
        return {
            stats: () => ({ ...this.view?.stats, frame: this.state.frame, time: this.playback.time, step: this.run?.frames.steps[this.state.frame],
                selection: this.state.selection, chains: this.view?.lines?.chains.count, points: this.view?.points?.count }),
            ready: () => Boolean(this.shown),
            complete: () => Boolean(this.shown && this.run.ledgerRead),
            settled: () => this.isSettled(),
            fine: () => { this.view.alwaysFine = true; this.invalidate("look"); },
            seek: (t) => this.playback.seek(t),
            seekStep: (step) => this.seekFrame(this.run.frames.atStep(step)),
            select: (body) => this.select(body),
            project: (body) => this.view.project(this.view.middle(body).centre),
            body: (body) => this.layout.inspector.numbers(body),
            setLayer: (name, change) => this.setLayer(name, change),
            setTheme: (theme) => this.setTheme(theme, false),
            look: (preset) => this.lookFrom(preset),
            time: (draws, moving = true) => this.timeDraws(draws, moving),
            run: () => ({ ...this.run.facts, frames: this.run.frames.count, mode: this.run.mode }),
            app: this,
        };
    }
    // The picture asked for is the one on the screen, in the quality that it will keep. A frame that has come is not yet drawn. In a live
    // run that moves on the next picture is always due and a fine one never comes, so that any will do.
    isSettled() {
        if (!this.shown) return false;
        const { frames, mode, dim } = this.run, pair = frames.kept.get(this.playback.frameNumber());
        if (mode === "live") return Boolean(pair);
        return this.shown === pair && !this.scheduled && (dim === 2 || this.view.stats.quality === "fine" || (this.view.isTimed && !this.view.mayRefine()));
    }
    // Milliseconds of each of some draws, to the end of the GPU's work.
    timeDraws(draws, moving) {
        const gl = this.view.renderer.getContext(), times = [];
        for (let i = 0; i < draws; i++) {
            const start = performance.now();
            this.view.setPoses(this.shown.frame, null, 0);
            this.view.setLook(this.shown, this.state);
            this.view.draw(moving);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
            times.push(performance.now() - start);
        }
        return times;
    }
}

// The frame that the address asks for, else the first.
function firstFrame(frames) {
    const { step, time } = readMoment();
    return time !== null ? frames.atTime(time) : step !== null ? frames.atStep(step) : 0;
}
