// The shapes of bodies, from the run file's JSON to one plain form:
//     {kind, dim, ...its lengths, position: [x, y, z], axes: 9 numbers by rows}
// in the body's own frame. In 2D z is 0.

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export function readShapes(list, dim) {
    return list.map((entry) => {
        const kind = Object.keys(entry).find((key) => key !== "position" && key !== "axes");
        const data = entry[kind];
        const position = lift(entry.position ?? [0, 0, 0]);
        const shape = { kind, position, axes: entry.axes ?? IDENTITY, ...data };
        if (kind === "ellipsoid" || kind === "ellipse") {
            shape.half = data.axes.map((a) => a / 2);
            shape.axes = entry.axes ?? IDENTITY;
        }
        if (data.vertices) {
            shape.vertices = data.vertices.map(lift);
            if (kind === "polyhedron" || kind === "mesh") shape.faces = data.faces ?? [];
        }
        if (data.normal) shape.normal = lift(data.normal);
        shape.reach = reachOf(shape);
        shape.dim = dim;
        return shape;
    });
}

function lift(v) {
    return [v[0], v[1], v[2] ?? 0];
}

// Distance from the body's origin to the farthest point; 0 for shapes without end.
function reachOf(shape) {
    const centre = Math.hypot(...shape.position);
    switch (shape.kind) {
    case "sphere":
    case "disk":
    case "ring":
        return centre + shape.radius;
    case "capsule":
        return centre + shape.radius + shape.length / 2;
    case "cylinder":
        return centre + Math.hypot(shape.radius, shape.length / 2);
    case "ellipsoid":
    case "ellipse":
        return centre + Math.max(...shape.half);
    case "polyhedron":
    case "mesh":
    case "polygon":
        return Math.max(...shape.vertices.map((v) => Math.hypot(...v)));
    default:
        return 0;
    }
}

// What a shape holds [m^3, in the plane m^2]; 0 for those without end. Of a closed surface by Gauss's theorem, whether convex or not.
export function volumeOf(shape) {
    const { kind, radius: r = 0, length = 0, half, vertices, faces } = shape;
    switch (kind) {
    case "sphere":
        return (4 / 3) * Math.PI * r ** 3;
    case "disk":
        return Math.PI * r * r;
    case "capsule":
        return shape.dim === 2 ? Math.PI * r * r + 2 * r * length : Math.PI * r * r * (length + (4 / 3) * r);
    case "cylinder":
        return Math.PI * r * r * length;
    case "ellipsoid":
        return (4 / 3) * Math.PI * half[0] * half[1] * half[2];
    case "ellipse":
        return Math.PI * half[0] * half[1];
    case "polygon":
        return areaOf(vertices);
    case "soft":
        return shape.dim === 2 ? areaOf(vertices) : Math.abs(faces.reduce((sum, face) => sum + coneOf(face.map((v) => vertices[v])), 0)) / 6;
    case "polyhedron":
    case "mesh":
        return Math.abs(faces.reduce((sum, face) => sum + coneOf(face.map((v) => vertices[v])), 0)) / 6;
    default:
        return 0;
    }
}

function areaOf(vertices) {
    return Math.abs(vertices.reduce((sum, a, k) => sum + cross2(a, vertices[(k + 1) % vertices.length]), 0)) / 2;
}
function cross2(a, b) {
    return a[0] * b[1] - a[1] * b[0];
}
// Six times the volume between the origin and a face, as a fan of triangles.
function coneOf(points) {
    let sum = 0;
    for (let k = 1; k + 1 < points.length; k++) {
        const [a, b, c] = [points[0], points[k], points[k + 1]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
}

// A point of the shape's frame in the body's.
export function shapePoint(shape, x, y, z) {
    const { axes: R, position: p } = shape;
    return [
        p[0] + R[0] * x + R[1] * y + R[2] * z,
        p[1] + R[3] * x + R[4] * y + R[5] * z,
        p[2] + R[6] * x + R[7] * y + R[8] * z,
    ];
}
export function shapeVector(shape, x, y, z) {
    const { axes: R } = shape;
    return [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z];
}

// "sphere, r 2.00 m" without the number: what the inspector says of a body.
export function shapeWord(shapes) {
    if (shapes.length === 0) return "no shape";
    const kinds = new Set(shapes.map((s) => s.kind));
    if (shapes[0].kind === "soft") return `mesh of ${shapes[0].count} ${shapes[0].element}`;
    if (shapes.length === 1) return isBox(shapes[0]) ? "box" : shapes[0].kind;
    return kinds.size === 1 ? `${shapes.length} ${[...kinds][0]}s` : `${shapes.length} shapes`;
}

function isBox(shape) {
    return (shape.kind === "polyhedron" && shape.vertices.length === 8 && shape.faces.length === 6 &&
        rightAngled(shape.vertices, shape.faces)) ||
        (shape.kind === "polygon" && shape.vertices.length === 4 && rightAngled(shape.vertices, [[0, 1, 2, 3]]));
}

function rightAngled(vertices, faces) {
    return faces.every((face) => face.length === 4 && face.every((corner, k) => {
        const [a, b, c] = [face[(k + 3) % 4], corner, face[(k + 1) % 4]].map((i) => vertices[i]);
        const u = a.map((x, i) => x - b[i]), v = c.map((x, i) => x - b[i]);
        const dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        return Math.abs(dot) <= 1e-9 * Math.hypot(...u) * Math.hypot(...v);
    }));
}
