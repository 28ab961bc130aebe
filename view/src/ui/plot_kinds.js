// What can be plotted: columns of the ledger, alone or summed, and the motion of a body.

// sum(names) adds columns bin by bin, those that are there.
function sum(...names) {
    return (ledger) => {
        const found = names.map((name) => ledger.column(name)).filter(Boolean);
        if (found.length === 0) return null;
        if (found.length === 1) return found[0];
        const low = new Float32Array(ledger.n), high = new Float32Array(ledger.n);
        for (const column of found) {
            for (let i = 0; i < ledger.n; i++) {
                low[i] += column.low[i];
                high[i] += column.high[i];
            }
        }
        return { low, high };
    };
}

export const LEDGER_PLOTS = [
    { key: "energy", title: "Energy", unit: "J", series: [["Kinetic", sum("kinetic"), "k1"], ["Dissipated", sum("dissipated_friction", "dissipated_impact", "dissipated_numerical"), "k3"]] },
    { key: "residual", title: "Residual", unit: "", log: true, limit: "residual", series: [["Residual", sum("residual"), "k1"]] },
    { key: "penetration", title: "Penetration", unit: "m", fill: true, series: [["Penetration", sum("penetration_max"), "k2"]] },
    { key: "contacts", title: "Contacts", unit: "", series: [["Stick", sum("sticking"), "k1"], ["Slide", sum("sliding"), "k3"]] },
    { key: "iterations", title: "Iterations", unit: "", series: [["Iterations", sum("iterations"), "k1"]] },
    { key: "split", title: "Energy split", unit: "J", series: [["Friction", sum("dissipated_friction"), "k3"], ["Impact", sum("dissipated_impact"), "k1"], ["Numerical", sum("dissipated_numerical"), "k2"]] },
    { key: "potential", title: "Potential energy", unit: "J", free: true, series: [["Potential", sum("potential"), "k1"]] },
    { key: "work", title: "Work", unit: "J", series: [["External", sum("work_external"), "k1"], ["Joints", sum("work_joints"), "k3"]] },
    { key: "balance", title: "Energy balance", unit: "J", series: [["Balance", sum("balance"), "k1"]] },
    { key: "cpu", title: "CPU per step", unit: "s", series: [["Solve", sum("cpu_solve"), "k1"], ["Detect", sum("cpu_detect"), "k3"], ["Rest", sum("cpu_assemble", "cpu_advance"), "k2"]] },
    { key: "joint", title: "Joint error", unit: "m", series: [["Joint error", sum("joint_error_max"), "k2"]] },
];
export const DEFAULT_PLOTS = ["energy", "residual", "penetration", "contacts"];

const AXES = ["x", "y", "z"];
// Rows of [key, label, unit, value at point k of a series].
export function bodyQuantities(dim) {
    const part = (name, d, size) => (s, k) => s[name][size * k + d];
    const norm = (name, size) => (s, k) => Math.hypot(...s[name].subarray(size * k, size * k + size));
    const axes = AXES.slice(0, dim), spins = dim === 3 ? 3 : 1;
    return [
        ...axes.map((a, d) => [a, a, "m", part("position", d, dim)]),
        ["speed", "speed", "m/s", norm("velocity", dim)],
        ...axes.map((a, d) => [`v${a}`, `v${a}`, "m/s", part("velocity", d, dim)]),
        ["spin", "spin", "rad/s", spins === 1 ? part("spin", 0, 1) : norm("spin", 3)],
        ...(dim === 2 ? [["angle", "angle", "rad", part("orientation", 0, 1)]] : []),
    ];
}

// The coordinates of a system that stand in the place and turn of body i.
export function coordinates(i) {
    const place = (d) => (s, k) => s.position[2 * k + d];
    return [place(0), place(1), (s, k) => s.orientation[k]].map((value, d) => [`q${3 * i + d + 1}`, `q${3 * i + d + 1}`, "", value]);
}

// At most two points per pixel: the smallest and the largest value, so no peak is lost.
export function decimate(times, columns, from, to, pixels) {
    let first = 0, end = times.length;
    while (first < end && times[first] < from) first++;
    while (end > first && times[end - 1] > to) end--;
    first = Math.max(0, first - 1);
    end = Math.min(times.length, end + 1);
    const n = end - first;
    if (n <= 2 * pixels) {
        const exact = columns.every((c) => c.low === c.high || n <= pixels);
        if (exact) return [Array.from(times.subarray(first, end)), ...columns.map((c) => Array.from(c.high.subarray(first, end)))];
    }
    const bins = Math.max(1, Math.min(pixels, n)), xs = [], ys = columns.map(() => []);
    for (let b = 0; b < bins; b++) {
        const i = first + Math.floor((b * n) / bins), j = Math.max(i + 1, first + Math.floor(((b + 1) * n) / bins));
        xs.push(times[i], times[j - 1]);
        columns.forEach((c, s) => {
            let low = Infinity, high = -Infinity;
            for (let k = i; k < j; k++) {
                if (c.low[k] < low) low = c.low[k];
                if (c.high[k] > high) high = c.high[k];
            }
            const rising = c.high[j - 1] >= c.low[i];
            ys[s].push(...(rising ? [low, high] : [high, low]).map((x) => (Number.isFinite(x) ? x : null)));
        });
    }
    return [xs, ...ys];
}
