// Deformable bodies: their meshes, where their nodes are drawn, and the stresses of their elements.

// Corners and midpoints of an element's or a face's outline, in turn, by its number of nodes in the plane.
const LOOPS = { 2: [0, 1], 3: [0, 1, 2], 4: [0, 1, 2, 3], 6: [0, 3, 1, 4, 2, 5], 8: [0, 4, 1, 5, 2, 6, 3, 7] };
export const STRESSES = ["mises", "tension", "compression"]; // fields of elements [Pa]

export class Soft {
    // The keys deformable and meshes of a bodies message.
    constructor({ deformable = [], meshes = [] }, dim) {
        this.dim = dim;
        this.nodes = this.elements = 0;
        this.list = deformable.map(({ body, mesh, place }) => {
            const own = meshes[mesh], entry = { body, mesh: own, place, node: this.nodes, element: this.elements };
            this.nodes += own.nodes.length / dim;
            this.elements += own.elements.length / own.per_element;
            return entry;
        });
        this.start = new Float64Array(3 * this.nodes);
        this.x = new Float32Array(3 * this.nodes); // where nodes are drawn
        for (const { mesh, place, node } of this.list) {
            const turn = turnOf(place, dim);
            for (let n = 0; n < mesh.nodes.length / dim; n++) this.start.set(moved(turn, place, restOf(mesh, n, dim)), 3 * (node + n));
        }
        this.pieces = this.list.flatMap((entry) => piecesOf(entry, dim));
        this.size = this.sizeOf();
    }

