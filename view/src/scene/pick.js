// Which body a ray meets first, on the CPU from the poses that are drawn. A sphere around each body is tried before its shapes.
import { shapePoint } from "../data/shapes.js";

// ray: {origin: [x, y, z], direction: [x, y, z]} of unit length; hidden(i): not to be found.
export function pick(bodies, poses, ray, hidden) {
    let best = null;
    for (let i = 0; i < bodies.count; i++) {
        if (hidden(i)) continue;
        const reach = bodies.reach[i];
        if (reach > 0 && !nearSphere(poses.pose.image.data, i, reach, ray)) continue;
        const o = poses.toBody(i, ray.origin), d = poses.toBodyAxes(i, ray.direction);
        for (const shape of bodies.shapes[i]) {
            const t = bodies.dim === 3 ? meet(shape, o, d) : inside(shape, o) ? (i === 0 ? 1 : 1 - i * 1e-9) : null;
            if (t !== null && (!best || t < best.t)) best = { body: i, t };
        }
    }
    if (best) best.point = ray.origin.map((x, k) => x + best.t * ray.direction[k]);
    return best;
}

function nearSphere(data, i, r, { origin: o, direction: d }) {
    const x = data[8 * i] - o[0], y = data[8 * i + 1] - o[1], z = data[8 * i + 2] - o[2];
    const b = x * d[0] + y * d[1] + z * d[2];
    return x * x + y * y + z * z - b * b <= r * r;
}

// The first place of the ray o + t d on a shape, both in the body's frame; null: none.
function meet(shape, o, d) {
    switch (shape.kind) {
    case "sphere":
        return meetEllipsoid(shape, o, d, [shape.radius, shape.radius, shape.radius]);
    case "ellipsoid":
        return meetEllipsoid(shape, o, d, shape.half);
    case "capsule":
    case "cylinder":
        return meetRound(shape, o, d);
    case "polyhedron":
        return meetHull(shape, o, d);
    case "mesh":
    case "soft":
        return meetFaces(shape, o, d);
    default:
        return null; // planes are not picked: they are everywhere
    }
}

function toShape(shape, o, d) {
    const R = shape.axes, p = o.map((x, k) => x - shape.position[k]);
    const by = (v) => [R[0] * v[0] + R[3] * v[1] + R[6] * v[2], R[1] * v[0] + R[4] * v[1] + R[7] * v[2], R[2] * v[0] + R[5] * v[1] + R[8] * v[2]];
    return [by(p), by(d)];
}

function meetEllipsoid(shape, o, d, half) {
    const [p, v] = toShape(shape, o, d).map((x) => x.map((y, k) => y / half[k]));
    return firstRoot(dot(v, v), dot(p, v), dot(p, p) - 1);
}

function firstRoot(a, b, c) {
    const s = b * b - a * c;
    if (!(s >= 0)) return null;
    const t = (-b - Math.sqrt(s)) / a;
    return t > 0 ? t : null;
}

function meetRound(shape, o, d) {
    const [p, v] = toShape(shape, o, d), h = shape.length / 2, r = shape.radius;
    const found = [];
    const t = firstRoot(v[0] * v[0] + v[1] * v[1], p[0] * v[0] + p[1] * v[1], p[0] * p[0] + p[1] * p[1] - r * r);
    if (t !== null && Math.abs(p[2] + t * v[2]) <= h) found.push(t);
    for (const end of [-h, h]) {
        if (shape.kind === "capsule") {
            const q = [p[0], p[1], p[2] - end];
            found.push(firstRoot(dot(v, v), dot(q, v), dot(q, q) - r * r));
        } else {
            const s = (end - p[2]) / v[2];
            if (s > 0 && Math.hypot(p[0] + s * v[0], p[1] + s * v[1]) <= r) found.push(s);
        }
    }
    const times = found.filter((x) => x !== null);
    return times.length ? Math.min(...times) : null;
}

// Half-spaces of the faces: the ray is inside between its last entry and first exit.
function meetHull(shape, o, d) {
    let enter = -Infinity, leave = Infinity;
    for (const plane of hullPlanes(shape)) {
        const speed = dot(plane.normal, d), away = plane.offset - dot(plane.normal, o);
        if (speed === 0) {
            if (away < 0) return null;
        } else if (speed < 0) enter = Math.max(enter, away / speed);
        else leave = Math.min(leave, away / speed);
    }
    return enter <= leave && enter > 0 ? enter : null;
}

// The nearest of the triangles that the faces fan out into (Moeller and Trumbore 1997), for surfaces that are not convex.
function meetFaces(shape, o, d) {
    let best = null;
    for (const face of shape.faces) {
        for (let k = 1; k + 1 < face.length; k++) {
            const [a, b, c] = [face[0], face[k], face[k + 1]].map((v) => shape.vertices[v]);
            const u = b.map((x, i) => x - a[i]), v = c.map((x, i) => x - a[i]), s = o.map((x, i) => x - a[i]);
            const p = cross(d, v), q = cross(s, u), scale = dot(u, p);
            const x = dot(s, p) / scale, y = dot(d, q) / scale, t = dot(v, q) / scale;
            if (x >= 0 && y >= 0 && x + y <= 1 && t > 0 && (best === null || t < best)) best = t;
        }
    }
    return best;
}
function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function hullPlanes(shape) {
    shape.planes ??= shape.faces.map((face) => {
        const [a, b, c] = face.map((v) => shape.vertices[v]);
        const u = b.map((x, k) => x - a[k]), w = c.map((x, k) => x - a[k]);
        const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
        return { normal: n, offset: dot(n, a) };
    });
    return shape.planes;
}

// Whether a point of the plane is inside a shape.
function inside(shape, o) {
    const [p] = toShape(shape, o, [0, 0, 0]);
    switch (shape.kind) {
    case "disk":
        return Math.hypot(p[0], p[1]) <= shape.radius;
    case "ring": {
        const r = Math.hypot(p[0], p[1]);
        return r >= shape.radius && r <= 1.06 * shape.radius;
    }
    case "ellipse":
        return (p[0] / shape.half[0]) ** 2 + (p[1] / shape.half[1]) ** 2 <= 1;
    case "capsule": {
        const x = Math.max(0, Math.abs(p[0]) - shape.length / 2);
        return Math.hypot(x, p[1]) <= shape.radius;
    }
    case "soft":
    case "polygon": {
        let odd = false;
        const v = shape.vertices;
        for (let i = 0, j = v.length - 1; i < v.length; j = i++) {
            if (v[i][1] > o[1] !== v[j][1] > o[1] && o[0] < ((v[j][0] - v[i][0]) * (o[1] - v[i][1])) / (v[j][1] - v[i][1]) + v[i][0]) odd = !odd;
        }
        return odd;
    }
    default:
        return false;
    }
}

function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A point of a body's surface outline for rings around the selected body: its middle and reach in the world.
export function middleOf(bodies, poses, i) {
    const list = bodies.shapes[i].filter((s) => s.reach > 0);
    if (list.length === 0) return null;
    if (list.length === 1 && list[0].radius && list[0].kind !== "ring") {
        return { centre: poses.toWorld(i, shapePoint(list[0], 0, 0, 0)), radius: list[0].reach - Math.hypot(...list[0].position) };
    }
    const com = bodies.com[i] ?? [0, 0, 0];
    return { centre: poses.toWorld(i, [com[0], com[1], com[2] ?? 0]), radius: bodies.reach[i] };
}
