// The cursor in time. Frames are skipped when the run is faster than the screen, never slowed; between frames that are far
// apart positions move on, numbers stay those of the frame.
import { calmMotion } from "./state.js";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export class Playback {
    constructor(app) {
        this.app = app;
        this.time = 0;
        this.speed = 1;
        this.playing = false;
        this.loop = true;
        this.range = null; // [from, to] to loop over
        this.last = null;
    }

    get bounds() {
        const { run } = this.app;
        return this.range ?? [run.start, run.end];
    }

    play() {
        const { run } = this.app;
        if (!run || run.frames.count < 2) return;
        const [from, to] = this.bounds;
        if (this.time >= to - 1e-12) this.time = from;
        this.playing = true;
        this.last = null;
        this.app.invalidate("ui", "poses");
    }
    pause() {
        if (!this.playing) return;
        this.playing = false;
        this.time = this.app.run.frames.times[this.frameNumber()];
        this.app.invalidate("ui", "poses");
    }
    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }
    seek(t) {
        const { run } = this.app;
        this.time = Math.max(run.start, Math.min(run.end, t));
        this.app.invalidate("poses", "ui");
    }
    setSpeed(speed) {
        this.speed = speed;
        this.app.invalidate("ui");
    }
    changeSpeed(by) {
        const at = SPEEDS.findIndex((s) => s >= this.speed - 1e-9);
        this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))]);
    }

    // Moves on by the time since the last picture; true while something moves.
    tick(now) {
        if (!this.playing) return false;
        const elapsed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
        this.last = now;
        // Time stands still until the frame that it points at was shown, rather than running away from the picture; one that cannot be
        // read is passed over.
        const k = this.frameNumber();
        if (this.app.state.frame !== k && !this.app.run.frames.bad.has(k) && elapsed > 0) return true;
        this.time += elapsed * this.speed;
        const [from, to] = this.bounds;
        if (this.time >= to) {
            if (this.loop) this.time = from;
            else {
                this.time = to;
                this.pause();
            }
        }
        return true;
    }

    frameNumber() {
        return this.app.run.frames.atTime(this.time);
    }

    // How many frames the next picture will be ahead of this one; 0: nothing plays.
    stride() {
        if (!this.playing) return 0;
        const k = this.frameNumber(), passed = k - (this.before ?? k);
        if (passed !== 0) {
            this.before = k;
            this.passed = Math.max(1, passed);
        }
        return this.passed ?? 1;
    }

    // How far on the way to the next frame; 0 when paused, when frames are skipped or when motion is to be calm.
    share() {
        if (!this.playing || this.stride() > 1 || calmMotion()) return 0;
        const { times } = this.app.run.frames, k = this.frameNumber();
        if (k + 1 >= times.length) return 0;
        return Math.max(0, Math.min(1, (this.time - times[k]) / (times[k + 1] - times[k])));
    }
}
