// Principal stresses as crosses: of every element, or of every body by the forces of its contacts (its moment stress). Lines are as
// long as the values, pressure in one colour and tension in another.
import { principal } from "../data/soft.js";
import { niceAbove } from "./colouring.js";

export const PRESSURE = { dark: [0.95, 0.97, 1], light: [0.05, 0.16, 0.36] };
export const TENSION = { dark: [1, 0.42, 0.36], light: [0.75, 0.13, 0.1] };

// Rows of {at, rows of [value, direction]}.
export function crossesOf(view, of) {
    const { soft } = view.run.bodies, { frame } = view.pair;
    if (of === "bodies") return ofBodies(view);
    const stress = frame.soft?.stress, out = [];
    for (const entry of stress?.length ? soft.list : []) {
        if (view.hidden(entry.body)) continue;
        const { mesh } = entry;
        for (let e = 0; e < mesh.elements.length / mesh.per_element; e++) {
            const s = stress.subarray(6 * (entry.element + e), 6 * (entry.element + e) + 6);
            out.push({ at: soft.middle(entry, e), rows: principal(s, soft.dim) });
        }
    }
    return out;
}

// M = sum (x - c) f' over the contacts of a body, by its volume.
function ofBodies(view) {
    const { bodies } = view.run, { frame, contacts } = view.pair, { dim } = frame, sums = new Map();
    for (let c = 0; contacts && c < contacts.n; c++) {
        for (const [i, sign] of [[contacts.candidate[c], 1], [contacts.antagonist[c], -1]]) {
            if (!bodies.moves[i] || view.hidden(i)) continue;
            if (!sums.has(i)) sums.set(i, new Float64Array(9));
            const m = sums.get(i);
            for (let k = 0; k < dim; k++) for (let l = 0; l < dim; l++) {
                m[3 * k + l] += sign * (contacts.point[dim * c + k] - frame.position[dim * i + k]) * contacts.force[dim * c + l];
            }
        }
    }
    return [...sums].map(([i, m]) => {
        const v = bodies.volume(i) || 1, s = [m[0], m[4], m[8], (m[1] + m[3]) / 2, (m[5] + m[7]) / 2, (m[2] + m[6]) / 2].map((x) => x / v);
        return { at: bodies.soft.centre(i) ?? view.poses.toWorld(i, [0, 0, 0]), rows: principal(s, dim) };
    });
}

// The value at which a line is as long as an element (a body) [Pa].
export function drawCrosses(lines, view, layer) {
    lines.begin();
    view.crossRange = 0;
    if (layer?.on) {
        const crosses = crossesOf(view, layer.of), values = crosses.flatMap(({ rows }) => rows.map(([value]) => Math.abs(value))).sort((a, b) => a - b);
        view.crossRange = niceAbove(values[Math.floor(0.995 * (values.length - 1))] ?? 0);
        const size = layer.of === "bodies" ? 1.4 * view.run.bodies.size : 1.2 * view.run.bodies.soft.size, scale = (layer.scale * size) / (view.crossRange || 1);
        for (const { at, rows } of crosses) {
            for (const [value, way] of rows) {
                const half = 0.5 * scale * Math.abs(value);
                const colour = value > 0 ? TENSION[view.options.theme] : PRESSURE[view.options.theme];
                lines.add(...at.map((x, d) => x - half * way[d]), ...at.map((x, d) => x + half * way[d]), 1.6, ...colour, 1);
            }
        }
    }
    lines.end();
}
