// One plot: title, current values and curves.
import uPlot from "uplot";

import { exponent, digits, prefixFor, minus } from "../format.js";
import { el, icon } from "./dom.js";
import { decimate } from "./plot_kinds.js";
import { axisTicks, tokens } from "./time_bar.js";

const DASHES = [[], [6, 3], [2, 2]];
const DASH_WORDS = ["one", "two", "three"];
const LEFT = 42, RIGHT = 14, AXIS = 18;

// The fewest decimals that show all ticks as they are.
function tickText(v, list) {
    const most = Math.max(...list.map(Math.abs)), gap = list.length > 1 ? Math.abs(list[1] - list[0]) : most || 1;
    const fewest = (write) => [0, 1, 2, 3, 4, 5, 6].find((d) => list.every((x) => Math.abs(x - Number(write(x, d))) <= 1e-3 * gap)) ?? 6;
    if (most >= 1e5 || (most < 1e-3 && most > 0)) return v === 0 ? "0" : exponent(v, fewest((x, d) => x.toExponential(d)));
    return minus(v.toFixed(fewest((x, d) => x.toFixed(d))));
}

export class Plot {
    constructor(plots, kind) {
        this.plots = plots;
        this.kind = kind;
        this.area = el("div.area");
        this.head = el("div.line");
        this.dots = kind.series.map(() => el("div.dot"));
        this.area.append(this.head, ...this.dots);
        this.unit = el("span.unit");
        this.now = el("span.now");
        const remove = el("button.remove", { type: "button", "aria-label": `Remove the plot ${kind.title}`, onclick: () => plots.remove(this) }, icon("close", 12));
        this.element = el("div.plot", {}, el("header", {}, el("b", {}, kind.title), this.unit, this.now, remove), this.area);
        this.last = false;
        this.factor = 1;
        this.listen();
    }

    setLast(last) {
        if (this.last === last) return;
        this.last = last;
        this.chart?.destroy();
        this.chart = null;
    }

    // Drag scrubs, shift-drag zooms all, double click shows the whole run again.
    listen() {
        const { area, plots } = this;
        const timeAt = (event) => {
            const box = area.getBoundingClientRect(), [a, b] = plots.span;
            return a + ((b - a) * (event.clientX - box.left - LEFT)) / (box.width - LEFT - RIGHT);
        };
        let from = null;
        area.addEventListener("pointerdown", (event) => {
            area.setPointerCapture(event.pointerId);
            from = event.shiftKey ? timeAt(event) : null;
            plots.app.live.leave();
            if (from === null) plots.app.layout.timeBar.scrub(timeAt(event));
        });
        area.addEventListener("pointermove", (event) => {
            if (area.hasPointerCapture(event.pointerId) && from === null) plots.app.layout.timeBar.scrub(timeAt(event));
        });
        area.addEventListener("pointerup", (event) => {
            const to = timeAt(event);
            if (from !== null && Math.abs(to - from) > 0) plots.zoom([Math.min(from, to), Math.max(from, to)]);
            from = null;
        });
        area.addEventListener("dblclick", () => plots.zoom(null));
    }

    draw([from, to]) {
        const width = this.area.clientWidth, height = this.area.clientHeight;
        if (width < 60 || height < 24) return;
        const times = this.kind.times(), columns = this.kind.columns();
        if (times.length === 0) return; // the ledger comes after the first picture
        const data = decimate(times, columns, from, to, Math.max(50, width - LEFT));
        this.scale(data);
        const theme = document.documentElement.dataset.theme;
        if (!this.chart || this.theme !== theme) {
            this.chart?.destroy();
            this.theme = theme;
            this.chart = new uPlot(this.options(width, height), data, this.area);
        } else {
            if (this.chart.width !== width || this.chart.height !== height) this.chart.setSize({ width, height });
            this.chart.setData(data, false);
        }
        this.chart.batch(() => {
            this.chart.setScale("x", { min: from, max: to });
            this.chart.setScale("y", this.limits(data));
        });
        this.area.append(this.head, ...this.dots);
    }

