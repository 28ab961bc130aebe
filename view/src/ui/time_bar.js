// Time: a track as wide as the window with the effort and trust of every step, and the transport below it.
import { FAILED, LOOSE } from "../data/trust.js";
import { SPEEDS } from "../playback.js";
import { count, digits, timeDecimals } from "../format.js";
import { el, icon, iconButton } from "./dom.js";

const BIN = 3; // [px]
const RIBBON = 4;
const AXIS = 15;

export class TimeBar {
    constructor(app) {
        this.app = app;
        this.canvas = el("canvas");
        this.playhead = el("div.playhead");
        this.track = el("div.track", { role: "slider", tabindex: "0", "aria-label": "Time" }, this.canvas, this.playhead);
        this.window = null; // [from, to] when zoomed
        this.controls = el("div.controls");
        this.element = el("footer.bar", {}, this.track, this.controls);
        this.listen();
        new ResizeObserver(() => app.run && app.invalidate("ui")).observe(this.track);
        this.disabledControls();
    }

    disabledControls() {
        const play = el("button.play", { type: "button", disabled: true, "aria-label": "Play" }, icon("play"));
        this.controls.replaceChildren(play, el("div.clock", {}, "–"));
    }

    setRun(run) {
        const { app } = this, { playback } = app;
        const live = run.mode === "live";
        this.decimals = timeDecimals(run.facts.h);
        this.play = el("button.play", { type: "button", onclick: () => (live ? app.live.toggle() : playback.toggle()) });
        this.clock = el("div.clock");
        this.step = el("div.step-text");
        if (live) this.buildLive();
        else this.buildReplay(playback);
        this.window = null;
    }

    buildReplay(playback) {
        const { app } = this;
        this.loop = el("button.toggle.loop", { type: "button", title: "Loop (L)", "aria-label": "Loop", onclick: () => this.toggleLoop() }, icon("loop"));
        this.speed = el("select", { "aria-label": "Speed", onchange: (e) => playback.setSpeed(Number(e.target.value)) }, SPEEDS.map((s) => el("option", { value: s }, `${s} ×`)));
        const edge = (button) => (button.classList.add("edge"), button);
        this.recording = el("span.recording", { hidden: true });
        this.controls.replaceChildren(
            edge(iconButton("start", "Start", () => app.seekFrame(0), "Home")), iconButton("back", "Frame back", () => app.stepFrames(-1), ","), this.play,
            iconButton("forward", "Frame forward", () => app.stepFrames(1), "."), edge(iconButton("end", "End", () => app.seekFrame(Infinity), "End")),
            this.clock, this.step, el("div.grow"), this.recording, this.loop, this.speed);
    }

    buildLive() {
        const { app } = this;
        this.recording = el("span.recording", { hidden: true });
        this.behind = el("button.button", { type: "button", hidden: true, onclick: () => app.live.follow() }, "Return");
        this.effort = el("div.effort");
        this.controls.replaceChildren(
            iconButton("reset", "Reset to the start", () => app.live.reset(), "R"), this.play, iconButton("forward", "One step", () => app.live.step(), "."),
            this.clock, this.step, this.behind, el("div.grow"), this.recording, this.effort);
    }

    toggleLoop() {
        this.app.playback.loop = !this.app.playback.loop;
        this.app.invalidate("ui");
    }

    get span() {
        const { run } = this.app;
        return this.window ?? [run.start, run.end > run.start ? run.end : run.start + 1];
    }

