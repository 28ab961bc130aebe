// Joints as the symbols of a mechanism's drawing, a few pixels in size: pins, balls, rails, rods, coils.
//
// A symbol is made of strokes: lists of points of the world. What a joint leaves free shows: a ring turns, a rail slides.
const CIRCLE = 20; // pieces of a ring
const COILS = 7;

export function drawJoints(lines, view, pixel) {
    for (const joint of view.run.bodies.joints) {
        const place = placeOf(joint, view, 8 * pixel);
        for (const stroke of (SYMBOLS[joint.kind] ?? SYMBOLS.ball)(place)) {
            for (let k = 0; k + 1 < stroke.length; k++) lines.add(...stroke[k], ...stroke[k + 1], 2, ...view.look.accent, 1);
        }
    }
}

// Where a joint is: its two points, its axis and two directions across it. r: the symbol's size [m].
function placeOf(joint, view, r) {
    const { poses, dim } = view, [first] = joint.bodies;
    const ends = joint.bodies.map((body, k) => {
        const p = lift(joint.points?.[k]);
        return body < 0 ? p : poses.toWorld(body, p);
    });
    const turned = (v) => (first < 0 ? v : minus(poses.toWorld(first, v), poses.toWorld(first, [0, 0, 0])));
    let axis = turned(lift(joint.axis));
    const flat = dim === 2;
    if (!(size(axis) > 0)) axis = [0, 0, 1];
    axis = scaled(axis, 1 / size(axis));
    // In the plane a turn is about the eye's direction; an axis, where there is one, lies in the plane.
    const across = flat ? [-axis[1], axis[0], 0] : perpendicular(axis);
    return { a: ends[0], b: ends[1] ?? ends[0], axis, u: flat ? [1, 0, 0] : across, v: flat ? [0, 1, 0] : cross(axis, across), side: flat && axis[2] === 0 ? across : flat ? [1, 0, 0] : across, r, flat };
}

const SYMBOLS = {
    // A pin: in the plane seen from its end, in space a shaft with a ring at either end.
    hinge: (p) => (p.flat ? [ring(p.a, p.u, p.v, p.r), ring(p.a, p.u, p.v, 0.3 * p.r)] : [
        [along(p, p.a, -2), along(p, p.a, 2)], ring(along(p, p.a, -1), p.u, p.v, p.r), ring(along(p, p.a, 1), p.u, p.v, p.r),
    ]),
    ball: (p) => [ring(p.a, p.u, p.v, p.r), ring(p.a, p.axis, p.u, p.r), ring(p.a, p.axis, p.v, p.r)],
    // A rail of the first body, and a block of the second on it.
    slider: (p) => [...rail(p), block(p, p.b, 1.1, 0.9)],
    cylindrical: (p) => [...rail(p), ring(p.b, p.side, p.flat ? p.axis : p.v, p.r)],
    universal: (p) => [
        [along(p, p.a, -1.6), along(p, p.a, 1.6)], [plus(p.a, p.u, -1.6 * p.r), plus(p.a, p.u, 1.6 * p.r)], ring(p.a, p.axis, p.u, p.r),
    ],
    planar: (p) => [2, 1.2].map((s) => [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => plus(plus(p.a, p.u, s * x * p.r), p.v, s * y * p.r))),
    // A rod between two pins.
    distance: (p) => [[p.a, p.b], ring(p.a, p.u, p.v, 0.5 * p.r), ring(p.b, p.u, p.v, 0.5 * p.r)],
    spring: (p) => [coil(p), ring(p.a, p.u, p.v, 0.4 * p.r), ring(p.b, p.u, p.v, 0.4 * p.r)],
    screw: (p) => [[along(p, p.a, -2.5), along(p, p.a, 2.5)], helix(p, along(p, p.a, -2), along(p, p.a, 2), 4, p.r)],
    // Two wheels that meet.
    gear: (p) => [ring(plus(p.a, p.side, -p.r), p.u, p.v, p.r), ring(plus(p.a, p.side, 0.6 * p.r), p.u, p.v, 0.6 * p.r)],
    torsion: (p) => [spiral(p)],
    fixed: (p) => [block(p, p.a, 1, 1), [plus(plus(p.a, p.side, -p.r), p.axis, p.flat ? 0 : -p.r), plus(plus(p.a, p.side, p.r), p.axis, p.flat ? 0 : p.r)]],
};

function rail(p) {
    const far = Math.max(3 * p.r, size(minus(p.b, p.a)) + 2 * p.r);
    return [-0.9, 0.9].map((s) => [-1, 1].map((e) => plus(plus(p.a, p.side, s * p.r), p.axis, e * far)));
}

// A rectangle around a place, in the plane of the axis and what lies across.
function block(p, at, long, wide) {
    const other = p.flat && p.axis[2] !== 0 ? [0, 1, 0] : p.axis;
    return [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => plus(plus(at, other, x * long * p.r), p.side, y * wide * p.r));
}

// A spring from a to b: straight ends, then coils that open and close with its length.
function coil(p) {
    const way = minus(p.b, p.a), length = size(way);
    if (!(length > 0)) return [p.a];
    const axis = scaled(way, 1 / length), lead = 0.12;
    const from = plus(p.a, way, lead), to = plus(p.b, way, -lead);
    if (!p.flat) return [p.a, ...helix({ ...p, axis }, from, to, COILS, 0.8 * p.r), p.b];
    const side = [-axis[1], axis[0], 0], points = [p.a, from];
    for (let k = 0; k < 2 * COILS; k++) points.push(plus(plus(from, minus(to, from), (k + 0.5) / (2 * COILS)), side, (k % 2 ? -0.8 : 0.8) * p.r));
    return [...points, to, p.b];
}

function helix(p, from, to, turns, radius) {
    const u = perpendicular(p.axis), v = cross(p.axis, u), points = [], pieces = turns * 14;
    for (let k = 0; k <= pieces; k++) {
        const angle = (2 * Math.PI * turns * k) / pieces;
        points.push(plus(plus(plus(from, minus(to, from), k / pieces), u, radius * Math.cos(angle)), v, radius * Math.sin(angle)));
    }
    return points;
}

function spiral(p) {
    const points = [];
    for (let k = 0; k <= 50; k++) {
        const angle = (5 * Math.PI * k) / 50, r = 0.2 * p.r + (p.r * k) / 50;
        points.push(plus(plus(p.a, p.u, r * Math.cos(angle)), p.v, r * Math.sin(angle)));
    }
    return points;
}

function ring(centre, u, v, radius) {
    const points = [];
    for (let k = 0; k <= CIRCLE; k++) {
        const angle = (2 * Math.PI * k) / CIRCLE;
        points.push(plus(plus(centre, u, radius * Math.cos(angle)), v, radius * Math.sin(angle)));
    }
    return points;
}

const along = (p, at, share) => plus(at, p.axis, share * p.r);
const lift = (v) => [v?.[0] ?? 0, v?.[1] ?? 0, v?.[2] ?? 0];
const plus = (a, d, share) => [a[0] + share * d[0], a[1] + share * d[1], a[2] + share * d[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (v, by) => [v[0] * by, v[1] * by, v[2] * by];
const size = (v) => Math.hypot(...v);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function perpendicular(v) {
    const other = cross(v, Math.abs(v[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
    return scaled(other, 1 / size(other));
}