    // Values are shown with the prefix that suits the largest.
    scale(data) {
        if (this.kind.log || !this.kind.unit) return;
        let most = 0;
        for (const ys of data.slice(1)) for (const y of ys) if (Math.abs(y) > most) most = Math.abs(y);
        const [factor, prefix] = prefixFor(most, this.kind.unit);
        this.factor = factor;
        this.unit.textContent = prefix + this.kind.unit;
        for (const ys of data.slice(1)) for (let k = 0; k < ys.length; k++) if (ys[k] !== null) ys[k] /= factor;
    }

    limits(data) {
        let low = Infinity, high = -Infinity;
        for (const ys of data.slice(1)) {
            for (const y of ys) {
                if (y === null || y !== y || (this.kind.log && !(y > 0))) continue;
                if (y < low) low = y;
                if (y > high) high = y;
            }
        }
        if (this.kind.log) {
            const limit = this.plots.run.hello.limits[this.kind.limit]?.[0] ?? 1;
            if (!(low <= high)) [low, high] = [limit, limit];
            return { min: 10 ** Math.floor(Math.log10(Math.max(Math.min(low, limit / 10), limit * 1e-4))), max: 10 ** Math.ceil(Math.log10(Math.max(high, limit * 10)) + 0.01) };
        }
        if (!(low <= high)) [low, high] = [0, 1];
        // A zero baseline, unless the data lie far from it.
        const far = this.kind.free && Math.min(Math.abs(low), Math.abs(high)) > 3 * (high - low);
        if (!far) [low, high] = [Math.min(0, low), Math.max(0, high)];
        if (high === low) high = low + (Math.abs(low) || 1);
        const margin = 0.06 * (high - low);
        return { min: low < 0 || far ? low - margin : low, max: high + margin };
    }

    options(width, height) {
        const c = tokens(["k1", "k2", "k3", "text2", "line", "ok", "warn", "bad", "panel"]);
        const { kind } = this;
        const font = '11px "Inter Variable", sans-serif';
        const text = (v, k, list) => (v === null ? "" : kind.log ? exponent(v, 0) : tickText(v, list));
        kind.series.forEach(([, , colour], k) => this.dots[k].style.setProperty("background", c[colour]));
        this.colours = c;
        return {
            width, height, padding: [6, RIGHT, this.last ? 0 : 4, 0], legend: { show: false }, cursor: { show: false }, select: { show: false },
            scales: { x: { time: false, auto: false }, y: { auto: false, distr: kind.log ? 3 : 1 } },
            axes: [
                { show: true, size: this.last ? AXIS : 0, stroke: c.text2, font, gap: 2, ticks: { show: false }, grid: { stroke: c.line, width: 1 },
                    splits: (u) => axisTicks(u.scales.x.min, u.scales.x.max, 5).list, filter: (u, list) => list,
                    values: (u, list) => (this.last ? list.map((v, k) => tickText(v, list) + (k === list.length - 1 ? " s" : "")) : list.map(() => "")) },
                { size: LEFT, stroke: c.text2, font, gap: 4, ticks: { show: false }, grid: { stroke: c.line, width: 1 },
                    splits: (u) => this.splits(u.scales.y), filter: (u, list) => list, values: (u, list) => list.map(text) },
            ],
            series: [{}, ...kind.series.map(([label, , colour], k) => ({
                label, stroke: c[colour], width: 1.4, dash: DASHES[k], points: { show: false }, spanGaps: false,
                fill: kind.fill ? `${c[colour]}26` : undefined,
            }))],
            hooks: { drawClear: [(u) => kind.limit && this.drawBand(u)], draw: [(u) => kind.limit && this.drawOffenders(u)] },
        };
    }