    // ---- pointer: drag scrubs, shift-drag loops a range, double click clears, wheel zooms ----
    listen() {
        const { app, track } = this;
        const timeAt = (event) => {
            const box = track.getBoundingClientRect(), [a, b] = this.span;
            return a + ((b - a) * (event.clientX - box.left)) / box.width;
        };
        track.addEventListener("pointerdown", (event) => {
            if (!app.run) return;
            track.setPointerCapture(event.pointerId);
            this.dragFrom = event.shiftKey ? timeAt(event) : null;
            this.wasPlaying = app.playback.playing;
            app.live.leave();
            if (this.dragFrom === null) this.scrub(timeAt(event));
        });
        track.addEventListener("pointermove", (event) => {
            if (!track.hasPointerCapture(event.pointerId)) return;
            if (this.dragFrom !== null) {
                app.playback.range = [Math.min(this.dragFrom, timeAt(event)), Math.max(this.dragFrom, timeAt(event))];
                app.invalidate("ui");
            } else this.scrub(timeAt(event));
        });
        track.addEventListener("dblclick", () => {
            app.playback.range = this.window = null;
            app.invalidate("ui");
        });
        track.addEventListener("wheel", (event) => {
            if (!app.run) return;
            event.preventDefault();
            const [a, b] = this.span, t = timeAt(event), f = event.deltaY > 0 ? 1.25 : 0.8;
            const from = Math.max(app.run.start, t - (t - a) * f), to = Math.min(app.run.end, t + (b - t) * f);
            this.window = to - from >= (app.run.end - app.run.start) * 0.999 ? null : [from, to];
            app.invalidate("ui");
        }, { passive: false });
        track.addEventListener("keydown", (event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }[event.key];
            if (!by || !app.run) return;
            event.preventDefault();
            event.stopPropagation();
            app.stepFrames(by);
        });
    }

    // The nearest frame.
    scrub(t) {
        const { run, playback } = this.app, { times } = run.frames;
        if (playback.playing) playback.pause();
        let k = run.frames.atTime(t);
        if (k + 1 < times.length && times[k + 1] - t < t - times[k]) k++;
        this.app.layout.bigPlay.hidden = true;
        this.app.seekFrame(k);
    }

    update(redraw) {
        const { run, playback, live, state } = this.app;
        if (!run || !this.clock) return;
        const isLive = run.mode === "live", playing = isLive ? live.running : playback.playing;
        if (this.playShown !== playing || !this.play.firstChild) {
            this.play.replaceChildren(icon(playing ? "pause" : "play"));
            this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
            this.play.title = playing ? "Pause (Space)" : "Play (Space)";
            this.playShown = playing;
        }
        const t = playback.time.toFixed(this.decimals), step = run.frames.steps[state.frame] ?? 0;
        this.clock.replaceChildren(t, " ", el("small", {}, isLive ? "s" : `/ ${run.end.toFixed(this.decimals)} s`));
        this.step.textContent = `step ${count(step)}`;
        if (isLive) this.updateLive();
        else {
            this.loop.setAttribute("aria-pressed", String(playback.loop));
            if (document.activeElement !== this.speed) this.speed.value = playback.speed;
        }
        if (redraw) this.draw();
        const [a, b] = this.span;
        const share = (playback.time - a) / (b - a);
        this.playhead.hidden = !(share >= -0.001 && share <= 1.001);
        this.playhead.style.setProperty("left", `${100 * share}%`);
        this.track.setAttribute("aria-valuemin", run.start);
        this.track.setAttribute("aria-valuemax", run.end);
        this.track.setAttribute("aria-valuenow", playback.time);
        this.track.setAttribute("aria-valuetext", `${t} seconds, step ${step}, ${this.app.layout.badge.word}`);
    }

    updateLive() {
        const { live, run, playback } = this.app, last = live.last;
        const late = run.end - playback.time;
        this.behind.hidden = live.following;
        this.behind.textContent = `Behind live: ${digits(late, 2)} s · Return`;
        if (!last) return;
        const figure = (label, value) => el("div", {}, el("span", {}, label), el("b", {}, value));
        this.effort.replaceChildren(figure("Real-time factor", `${(last.factor ?? 0).toFixed(2)} ×`),
            figure("Solver", `${last.iterations} it · ${digits(last.solve_ms ?? 0, 2)} ms`), figure("Dropped frames", count(last.dropped ?? 0)));
    }

    // ---- the track ----
    draw() {
        const { run } = this.app, ratio = devicePixelRatio;
        const w = this.track.clientWidth, h = this.track.clientHeight;
        if (!w) return;
        this.canvas.width = w * ratio;
        this.canvas.height = h * ratio;
        const g = this.canvas.getContext("2d");
        g.scale(ratio, ratio);
        const colours = tokens(["line2", "ribbon", "warn", "bad", "text2", "raise", "accent"]);
        const bottom = h - AXIS, top = 8;
        g.fillStyle = colours.raise;
        g.fillRect(0, top, w, bottom - top);
        this.drawSteps(g, run, colours, w, top, bottom);
        this.drawRange(g, colours, w, top, bottom);
        this.drawAxis(g, colours, w, h);
    }

    drawSteps(g, run, colours, w, top, bottom) {
        run.trust.update();
        const { ledger, trust } = run, [a, b] = this.span;
        const iterations = ledger.column("iterations");
        const bins = Math.ceil(w / BIN), effort = new Float32Array(bins), level = new Uint8Array(bins);
        let most = 1;
        for (let i = 0; i < ledger.n; i++) {
            const x = Math.floor((((ledger.times[i] - a) / (b - a)) * w) / BIN);
            if (x < 0 || x >= bins + 1) continue;
            const at = Math.min(x, bins - 1);
            const it = iterations ? iterations.high[i] : 0;
            if (it > effort[at]) effort[at] = it;
            if (it > most) most = it;
            if (trust.levels[i] > level[at]) level[at] = trust.levels[i];
        }
        const height = bottom - RIBBON - top;
        // Runs shorter than the track: a step fills the bins up to the next one.
        const sparse = ledger.n > 0 && ledger.n < bins;
        let seen = -1;
        for (let x = 0; x < bins; x++) {
            if (level[x]) seen = x;
            const shown = level[x] || !sparse || seen < 0 ? x : seen;
            if (!level[shown] || (sparse && (x * BIN) / w > (ledger.times[ledger.n - 1] - a) / (b - a) + 0.005)) continue;
            const bar = Math.max(1.5, Math.sqrt(effort[shown] / most) * height * 0.8);
            const l = level[x];
            g.fillStyle = l === LOOSE ? colours.warn : colours.line2;
            if (l !== FAILED) g.fillRect(x * BIN, bottom - RIBBON - bar, BIN - 1, bar);
            g.fillStyle = level[shown] === FAILED ? colours.bad : level[shown] === LOOSE ? colours.warn : colours.ribbon;
            g.fillRect(x * BIN, bottom - RIBBON, BIN, RIBBON);
        }
        g.fillStyle = colours.bad;
        for (let x = 0; x < bins; x++) if (level[x] === FAILED) g.fillRect(x * BIN - 0.5, top, 4, bottom - top);
        for (const step of run.hello.checkpoints ?? []) {
            const i = ledger.at(step);
            if (i < 0) continue;
            g.fillStyle = colours.text2;
            g.fillRect(((ledger.times[i] - a) / (b - a)) * w - 0.5, top - 3, 1, 3);
        }
    }

    drawRange(g, colours, w, top, bottom) {
        const { range } = this.app.playback;
        if (!range) return;
        const [a, b] = this.span, x = ((range[0] - a) / (b - a)) * w, y = ((range[1] - a) / (b - a)) * w;
        g.globalAlpha = 0.2;
        g.fillStyle = colours.accent;
        g.fillRect(x, top, y - x, bottom - top);
        g.globalAlpha = 1;
    }

    drawAxis(g, colours, w, h) {
        const [a, b] = this.span;
        const ticks = axisTicks(a, b, Math.max(2, Math.min(11, Math.floor(w / 110))));
        const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(ticks.step) - 1e-9)));
        g.fillStyle = colours.text2;
        g.font = '11px "Inter Variable", sans-serif';
        for (const t of ticks.list) {
            const x = ((t - a) / (b - a)) * w, last = t + ticks.step > b + 1e-9 * ticks.step;
            g.textAlign = x < 12 ? "left" : x > w - 24 ? "right" : "center";
            g.fillText(t.toFixed(decimals) + (last ? " s" : ""), x < 12 ? 0 : Math.min(x, w), h - 3);
        }
    }
}

export function axisTicks(a, b, most) {
    const rough = (b - a) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.9999);
    const list = [];
    for (let k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k++) list.push(k * step);
    return { step, list };
}

export function tokens(names) {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
