// The frame of the page: where everything is, and who is brought up to date when.
import { count } from "../format.js";
import { el, icon } from "./dom.js";
import { Badge } from "./badge.js";
import { Gizmo } from "./gizmo.js";
import { Inspector } from "./inspector.js";
import { LayersPanel } from "./layers_panel.js";
import { Legend } from "./legend.js";
import { LivePanel } from "./live_panel.js";
import { Messages } from "./messages.js";
import { Plots } from "./plots.js";
import { Popover } from "./popover.js";
import { RunFacts } from "./run_facts.js";
import { TimeBar } from "./time_bar.js";
import { Tables } from "./tables.js";
import { TopBar } from "./top_bar.js";
import { Views } from "./views.js";

const TABS = [["layers", "Layers", "layers"], ["plots", "Plots", "chart"], ["inspect", "Inspect", "info"], ["live", "Live", "live"]];

export class Layout {
    constructor(app) {
        this.app = app;
        this.popover = new Popover(app);
        this.badge = new Badge(app, this.popover);
        this.topBar = new TopBar(app, this.badge, this.popover);
        this.canvas = el("canvas.gl", { tabindex: "0", role: "img", "aria-label": "The scene" });
        this.summary = el("div.visually-hidden", { "aria-live": "polite" });
        this.views = new Views(app);
        this.legend = new Legend(app);
        this.gizmo = new Gizmo(app);
        this.messages = new Messages();
        this.bigPlay = el("button.big-play", { type: "button", "aria-label": "Play", onclick: () => app.playback.play() }, icon("play", 30));
        this.bigPlay.hidden = true;
        this.tip = el("div.tip", { hidden: true });
        this.scene = el("main.scene", {}, this.canvas, this.views.element, this.legend.element, this.gizmo.element, this.bigPlay, this.tip,
            this.messages.element, this.summary);
        this.layers = new LayersPanel(app);
        this.facts = new RunFacts(app);
        this.left = el("aside.left", { "aria-label": "Layers and run" }, this.layers.element, this.facts.element);
        this.inspector = new Inspector(app);
        this.plots = new Plots(app, this.popover);
        this.right = el("aside.right", { "aria-label": "Selection and plots" }, this.inspector.element, this.plots.element);
        this.tables = new Tables(app);
        this.timeBar = new TimeBar(app);
        this.tabs = el("nav.tabs", { role: "tablist" }, TABS.map(([name, label, image]) =>
            el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => this.setTab(name) }, icon(image, 18), label)));
        app.root.replaceChildren(this.topBar.element, this.left, this.scene, this.right, this.timeBar.element, this.tabs);
        this.setTab("plots");
        app.root.classList.toggle("no-left", Boolean(app.taste.noLeft));
        app.root.classList.toggle("no-right", Boolean(app.taste.noRight));
    }

    setTab(name) {
        this.app.root.dataset.tab = name;
        for (const button of this.tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === name));
        this.app.stale?.add("ledger");
        this.app.invalidate?.("ui", "ledger");
    }

    togglePanel(side) {
        const on = this.app.root.classList.toggle(`no-${side}`);
        this.app.keep({ [side === "left" ? "noLeft" : "noRight"]: on });
    }
    togglePicture() {
        this.app.root.classList.toggle("picture");
    }

    titleOf(run) {
        const text = run.facts.title ?? run.facts.name ?? "run";
        const words = text.replaceAll("-", " ");
        return words.charAt(0).toUpperCase() + words.slice(1);
    }

    setRun(run) {
        this.run = run;
        const live = run.mode === "live";
        this.topBar.setRun(run, this.titleOf(run));
        this.views.setRun(run);
        this.layers.setRun(run);
        this.facts.setRun(run);
        this.plots.setRun(run);
        this.timeBar.setRun(run);
        this.gizmo.setRun(run);
        this.bigPlay.hidden = live || run.frames.count < 2;
        this.tabs.lastChild.hidden = !live;
        this.livePanel?.element.remove();
        this.livePanel = live ? new LivePanel(this.app) : null;
        if (live) this.left.prepend(this.livePanel.element);
    }

    // Shares of the canvas that floats cover: the camera fits beside them.
    insets() {
        const box = this.scene.getBoundingClientRect();
        const narrow = innerWidth <= 760;
        if (!box.height) return { left: 0, right: 0, top: 0, bottom: 0 };
        const flat = this.app.run?.dim === 2;
        return { left: 0, right: 0, top: flat ? 12 / box.height : 44 / box.height, bottom: (narrow ? 84 : flat ? 12 : 36) / box.height };
    }

    update(stale) {
        const any = (...words) => words.some((w) => stale.has(w));
        if (this.app.playback.playing || this.app.playback.time > this.app.run.start) this.bigPlay.hidden = true;
        const moved = any("frame", "ui", "ledger", "theme");
        if (moved) {
            this.badge.update();
            this.topBar.update();
        }
        this.timeBar.update(any("ledger", "theme", "ui"));
        if (any("frame", "layers", "look", "selection")) this.layers.update();
        if (any("frame", "look", "layers", "theme", "ui")) this.legend.update();
        if (any("frame", "selection", "ui", "look")) this.inspector.update();
        if (any("camera", "ui", "theme") || this.app.state.follow) this.gizmo.update();
        this.views.update();
        if (any("frame", "ui", "ledger")) this.facts.update();
        if (stale.has("frame") && this.tables.element.open) this.tables.draw();
        this.plots.update(any("ledger", "theme"), stale.has("ui") || stale.has("ledger"));
        this.livePanel?.update();
        if (stale.has("frame") && !this.app.playback.playing) this.app.later("summary", 1000, () => this.describe());
    }

    // What a screen reader says of the picture.
    describe() {
        const { run, state } = this.app;
        const contacts = this.app.shown?.contacts?.n ?? 0;
        this.summary.textContent = `${count(run.bodies.count)} bodies, ${count(contacts)} contacts, step ${run.frames.steps[state.frame]}, ${this.badge.word}`;
    }
}