    splits(scale) {
        if (this.kind.log) {
            // Whole powers of ten from the top down, so that both ends of a short axis are among them.
            const list = [], low = Math.round(Math.log10(scale.min)), high = Math.round(Math.log10(scale.max)), step = Math.max(1, Math.floor((high - low) / 3));
            for (let p = high; p >= low; p -= step) list.unshift(10 ** p);
            return list;
        }
        for (let most = 2.6; ; most *= 1.5) {
            const { list } = axisTicks(scale.min, scale.max, most);
            if (list.length >= 3 || most > 20) return list;
        }
    }

    // The band below the tolerance, and the tolerance itself.
    drawBand(u) {
        const limit = this.plots.run.hello.limits[this.kind.limit][0], { ctx, bbox } = u;
        const y = u.valToPos(limit, "y", true);
        ctx.save();
        ctx.fillStyle = `${this.colours.ok}1a`;
        ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
        ctx.strokeStyle = this.colours.ok;
        ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        ctx.restore();
    }

    // Steps above the tolerance stand out by a dot.
    drawOffenders(u) {
        const [good, loose] = this.plots.run.hello.limits[this.kind.limit], { ctx } = u, [xs, ys] = u.data;
        ctx.save();
        for (let k = 0; k < xs.length; k++) {
            if (ys[k] === null || ys[k] <= good) continue;
            ctx.fillStyle = ys[k] <= loose ? this.colours.warn : this.colours.bad;
            ctx.beginPath();
            ctx.arc(u.valToPos(xs[k], "x", true), u.valToPos(ys[k], "y", true), 2.2 * devicePixelRatio, 0, 7);
            ctx.fill();
        }
        ctx.restore();
    }

    // The playhead and the values of the frame.
    moveHead(t, frameTime) {
        const { chart, kind } = this;
        if (!chart) return;
        const ratio = devicePixelRatio, left = chart.bbox.left / ratio, top = chart.bbox.top / ratio, height = chart.bbox.height / ratio;
        const x = chart.valToPos(t, "x") + left;
        const visible = x >= left - 1 && x <= left + chart.bbox.width / ratio + 1;
        this.head.hidden = !visible;
        this.head.style.setProperty("left", `${x - 0.6}px`);
        this.head.style.setProperty("top", `${top}px`);
        this.head.style.setProperty("height", `${height}px`);
        const values = this.valuesAt(frameTime);
        kind.series.forEach((_, k) => {
            const y = values[k], shown = y === undefined || y !== y || (kind.log && !(y > 0)) ? null : kind.log ? y : y / this.factor;
            this.dots[k].hidden = shown === null || !visible;
            if (shown === null) return;
            this.dots[k].style.setProperty("left", `${x}px`);
            this.dots[k].style.setProperty("top", `${Math.max(top, Math.min(top + height, chart.valToPos(shown, "y") + top))}px`);
        });
        this.showValues(values);
    }

    valuesAt(t) {
        const times = this.kind.times();
        let low = 0, high = times.length;
        const after = t * (1 + 1e-12) + 1e-12;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (times[middle] <= after) low = middle + 1;
            else high = middle;
        }
        return low === 0 ? [] : this.kind.columns().map((c) => c.high[low - 1]);
    }

    showValues(values) {
        const { kind } = this;
        const text = (y) => (y === undefined || y !== y ? "–" : kind.log ? exponent(y) : kind.unit ? digits(y / this.factor) : digits(y));
        const parts = kind.series.map(([label, , colour], k) => {
            if (kind.series.length === 1) return el("b", {}, text(values[k]));
            const dash = el(`i.dash.${DASH_WORDS[k]}`);
            dash.style.setProperty("border-color", `var(--${colour})`);
            return el("span", {}, dash, label, el("b", {}, text(values[k])));
        });
        this.now.replaceChildren(...parts);
    }

    destroy() {
        this.chart?.destroy();
        this.element.remove();
    }
}
