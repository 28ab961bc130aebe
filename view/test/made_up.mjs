// Runs whose every number is known, for tests that need no simulation.
import { deflateRawSync } from "node:zlib";

import { bodiesOf, contactsMessage, frameMessage, helloOf, indexMessage, ledgerMessage } from "./encode.mjs";

const COLUMNS = ["contacts", "sticking", "sliding", "iterations", "residual", "outcome", "penetration_max", "kinetic", "dissipated_friction", "balance"];

export function ball(radius, extra = {}) {
    return { shapes: [{ sphere: { radius }, position: [0, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] }], ...extra };
}
export function disk(radius, extra = {}) {
    return { shapes: [{ disk: { radius }, position: [0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] }], ...extra };
}
const GROUND = { name: "ground", kind: "fixed", mass: null, shapes: [{ plane: { normal: [0, 0, 1], offset: 0 } }] };

export function box([a, b, c], extra = {}) {
    const vertices = [];
    for (let k = 0; k < 8; k++) vertices.push([(k & 1 ? a : -a) / 2, (k & 2 ? b : -b) / 2, (k & 4 ? c : -c) / 2]);
    const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    return { shapes: [{ polyhedron: { vertices, faces }, position: [0, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] }], ...extra };
}
// Four balls in a closed box of six plates, which is one body.
export function pileInBox() {
    const plate = (size, at) => {
        const [{ polyhedron }] = box(size).shapes;
        return { polyhedron: { vertices: polyhedron.vertices.map((v) => v.map((x, k) => x + at[k])), faces: polyhedron.faces }, position: [0, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    };
    const plates = [0, 1, 2].flatMap((d) => [-2, 2].map((x) => plate([0, 1, 2].map((k) => (k === d ? 0.1 : 4)), [0, 1, 2].map((k) => (k === d ? x : 0)))));
    return {
        name: "pile-in-box", dim: 3, h: 0.01, columns: COLUMNS, rows: rowsOf(1, 0.01), bounds: { low: [-1.5, -1.5, -1.5], high: [1.5, 1.5, 0] },
        bodies: [{ name: "box", kind: "fixed", mass: null, shapes: plates }, ...[0, 1, 2, 3].map(() => ball(0.5))],
        frames: [{ step: 1, t: 0.01, position: [0, 0, 0, -1.4, -1.4, -1.4, 0, 0, -1.4, 1.4, 1.4, -1.4, 1, -1, -1.4] }],
    };
}

export function rowsOf(steps, h, change = () => ({})) {
    return Array.from({ length: steps }, (_, i) => ({
        step: i + 1, t: (i + 1) * h, contacts: 1, sticking: 1, sliding: 0, iterations: 5 + (i % 3), residual: 1e-9, outcome: 0, penetration_max: 1e-6,
        kinetic: Math.exp(-i / steps), dissipated_friction: 1 - Math.exp(-i / steps), balance: 1e-7, ...change(i + 1),
    }));
}

// A ball that moves along x beside one at rest on the ground, a contact under each. A frame every `every` steps.
export function twoBalls({ steps = 100, every = 10, h = 0.01, change } = {}) {
    const frames = [];
    for (let step = 0; step <= steps; step += every) {
        const x = -2 + (4 * step) / steps;
        frames.push({
            step, t: step * h, position: [0, 0, 0, x, 0, 1, 0, 3, 1], velocity: [0, 0, 0, 4 / (steps * h), 0, 0, 0, 0, 0], spin: [0, 0, 0, 0, 4, 0, 0, 0, 0],
            contacts: step ? [
                { a: 1, b: 0, point: [x, 0, 0], normal: [0, 0, 1], force: [-3, 4, 40], friction: 0.5, status: 1 },
                { a: 2, b: 0, point: [0, 3, 0], normal: [0, 0, 1], force: [5, 0, 10], friction: 0.5, status: 2 },
            ] : [],
        });
    }
    return {
        name: "two-balls", dim: 3, h, columns: COLUMNS, frames, rows: rowsOf(steps, h, change), bounds: { low: [-2, 0, 1], high: [2, 3, 1] },
        force: { ref: 40, mean: 25 }, bodies: [GROUND, ball(1, { name: "mover", mass: 2.5, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] }), ball(1, { name: "rester", mass: 2.5 })],
    };
}

// Two pairs of disks with forces f and 2 f.
export function chainsPair() {
    return {
        name: "chains", dim: 2, h: 0.01, columns: COLUMNS, rows: rowsOf(1, 0.01), bounds: { low: [0, 0], high: [4, 4] }, force: { ref: 20, mean: 15 },
        bodies: [disk(1), disk(1), disk(1), disk(1)],
        frames: [{ step: 1, t: 0.01, position: [0, 0, 0, 2, 4, 0, 4, 2],
            contacts: [{ a: 1, b: 0, point: [0, 1], normal: [0, 1], force: [0, 10] }, { a: 3, b: 2, point: [4, 1], normal: [0, 1], force: [0, 20] }] }],
    };
}

// A square of two triangles, pulled along x by a tenth of its width: one element is under 3 MPa of tension, one under 4 of pressure.
export function softSquare() {
    return {
        name: "soft-square", dim: 2, h: 0.01, columns: COLUMNS, rows: rowsOf(1, 0.01), bounds: { low: [-1, -1], high: [1, 1] },
        bodies: [{ name: "square", kind: "deformable", shapes: [] }],
        deformable: [{ body: 0, mesh: 0, place: [0, 0, 0] }],
        meshes: [{ element: "t3", per_element: 3, per_face: 2, nodes: [-1, -1, 1, -1, 1, 1, -1, 1], elements: [0, 1, 2, 0, 2, 3], faces: [0, 1, 1, 2, 2, 3, 3, 0] }],
        frames: [
            { step: 0, t: 0, position: [0, 0], nodes: [-1, -1, 1, -1, 1, 1, -1, 1], stress: new Array(12).fill(0) },
            { step: 1, t: 0.01, position: [0.1, 0], nodes: [-1, -1, 1.2, -1, 1.2, 1, -1, 1], stress: [3e6, 0, 0, 0, 0, 0, 0, -4e6, 0, 0, 0, 0] },
        ],
    };
}

// One ball of radius r at a place, seen from the front.
export function oneBall(radius, place) {
    return {
        name: "one-ball", dim: 3, h: 0.01, columns: COLUMNS, rows: rowsOf(1, 0.01), bounds: { low: [-3, -3, -3], high: [3, 3, 3] }, bodies: [ball(radius, { name: "ball" })],
        frames: [{ step: 1, t: 0.01, position: place }],
    };
}

// Many balls on a grid.
export function manyBalls(count) {
    const side = Math.ceil(Math.cbrt(count)), position = [];
    for (let i = 0; i < count; i++) position.push(i % side, Math.floor(i / side) % side, Math.floor(i / (side * side)) + 0.5);
    return {
        name: "many-balls", dim: 3, h: 0.01, columns: COLUMNS, rows: rowsOf(2, 0.01), bounds: { low: [0, 0, 0], high: [side, side, side] },
        bodies: Array.from({ length: count }, (_, i) => ball(0.48, { name: `ball ${i}` })), frames: [0, 1].map((step) => ({ step, t: step * 0.01, position })),
    };
}

// A run as the data of an exported file.
export function dataElements(run, framesInBlock = 4) {
    const pack = (bytes) => deflateRawSync(bytes).toString("base64");
    const element = (name, text) => `<script type="application/octet-stream" id="cairn-${name}">${text}</script>`;
    const blocks = [], parts = [];
    for (let first = 0; first < run.frames.length; first += framesInBlock) {
        const some = run.frames.slice(first, first + framesInBlock);
        blocks.push({ first, count: some.length });
        parts.push(Buffer.concat(some.flatMap((f) => [frameMessage(run, f), contactsMessage(run, f)])));
    }
    const head = JSON.stringify({ hello: helloOf(run, "file"), bodies: bodiesOf(run), blocks });
    return [element("head", pack(Buffer.from(head))), element("ledger", pack(Buffer.concat([indexMessage(run), ledgerMessage(run)]))),
        ...parts.map((p, k) => element(`frames-${k}`, pack(p)))].join("\n");
}
