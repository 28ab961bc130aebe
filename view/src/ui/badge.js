// The trust badge: how good the steps since the last frame are, always in sight; a click tells more.
import { GOOD, LOOSE, UNKNOWN, worstLevel } from "../data/trust.js";
import { count, digits, exponent, withUnit } from "../format.js";
import { el, icon } from "./dom.js";

export const LEVELS = ["unknown", "good", "loose", "failed"];
const NAMES = { residual: "Contact law residual", penetration: "Penetration", joint: "Joint error", balance: "Energy balance" };

export function checkText(check) {
    const { key, value } = check;
    if (key === "residual") return exponent(value);
    if (key === "balance") return `${value > 0 ? "+" : ""}${Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5 ? exponent(value) : digits(value)} J`;
    const { value: text, unit } = withUnit(Math.max(0, value), "m");
    return `${text} ${unit}`;
}

export class Badge {
    constructor(app, popover) {
        this.app = app;
        this.popover = popover;
        this.level = UNKNOWN;
        this.element = el("button.badge.unknown", { type: "button", title: "How far to trust this step (T)", onclick: () => this.open() });
        this.update();
    }

    open() {
        this.popover.toggle(this.element, "trust", () => this.report());
    }

    get word() {
        return this.text().toLowerCase();
    }
    // The frame before the first step has nothing to check.
    text() {
        const { run, state } = this.app;
        const start = run && run.ledger.n > 0 && run.frames.steps[state.frame] < run.ledger.steps[0];
        return start ? "Initial state" : run ? run.trust.word(this.level) : "Not checked";
    }

    update() {
        const { run, state } = this.app;
        const checks = run ? run.checksAt(state.frame) : [];
        this.checks = checks;
        this.level = worstLevel(checks);
        const name = LEVELS[this.level];
        this.element.className = `badge ${name}`;
        const word = this.text();
        this.element.replaceChildren(el("span.word", {}, icon(`shield-${name}`), word), ...checks.map((check) =>
            el(`span.figure.${LEVELS[check.level]}`, {}, el("span", {}, check.label), el("b", {}, checkText(check)))));
        this.element.setAttribute("aria-label", `Trust: ${word}`);
        if (this.popover.name === "trust") this.popover.refresh(() => this.report());
    }

    report() {
        const { run } = this.app;
        if (!run || this.checks.length === 0) {
            return el("div", { "data-width": "300" }, el("h3", {}, "Not checked"), el("p", {}, "There is no ledger row for this step."));
        }
        run.trust.update();
        const whole = run.trust.checks(0, run.ledger.n);
        const level = LEVELS[this.level];
        const bad = run.trust.levels.reduce((sum, l) => sum + (l >= LOOSE), 0);
        const worst = whole.reduce((a, b) => (b.level > a.level || (b.level === a.level && b.value / b.limit > a.value / a.limit) ? b : a));
        return el("div", { "data-width": "404" },
            el(`h3.${level}`, {}, this.headline()), el("p", {}, this.sentence()),
            el("table", {},
                el("thead", {}, el("tr", {}, ["Check", "This step", "Limit", "Worst in run"].map((t) => el("th", { scope: "col" }, t)))),
                el("tbody", {}, this.checks.map((check) => {
                    const overall = whole.find((w) => w.key === check.key) ?? check;
                    const limit = checkText({ ...check, value: check.limit }).replace("+", "");
                    return el("tr", {},
                        el("td", {}, el(`span.${LEVELS[check.level]}`, {}, icon(check.level === GOOD ? "check" : "close")), NAMES[check.key]),
                        el(`td.${check.level === GOOD ? "plain" : LEVELS[check.level]}`, {}, checkText(check)), el("td", {}, limit), el("td", {}, checkText(overall)));
                }))),
            el("footer", {}, el("span", {}, `${count(bad)} of ${count(run.ledger.n)} steps above their limits`),
                el("button.button", { type: "button", onclick: () => { this.popover.close(); this.app.seekStep(worst.step); } }, `Go to worst step ${count(worst.step)}`)));
    }

    headline() {
        return ["Not checked", this.app.run.trust.checked ? "This step is verified" : "This step is within limits", "This step is loose", "This step failed"][this.level];
    }
    sentence() {
        const worst = this.checks.reduce((a, b) => (b.level > a.level ? b : a));
        const at = worst.step !== this.app.run.frames.steps[this.app.state.frame] ? ` At step ${count(worst.step)}, between two frames.` : "";
        if (this.level === GOOD) {
            return this.app.run.trust.checked ? "Checked independently of the solver." : "All measures are within their limits.";
        }
        const text = {
            residual: "The solver did not reach its tolerance.", penetration: "Bodies overlap more than they should.",
            joint: "Joints are open more than they should be.",
            balance: worst.value > 0 ? "Energy came from nowhere." : "More energy was lost than the laws account for.",
        }[worst.key];
        return text + at;
    }
}
