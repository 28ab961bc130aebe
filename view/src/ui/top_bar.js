// Name of the run, mode, badge, and the page's own buttons.
import { count } from "../format.js";
import { el, iconButton, icon, svg } from "./dom.js";
import { helpContent } from "./help.js";

export class TopBar {
    constructor(app, badge, popover) {
        this.app = app;
        this.name = el("b", {}, "Cairn");
        this.facts = el("span", {}, "");
        this.pill = el("span.pill", { hidden: true });
        this.theme = iconButton("sun", "Light or dark", () => app.setTheme(app.state.theme === "dark" ? "light" : "dark"), "D");
        this.theme.classList.add("theme");
        const save = iconButton("camera", "Save a picture", () => app.capture.picture(), "P");
        const film = iconButton("video", "Record a video", () => app.capture.toggleVideo(), "V");
        const data = iconButton("download", "Data of this step", () => popover.toggle(data, "data", () => this.dataMenu()));
        const table = iconButton("table", "Numbers of this step as a table", () => app.layout.tables.open(), "E");
        const help = iconButton("help", "Keys", () => popover.toggle(help, "help", helpContent), "?");
        this.helpButton = help;
        this.element = el("header.top", {},
            el("div.brand", {}, logo(), el("span", {}, "Cairn")), el("div.title", {}, this.name, this.facts), this.pill, el("div.grow"),
            badge.element, el("div.icons", {}, save, film, table, data, this.theme, help));
    }

    dataMenu() {
        const { app } = this;
        const item = (label, action) => el("button", { type: "button", onclick: () => { app.layout.popover.close(); action(); } }, label);
        return el("div.menu", { "data-width": "230" },
            item("Contacts of this step as CSV", () => app.capture.saveContacts()),
            item("Bodies of this step as CSV", () => app.capture.saveBodies()),
            item("Ledger of the run as CSV", () => app.capture.saveLedger()),
            item("Copy a link to this view", () => app.capture.copyLink()));
    }

    setRun(run, title) {
        this.name.textContent = title;
        const live = run.mode === "live";
        this.pill.hidden = false;
        this.pill.className = live ? "pill live" : "pill";
        this.pill.textContent = live ? "Live" : "Replay";
        this.run = run;
    }

    update() {
        const { run, app } = this;
        if (!run) return;
        const contacts = app.shown?.contacts?.n;
        const parts = [run.facts.experiment, `${count(run.bodies.count)} bodies`, contacts !== undefined ? `${count(contacts)} contacts` : null];
        this.facts.textContent = parts.filter(Boolean).join(" · ");
        this.theme.replaceChildren(icon(app.state.theme === "dark" ? "sun" : "moon"));
    }
}

// Three stones, each standing on the next.
function logo() {
    const stone = (cx, cy, rx, ry, light) => svg("ellipse", { cx, cy, rx, ry, fill: "currentColor", opacity: light });
    return svg("svg", { viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true" },
        stone(12, 5.6, 4, 2.9, 1), stone(12, 12, 6.2, 2.9, 0.8), stone(12, 18.6, 8.8, 3.2, 0.62));
}
