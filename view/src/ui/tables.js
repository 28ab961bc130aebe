// The numbers of the present frame as tables: bodies or contacts, sorted by a click on a column, copied as text. What the picture shows is
// here for those who cannot see it, and for those who want the figures.
import { normalForces } from "../scene/pairs.js";
import { count } from "../format.js";
import { el } from "./dom.js";

const MOST = 500; // rows shown; all are copied
const STATUS = ["open", "stick", "slide"];
const AXES = ["x", "y", "z"];

export class Tables {
    constructor(app) {
        this.app = app;
        this.kind = "bodies";
        this.sorting = { bodies: { column: 0, down: false }, contacts: { column: 0, down: false } };
        this.element = el("dialog.tables", { "aria-label": "Numbers of this step" });
        this.element.addEventListener("close", () => this.element.remove());
    }

    open() {
        if (!this.app.shown) return;
        document.body.append(this.element);
        this.draw();
        if (!this.element.open) this.element.showModal();
    }

    // {columns: names with units, rows: arrays of numbers and words}
    data() {
        const { frame, contacts } = this.app.shown, { bodies } = this.app.run, { dim } = frame, axes = AXES.slice(0, dim);
        const part = (array, i) => axes.map((_, d) => array[dim * i + d]);
        if (this.kind === "bodies") {
            const rows = bodies.name.map((name, i) => [i + 1, name, bodies.mass[i] ?? 0, ...part(frame.position, i), ...part(frame.velocity, i), Math.hypot(...part(frame.velocity, i))]);
            return { columns: ["id", "name", "mass [kg]", ...axes.map((a) => `${a} [m]`), ...axes.map((a) => `v${a} [m/s]`), "speed [m/s]"], rows };
        }
        const rows = [];
        for (let c = 0; contacts && c < contacts.n; c++) {
            const force = part(contacts.force, c), normal = normalForces(contacts)[c], tangent = Math.sqrt(Math.max(0, Math.hypot(...force) ** 2 - normal ** 2));
            rows.push([bodies.name[contacts.candidate[c]], bodies.name[contacts.antagonist[c]], STATUS[contacts.status[c]], normal, tangent, contacts.friction[c], contacts.gap[c], ...part(contacts.point, c)]);
        }
        return { columns: ["body", "touches", "status", "normal force [N]", "friction [N]", "mu", "gap [m]", ...axes.map((a) => `${a} [m]`)], rows };
    }

    sorted() {
        const { columns, rows } = this.data(), { column, down } = this.sorting[this.kind], sign = down ? -1 : 1;
        rows.sort((a, b) => sign * (typeof a[column] === "string" ? a[column].localeCompare(b[column], undefined, { numeric: true }) : a[column] - b[column]));
        return { columns, rows };
    }

    draw(focused = null) {
        const { columns, rows } = this.sorted(), { column, down } = this.sorting[this.kind];
        const { frame } = this.app.shown;
        const tab = (kind, label) => el("button", { type: "button", "aria-pressed": String(this.kind === kind), onclick: () => { this.kind = kind; this.draw(); } }, label);
        const head = columns.map((name, k) => el("th", { scope: "col", "aria-sort": k !== column ? "none" : down ? "descending" : "ascending" },
            el("button", { type: "button", "data-column": k, onclick: () => this.sortBy(k) }, name, k === column ? (down ? " ↓" : " ↑") : "")));
        const body = rows.slice(0, MOST).map((row) => el("tr", {}, row.map((value) => el(typeof value === "number" ? "td.number" : "td", {}, textOf(value)))));
        this.element.replaceChildren(
            el("header", {}, el("h2", {}, `Step ${frame.step}, t = ${textOf(frame.t)} s`), el("div.segmented", {}, tab("bodies", "Bodies"), tab("contacts", "Contacts")),
                el("div.grow"), el("button.button", { type: "button", onclick: (event) => this.copy(event.target) }, "Copy"),
                el("button.button", { type: "button", onclick: () => this.element.close() }, "Close")),
            el("div.rows", { tabindex: "0", role: "region", "aria-label": this.kind === "bodies" ? "Bodies" : "Contacts" },
                el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body))),
            el("p.note", {}, rows.length > MOST ? `The first ${MOST} of ${count(rows.length)} rows in this order; a copy has all of them.` : `${count(rows.length)} rows`));
        if (focused !== null) this.element.querySelector(`[data-column="${focused}"]`)?.focus();
    }

    sortBy(column) {
        const now = this.sorting[this.kind];
        this.sorting[this.kind] = { column, down: now.column === column ? !now.down : false };
        this.draw(column);
    }

    // With tabs between columns, as spreadsheets take it; all digits.
    text() {
        const { columns, rows } = this.sorted();
        return [columns, ...rows].map((row) => row.join("\t")).join("\n");
    }
    async copy(button) {
        try {
            await navigator.clipboard.writeText(this.text());
            button.textContent = "Copied";
        } catch {
            button.textContent = "The browser does not allow it";
        }
    }
}

function textOf(value) {
    if (typeof value !== "number") return value;
    return Number.isInteger(value) ? String(value) : value.toPrecision(6).replace("-", "−");
}
