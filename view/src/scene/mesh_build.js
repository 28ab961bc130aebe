// Triangles of solid shapes, in the frame of their body. Each vertex carries its normal, the direction in the face
// towards its nearest edge, and the distance to that edge: enough to round edges by shading alone and to draw seams.
import { shapePoint, shapeVector } from "../data/shapes.js";

export class MeshBuilder {
    constructor() {
        this.body = [];
        this.local = [];
        this.normal = [];
        this.edge = []; // outward direction in the face, distance [m]; far away on smooth faces
        this.index = [];
    }

    vertex(body, p, n, e, distance) {
        this.body.push(body);
        this.local.push(...p);
        this.normal.push(...n);
        this.edge.push(...e, distance);
        return this.body.length - 1;
    }

    // A fan around the middle of the face: in each triangle the distance to its outer edge is linear.
    polygon(body, points) {
        const n = points.length;
        const middle = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / n);
        const normal = unit(newell(points));
        for (let i = 0; i < n; i++) {
            const a = points[i], b = points[(i + 1) % n];
            const along = unit(minus(b, a)), out = cross(along, normal);
            const height = Math.abs(dot(minus(a, middle), out));
            this.index.push(this.vertex(body, middle, normal, out, height), this.vertex(body, a, normal, out, 0),
                this.vertex(body, b, normal, out, 0));
        }
    }

    polyhedron(body, shape) {
        for (const face of shape.faces) this.polygon(body, face.map((v) => shape.vertices[v]));
    }

    // Any closed surface; its faces are drawn as those of a polyhedron.
    mesh(body, shape) {
        this.polyhedron(body, shape);
    }

    // A surface of revolution about the shape's z axis; profile: rows of [radius, z, normal radial, normal z], a null
    // between rows starts afresh (a sharp edge).
    revolve(body, shape, profile, segments = 40, stretch = [1, 1, 1]) {
        let before = null;
        for (const row of profile) {
            const ring = row && [];
            for (let k = 0; row && k <= segments; k++) {
                const a = (2 * Math.PI * k) / segments, c = Math.cos(a), s = Math.sin(a);
                const p = shapePoint(shape, row[0] * c * stretch[0], row[0] * s * stretch[1], row[1] * stretch[2]);
                const n = shapeVector(shape, (row[2] * c) / stretch[0], (row[2] * s) / stretch[1], row[3] / stretch[2]);
                ring.push(this.vertex(body, p, unit(n), [0, 0, 0], 1e3));
            }
            for (let k = 0; ring && before && k < segments; k++) {
                this.index.push(before[k], ring[k], ring[k + 1], before[k], ring[k + 1], before[k + 1]);
            }
            before = ring;
        }
    }

    cylinder(body, shape) {
        const { radius: r } = shape, h = shape.length / 2;
        this.revolve(body, shape, [[r, -h, 1, 0], [r, h, 1, 0], null, [0, h, 0, 1], [r, h, 0, 1], null, [0, -h, 0, -1], [r, -h, 0, -1]]);
    }

    capsule(body, shape) {
        const { radius: r } = shape, h = shape.length / 2, profile = [];
        for (let k = -12; k <= 12; k++) {
            const a = (Math.PI * k) / 24, c = Math.cos(a), s = Math.sin(a);
            if (k === 0) profile.push([r, -h, 1, 0], [r, h, 1, 0]);
            else profile.push([r * c, r * s + Math.sign(k) * h, c, s]);
        }
        this.revolve(body, shape, profile);
    }

    ellipsoid(body, shape) {
        const profile = [];
        for (let k = -12; k <= 12; k++) {
            const a = (Math.PI * k) / 24, c = Math.cos(a), s = Math.sin(a);
            profile.push([c, s, c, s]);
        }
        this.revolve(body, shape, profile, 40, shape.half);
    }
}

function minus(a, b) {
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function unit(a) {
    const length = Math.hypot(...a) || 1;
    return [a[0] / length, a[1] / length, a[2] / length];
}
// Twice the area vector, for polygons in any plane.
function newell(points) {
    let sum = [0, 0, 0];
    points.forEach((p, i) => {
        const c = cross(p, points[(i + 1) % points.length]);
        sum = [sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]];
    });
    return sum;
}
