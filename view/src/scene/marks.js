// Marks over the bodies: contact points by status, normals, force vectors, trajectories, joints, the ring around the
// selected body, the spring of a drag, walls.
import { drawCrosses } from "./crosses.js";
import { drawJoints } from "./joints.js";
import { normalForces } from "./pairs.js";
import { planeOutline } from "./planes.js";
import { kindColour } from "./palette.js";

const DOT = 0, DIAMOND = 1, RING = 2;
const SHAPES = [RING, DOT, DIAMOND]; // by status: open, stick, slide
const RING_PIECES = 72;

export function drawMarks(view, context, pixel, diameter) {
    const { run, options, pair, look } = view;
    const { layers } = options;
    drawPoints(view, layers.points, pair.contacts, look, diameter);
    const thin = view.lines.thin;
    thin.begin();
    if (pair.contacts && (layers.normals.on || layers.forces.on)) drawVectors(thin, view, context, layers, pixel);
    if (layers.cut.on) drawCut(thin, view, layers.cut);
    thin.end();
    view.lines.joints.begin();
    if (layers.joints.on) drawJoints(view.lines.joints, view, pixel);
    view.lines.joints.end();
    drawCrosses(view.lines.crosses, view, layers.crosses);
    drawPaths(view, layers.paths, look);
    drawRing(view, options, look, pixel);
    drawWalls(view, look);
    view.lost.begin();
    for (const i of view.poses.lost.keys()) {
        view.lost.add(...view.poses.toWorld(i, [0, 0, 0]), 14, [1, 0, 1], DIAMOND);
    }
    view.lost.end();
    view.points.nudge.value = 0.25 * run.bodies.size;
}

function drawPoints(view, layer, contacts, look, diameter) {
    const { points, run } = view;
    points.begin();
    if (layer.on && contacts) {
        const { n, dim, point, status } = contacts, normal = normalForces(contacts);
        const on = [layer.open, layer.stick, layer.slide], colours = [look.open, look.stick, look.slide];
        const most = run.dim === 2 ? Math.min(8, Math.max(3, 0.3 * diameter)) : 7, least = Math.min(4, most);
        for (let c = 0; c < n; c++) {
            const s = status[c];
            if (!on[s] || (view.isCut(contacts.candidate[c]) && view.isCut(contacts.antagonist[c]))) continue;
            const size = least + (most - least) * Math.min(1, Math.max(0, normal[c] / (view.forceRange() || 1)));
            points.add(point[dim * c], point[dim * c + 1], dim === 3 ? point[dim * c + 2] : 0, 2 * size - 4, colours[s], SHAPES[s]);
        }
    }
    points.end();
}

// Normals have one length; force vectors are as long as the force, by the run's reference.
function drawVectors(lines, view, context, layers, pixel) {
    const { contacts } = view.pair, { dim, n, point, normal, force, status } = contacts;
    const { look } = view, colours = [look.open, look.stick, look.slide];
    const length = 1.1 * view.run.bodies.size;
    const arrow = (c, v, scale, colour) => {
        const at = [point[dim * c], point[dim * c + 1], dim === 3 ? point[dim * c + 2] : 0];
        const w = [v[dim * c] * scale, v[dim * c + 1] * scale, dim === 3 ? v[dim * c + 2] * scale : 0];
        const tip = at.map((x, k) => x + w[k]), size = Math.hypot(...w);
        if (!(size > 0.5 * pixel)) return;
        lines.add(...at, ...tip, 1.6, ...colour, 1);
        // The head: two strokes in the plane of the vector and some other direction.
        const side = Math.abs(w[2]) < 0.9 * size && dim === 3 ? [w[1], -w[0], 0] : dim === 3 ? [0, w[2], -w[1]] : [w[1], -w[0], 0];
        const s = Math.hypot(...side) || 1, head = Math.min(0.28 * size, 7 * pixel);
        for (const sign of [-0.55, 0.55]) {
            lines.add(...tip, ...tip.map((x, k) => x - (head * w[k]) / size + (sign * head * side[k]) / s), 1.6, ...colour, 1);
        }
    };
    for (let c = 0; c < n; c++) {
        if (view.isCut(contacts.candidate[c]) && view.isCut(contacts.antagonist[c])) continue;
        if (layers.normals.on) arrow(c, normal, length, colours[status[c]]);
        if (layers.forces.on && status[c] !== 0) arrow(c, force, (2.5 * view.run.bodies.size) / context.reference, look.slide);
    }
}