    // A shape for each deformable body, to be found by a click and to be measured.
    shapeOf(entry) {
        const { mesh } = entry, { dim } = this;
        const vertices = Array.from({ length: mesh.nodes.length / dim }, (_, n) => restOf(mesh, n, dim));
        const shape = { kind: "soft", dim, element: mesh.element, count: mesh.elements.length / mesh.per_element, position: [0, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
        shape.reach = vertices.reduce((r, v) => Math.max(r, Math.hypot(...v)), 0);
        if (dim === 3) Object.assign(shape, { vertices, faces: facesOf(mesh) });
        else shape.vertices = outlineOf(mesh).map((n) => vertices[n]);
        return shape;
    }

    // Places nodes for frame a, on the way to b by a share; displacements are drawn `factor` times as large, counted from the
    // start of the run or from the mesh as the body's pose places it.
    place(a, b, share, factor, from, poses) {
        const { dim, x, start } = this, now = a?.soft?.x, then = b?.soft?.x;
        for (const { body, mesh, node } of this.list) {
            for (let n = 0; n < mesh.nodes.length / dim; n++) {
                const i = node + n, rest = !now || from === "pose" ? poses.toWorld(body, restOf(mesh, n, dim)) : null;
                for (let d = 0; d < 3; d++) {
                    const base = rest ? rest[d] : start[3 * i + d];
                    let at = d < dim && now ? now[dim * i + d] : base;
                    if (d < dim && now && then && share > 0) at += share * (then[dim * i + d] - at);
                    x[3 * i + d] = base + factor * (at - base);
                }
            }
        }
    }

    // One value an element; null where the frame has no stresses.
    field(name, frame) {
        const stress = frame?.soft?.stress;
        if (!stress?.length || !STRESSES.includes(name)) return null;
        const out = new Float32Array(this.elements);
        for (let e = 0; e < out.length; e++) out[e] = valueOf(name, stress.subarray(6 * e, 6 * e + 6), this.dim);
        return out;
    }

    // The middle of an element where it is drawn.
    middle(entry, e) {
        const { mesh } = entry, k = mesh.per_element, out = [0, 0, 0];
        for (let c = 0; c < k; c++) for (let d = 0; d < 3; d++) out[d] += this.x[3 * (entry.node + mesh.elements[k * e + c]) + d] / k;
        return out;
    }

    // The middle of a body's nodes where they are drawn; null: it is rigid.
    centre(body) {
        const entry = this.list.find((e) => e.body === body), out = [0, 0, 0];
        const count = entry ? entry.mesh.nodes.length / this.dim : 0;
        for (let n = 0; n < count; n++) for (let d = 0; d < 3; d++) out[d] += this.x[3 * (entry.node + n) + d] / count;
        return entry ? out : null;
    }

    // A typical edge [m].
    sizeOf() {
        const [first] = this.pieces;
        if (!first) return 1;
        const [a, b] = first.loop, at = (n) => [0, 1, 2].map((d) => this.start[3 * n + d]);
        const p = at(a), q = at(b);
        return Math.hypot(...p.map((v, d) => v - q[d])) || 1;
    }
}

function restOf(mesh, n, dim) {
    return [mesh.nodes[dim * n], mesh.nodes[dim * n + 1], dim === 3 ? mesh.nodes[dim * n + 2] : 0];
}

// Rows of the rotation of a pose as run files have it.
function turnOf(place, dim) {
    if (dim === 2) {
        const c = Math.cos(place[2]), s = Math.sin(place[2]);
        return [c, -s, 0, s, c, 0, 0, 0, 1];
    }
    const [w, x, y, z] = place.slice(3);
    return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}
function moved(R, place, p) {
    return [0, 1, 2].map((d) => (d === 2 && place.length === 3 ? 0 : place[d]) + R[3 * d] * p[0] + R[3 * d + 1] * p[1] + R[3 * d + 2] * p[2]);
}

function facesOf(mesh) {
    const k = mesh.per_face, loop = LOOPS[k] ?? LOOPS[3];
    return Array.from({ length: mesh.faces.length / k }, (_, f) => loop.map((c) => mesh.faces[k * f + c]));
}

// The nodes round a mesh of the plane: the longest chain of its edges.
function outlineOf(mesh) {
    const next = new Map(), k = mesh.per_face, chains = [];
    for (let f = 0; f < mesh.faces.length; f += k) {
        const inner = Array.from(mesh.faces.slice(f + 2, f + k));
        next.set(mesh.faces[f], [...inner, mesh.faces[f + 1]]);
    }
    while (next.size) {
        const chain = [];
        for (let [at] = next.keys(); next.has(at);) {
            const on = next.get(at);
            next.delete(at);
            chain.push(at, ...on.slice(0, -1));
            at = on.at(-1);
        }
        chains.push(chain);
    }
    return chains.sort((a, b) => b.length - a.length)[0] ?? [];
}

// What is drawn of a body: elements in the plane, faces of the surface in space, with the element each belongs to.
function piecesOf({ body, mesh, node, element }, dim) {
    const k = mesh.per_element, count = mesh.elements.length / k, global = (n) => node + n;
    if (dim === 2) {
        const loop = LOOPS[k] ?? LOOPS[3];
        return Array.from({ length: count }, (_, e) => ({ body, element: element + e, loop: loop.map((c) => global(mesh.elements[k * e + c])) }));
    }
    const of = new Map(); // elements of a node
    for (let e = 0; e < count; e++) for (let c = 0; c < k; c++) {
        const n = mesh.elements[k * e + c];
        if (!of.has(n)) of.set(n, []);
        of.get(n).push(e);
    }
    return facesOf(mesh).map((face) => {
        const owner = (of.get(face[0]) ?? []).find((e) => face.every((n) => of.get(n)?.includes(e))) ?? 0;
        return { body, element: element + owner, loop: face.map(global) };
    });
}

// s: xx yy zz xy yz zx. Rows of [value, direction], in the plane the two of it.
export function principal(s, dim) {
    return dim === 2 ? flatPrincipal(s[0], s[1], s[3]) : jacobi([[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]]);
}
function flatPrincipal(xx, yy, xy) {
    const mean = (xx + yy) / 2, half = (xx - yy) / 2, r = Math.hypot(half, xy), angle = 0.5 * Math.atan2(xy, half);
    return [[mean + r, [Math.cos(angle), Math.sin(angle), 0]], [mean - r, [-Math.sin(angle), Math.cos(angle), 0]]];
}
// Rotations that take away one entry off the diagonal after the other.
function jacobi(a) {
    const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // by columns
    for (let round = 0; round < 12; round++) {
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
            if (a[p][q] === 0) continue;
            const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]), c = Math.cos(angle), s = Math.sin(angle);
            for (const row of [a, v]) for (let k = 0; k < 3; k++) [row[k][p], row[k][q]] = [c * row[k][p] - s * row[k][q], s * row[k][p] + c * row[k][q]];
            for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        }
    }
    return [0, 1, 2].map((k) => [a[k][k], [v[0][k], v[1][k], v[2][k]]]).sort((x, y) => y[0] - x[0]);
}

function valueOf(name, s, dim) {
    if (name === "mises") {
        const [xx, yy, zz, xy, yz, zx] = s;
        return Math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + yz * yz + zx * zx));
    }
    const rows = principal(s, dim);
    return name === "tension" ? Math.max(0, rows[0][0]) : Math.max(0, -rows.at(-1)[0]);
}
