// What the user takes away: pictures, videos, tables, links.
import { tokens } from "./time_bar.js";

export class Capture {
    constructor(app) {
        this.app = app;
        this.busy = false;
    }

    get name() {
        return `${this.app.run.facts.name ?? "run"}-${this.app.run.frames.steps[this.app.state.frame] ?? 0}`;
    }

    save(blob, name) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }

    // The scene in its fine quality with the background behind it, and one line that says what is shown and how good it is.
    async picture() {
        const canvas = this.compose(true);
        const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
        this.save(blob, `${this.name}.png`);
    }

    compose(fine) {
        const { view, state } = this.app;
        view.setLook(this.app.shown, state);
        view.draw(!fine);
        const source = view.canvas, out = document.createElement("canvas");
        out.width = source.width;
        out.height = source.height;
        this.paint(out.getContext("2d"), out, source);
        return out;
    }

    paint(g, out, source) {
        const { "scene-top": top, "scene-bottom": bottom, text2 } = tokens(["scene-top", "scene-bottom", "text2"]);
        const shade = g.createLinearGradient(0, 0, 0, out.height);
        shade.addColorStop(0, top);
        shade.addColorStop(1, bottom);
        g.fillStyle = shade;
        g.fillRect(0, 0, out.width, out.height);
        g.drawImage(source, 0, 0, out.width, out.height);
        const scale = out.width / this.app.layout.scene.clientWidth;
        g.font = `${12 * scale}px "Inter Variable", sans-serif`;
        g.fillStyle = text2;
        g.fillText(this.caption(), 14 * scale, out.height - 12 * scale);
    }

    caption() {
        const { app } = this;
        const checks = app.layout.badge.checks.map((c) => `${c.label.toLowerCase()} ${c.value.toExponential(1)}`);
        return `${app.layout.titleOf(app.run)} · t = ${app.playback.time.toFixed(app.layout.timeBar.decimals)} s · ${app.layout.badge.word}${checks.length ? ` · ${checks[0]}` : ""}`;
    }

    // A video of the run from the cursor on: one picture for each recorded frame, whatever the speed of this machine.
    async toggleVideo() {
        if (this.busy) {
            this.stop = true;
            return;
        }
        const { app } = this, { recording } = app.layout.timeBar;
        if (!window.MediaRecorder || !MediaRecorder.isTypeSupported("video/webm")) return app.problem("This browser cannot record WebM.");
        if (app.run.frames.count - app.state.frame < 2) {
            return app.problem("There is no frame after this one: a video of it would have no length. Go to an earlier moment first.");
        }
        this.busy = true;
        this.stop = false;
        app.playback.pause();
        const sheet = this.compose(false), g = sheet.getContext("2d");
        const stream = sheet.captureStream(0), track = stream.getVideoTracks()[0];
        const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
        const parts = [];
        recorder.ondataavailable = (event) => parts.push(event.data);
        const done = new Promise((resolve) => (recorder.onstop = resolve));
        recorder.start();
        recording.hidden = false;
        for (let k = app.state.frame; k < app.run.frames.count && !this.stop; k++) {
            await this.showFrame(k);
            app.view.draw(true);
            this.paint(g, sheet, app.view.canvas);
            track.requestFrame();
            recording.textContent = `frame ${k + 1} of ${app.run.frames.count}`;
            await new Promise((resolve) => setTimeout(resolve, 33));
        }
        recorder.stop();
        await done;
        recording.hidden = true;
        this.busy = false;
        this.save(new Blob(parts, { type: "video/webm" }), `${this.app.run.facts.name ?? "run"}.webm`);
    }

    async showFrame(k) {
        const { app } = this;
        app.seekFrame(k);
        while (!app.run.frames.get(k) && !app.run.frames.bad.has(k) && !this.stop) await new Promise((resolve) => setTimeout(resolve, 15));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }

    // ---- tables ----
    saveTable(head, rows, name) {
        const text = [head, ...rows].map((row) => row.join(",")).join("\n") + "\n";
        this.save(new Blob([text], { type: "text/csv" }), name);
    }
    saveContacts() {
        const { contacts } = this.app.shown;
        if (!contacts) return this.app.problem("Contacts were not recorded.");
        const axes = ["x", "y", "z"].slice(0, contacts.dim), { dim } = contacts;
        const head = ["candidate", "antagonist", ...["point", "normal", "force"].flatMap((v) => axes.map((a) => `${v}_${a}`)), "gap", "friction", "status"];
        const rows = Array.from({ length: contacts.n }, (_, c) => [contacts.candidate[c] + 1, contacts.antagonist[c] + 1,
            ...[contacts.point, contacts.normal, contacts.force].flatMap((v) => Array.from(v.subarray(dim * c, dim * c + dim))), contacts.gap[c], contacts.friction[c],
            ["open", "stick", "slide"][contacts.status[c]]]);
        this.saveTable(head, rows, `${this.name}-contacts.csv`);
    }
    saveBodies() {
        const { bodies } = this.app.run;
        const rows = bodies.name.map((name, i) => {
            const b = this.app.layout.inspector.numbers(i);
            return [b.id, JSON.stringify(name), b.mass, ...b.position, ...b.velocity, ...b.spin];
        });
        const axes = ["x", "y", "z"].slice(0, bodies.dim), spins = bodies.dim === 3 ? ["wx", "wy", "wz"] : ["w"];
        this.saveTable(["id", "name", "mass", ...axes, ...axes.map((a) => `v${a}`), ...spins], rows, `${this.name}-bodies.csv`);
    }
    saveLedger() {
        const { ledger } = this.app.run;
        const rows = Array.from({ length: ledger.n }, (_, i) => [ledger.steps[i], ledger.times[i], ...ledger.columns.map((_, c) => ledger.high[c][i])]);
        this.saveTable(["step", "t", ...ledger.columns], rows, `${this.app.run.facts.name ?? "run"}-ledger.csv`);
    }
    async copyLink() {
        await navigator.clipboard?.writeText(location.href);
        this.app.layout.messages.notice("The link holds the time, the layers and the selection.");
    }
}