function drawCut(lines, view, cut) {
    const normal = [0, 0, 0];
    normal[cut.axis] = 1;
    for (const [a, b] of planeOutline(normal, cut.offset, view.run.room)) lines.add(...a, ...b, 1.4, ...view.look.accent, 0.9);
}

// Paths of chosen bodies up to now, fading into the past.
function drawPaths(view, layer, look) {
    const { paths } = view.lines, { bodies } = view.run;
    paths.begin();
    if (layer.on) {
        let rank = 1;
        for (const [body, series] of view.options.traces) {
            if (!series) continue;
            const { dim, times, position } = series, now = view.pair.frame.t;
            let last = 0;
            while (last < series.n && times[last] <= now) last++;
            const first = layer.length >= 1 ? 0 : Math.max(0, Math.floor(last - layer.length * series.n));
            const colour = bodies.group[body] > 0 ? kindColour(bodies.group[body]) : bodies.count > 1 ? kindColour(rank++ % 7 || 1) : look.accent;
            const at = (k) => [position[dim * k], position[dim * k + 1], dim === 3 ? position[dim * k + 2] : 0];
            for (let k = first; k + 1 < last; k++) {
                paths.add(...at(k), ...at(k + 1), 2.2, ...colour, 0.25 + (0.75 * (k - first)) / Math.max(1, last - first));
            }
        }
    }
    paths.end();
}

// A circle that faces the eye, over everything: the selected body is found even when buried. Also the drag's spring.
function drawRing(view, options, look, pixel) {
    const { ring } = view.lines;
    ring.begin();
    const round = options.selection >= 0 && isRound(view.run.bodies.shapes[options.selection]);
    const middle = round ? view.middle(options.selection) : null;
    if (middle && !view.isCut(options.selection)) {
        const m = view.camera.current.matrixWorld.elements;
        const u = [m[0], m[1], m[2]], v = [m[4], m[5], m[6]];
        // Seen in perspective a ball's outline is nearer and so a little larger than its middle circle.
        const eye = [m[12], m[13], m[14]], away = Math.hypot(...middle.centre.map((x, k) => x - eye[k]));
        const grow = view.camera.isPerspective && away > middle.radius ? away / Math.sqrt(away * away - middle.radius ** 2) : 1;
        const r = middle.radius * grow + 1.3 * pixel;
        const at = (k) => {
            const a = (2 * Math.PI * k) / RING_PIECES, c = r * Math.cos(a), s = r * Math.sin(a);
            return middle.centre.map((x, d) => x + c * u[d] + s * v[d]);
        };
        for (let k = 0; k < RING_PIECES; k++) ring.add(...at(k), ...at(k + 1), 2.6, ...look.accent, 1);
    } else if (options.selection >= 0) {
        outline(ring, view, options.selection, look);
    }
    if (options.drag) ring.add(...options.drag.from, ...options.drag.to, 2.6, ...look.accent, 1);
    ring.end();
}

function isRound(shapes) {
    return shapes.length === 1 && (shapes[0].kind === "sphere" || shapes[0].kind === "disk");
}

// The edges of the selected body's hulls.
function outline(lines, view, body, look) {
    for (const shape of view.run.bodies.shapes[body]) {
        const loops = shape.faces ?? (shape.vertices ? [shape.vertices.map((_, k) => k)] : []);
        for (const loop of loops) {
            loop.forEach((v, k) => {
                const w = loop[(k + 1) % loop.length];
                if (shape.faces && v > w) return; // each edge once
                lines.add(...view.poses.toWorld(body, shape.vertices[v]), ...view.poses.toWorld(body, shape.vertices[w]), view.dim === 2 ? 2.6 : 1.6,
                    ...look.accent, 1);
            });
        }
    }
}

function drawWalls(view, look) {
    const { walls } = view.lines;
    walls.begin();
    for (const { body, plane } of view.walls ?? []) {
        if (view.hidden(body)) continue;
        const at = view.poses.toWorld(body, plane.normal.map((x) => x * plane.offset));
        const origin = view.poses.toWorld(body, [0, 0, 0]), tip = view.poses.toWorld(body, plane.normal);
        const normal = tip.map((x, k) => x - origin[k]);
        const offset = normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2];
        for (const [a, b] of planeOutline(normal, offset, view.run.room)) walls.add(...a, ...b, 1.3, ...look.wire, 0.8);
    }
    walls.end();
}
