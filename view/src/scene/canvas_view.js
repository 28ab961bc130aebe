// The scene without WebGL: the same view, drawn by the plain 2D canvas. Bodies are shaded flat and painted from back to front, lines
// and marks are those of the other view; no shadows, no cut through bodies. Enough to look at any run, slower for large ones.
import { Vector3 } from "three";

import { shapePoint } from "../data/shapes.js";
import { FAINT, HIDDEN } from "./colouring.js";
import { KEY_DIRECTION } from "./fine.js";
import { Flat } from "./flat.js";
import { mix, ramp } from "./palette.js";
import { MeshBuilder } from "./mesh_build.js";
import { View } from "./view.js";

// Takes every call and does nothing.
const NO_RENDERER = new Proxy({}, { get: () => () => {}, set: () => true });

export class CanvasView extends View {
    constructor(canvas) {
        super(canvas, NO_RENDERER);
        this.pen = canvas.getContext("2d");
        this.stats.quality = "canvas";
    }

    buildFlat() {
        this.items = [];
        const { bodies, sphere } = this.run, list = new FlatItems(this.items);
        for (const i of [...bodies.shapes.keys()].sort((a, b) => bodies.moves[a] - bodies.moves[b])) {
            for (const shape of bodies.shapes[i]) list.add(i, shape, 40 * sphere.radius);
        }
    }

    buildSolid() {
        this.items = [];
        this.walls = [];
        const mesh = new MeshBuilder();
        this.run.bodies.shapes.forEach((list, body) => {
            for (const shape of list) {
                if (shape.kind === "sphere") this.items.push({ body, centre: shapePoint(shape, 0, 0, 0), radius: shape.radius });
                else if (shape.kind === "plane") this.walls.push({ body, plane: shape });
                else if (mesh[shape.kind]) mesh[shape.kind](body, shape);
            }
        });
        for (let k = 0; k < mesh.index.length; k += 3) {
            const corners = [0, 1, 2].map((c) => mesh.local.slice(3 * mesh.index[k + c], 3 * mesh.index[k + c] + 3));
            this.items.push({ body: mesh.body[mesh.index[k]], corners });
        }
    }

    // Pieces are painted from where their nodes are.
    buildSoft() {
        this.field = null;
        return { move: () => {}, paint: (field, range, map, theme) => Object.assign(this, { field, map: (e) => ramp(map, theme, range > 0 ? field[e] / range : 0).map((x) => 255 * x) }), dispose: () => {} };
    }
    softPieces() {
        const { x, pieces } = this.run.bodies.soft;
        return pieces.map((piece) => {
            const tint = this.tintOf(piece.body);
            return { piece, tint: tint && this.field ? Object.assign(this.map(piece.element), { opacity: tint.opacity }) : tint, points: piece.loop.map((n) => [x[3 * n], x[3 * n + 1], x[3 * n + 2]]) };
        }).filter(({ tint }) => tint);
    }
    paintPieces() {
        const { pen } = this;
        for (const { tint, points } of this.softPieces()) {
            pen.beginPath();
            for (const p of points) pen.lineTo(...this.project(p));
            pen.closePath();
            pen.globalAlpha = tint.opacity;
            pen.fillStyle = `rgb(${tint})`;
            pen.fill();
            pen.strokeStyle = `rgb(${mix(tint, this.look.rimTone.map((c) => 255 * c), 0.3)})`;
            pen.lineWidth = 0.6;
            pen.stroke();
        }
        pen.globalAlpha = 1;
    }

    resize(width, height, ratio) {
        super.resize(width, height, ratio);
        this.canvas.width = Math.round(this.width);
        this.canvas.height = Math.round(this.height);
    }

    draw() {
        if (!this.run || !this.pair) return;
        const { pen } = this;
        pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
        this.light = KEY_DIRECTION.toArray();
        if (this.dim === 2) {
            for (const item of this.items) this.paintFlat(item);
            if (this.soft) this.paintPieces();
        } else this.paintSolid();
        for (const lines of Object.values(this.lines)) this.paintLines(lines);
        for (const marks of [this.points, this.lost]) this.paintMarks(marks);
        this.stats.draws++;
    }

    tintOf(body) {
        const d = this.poses.tint.image.data, o = 4 * body;
        if (d[o + 3] === HIDDEN) return null;
        return Object.assign([d[o], d[o + 1], d[o + 2]], { opacity: d[o + 3] === FAINT ? 0.2 : this.options.layers.bodies.opacity });
    }
    scaleAt(centre) {
        const { camera } = this;
        if (!camera.isPerspective) return 1 / camera.pixel(this.height);
        const z = -new Vector3(...centre).applyMatrix4(camera.current.matrixWorldInverse).z;
        return z > 0 ? (0.5 * this.height * camera.current.projectionMatrix.elements[5]) / z : 0;
    }

    paintFlat(item) {
        const { pen, poses, look } = this, tint = this.tintOf(item.body);
        if (!tint) return;
        pen.beginPath();
        if (item.points) {
            item.points.forEach((p, k) => {
                const [x, y] = this.project(poses.toWorld(item.body, p));
                if (k) pen.lineTo(x, y);
                else pen.moveTo(x, y);
            });
            pen.closePath();
        } else {
            const [x, y] = this.project(poses.toWorld(item.body, item.centre)), s = this.scaleAt(item.centre);
            const d = poses.pose.image.data, angle = 2 * Math.atan2(d[8 * item.body + 6], d[8 * item.body + 7]) + item.turn;
            pen.ellipse(x, y, item.half[0] * s, item.half[1] * s, -angle, 0, 2 * Math.PI);
            if (item.ring) {
                pen.lineWidth = 0.06 * item.half[0] * s;
                pen.strokeStyle = `rgb(${tint})`;
                return pen.stroke();
            }
        }
        pen.globalAlpha = tint.opacity;
        pen.fillStyle = `rgb(${tint})`;
        pen.fill();
        if (item.half) { // a radius shows how it turns
            pen.moveTo(...this.project(poses.toWorld(item.body, item.centre)));
            pen.lineTo(...this.project(poses.toWorld(item.body, [item.centre[0] + item.half[0] * Math.cos(item.turn), item.centre[1] + item.half[0] * Math.sin(item.turn), 0])));
        }
        pen.strokeStyle = `rgb(${mix(tint, look.rimTone.map((c) => 255 * c), look.flatRim)})`;
        pen.lineWidth = 1.2;
        pen.stroke();
        pen.globalAlpha = 1;
    }

    // Spheres and triangles from back to front.
    paintSolid() {
        const view = this.camera.current.matrixWorldInverse, queue = [], eye = new Vector3();
        for (const item of this.items) {
            const tint = this.tintOf(item.body);
            if (!tint) continue;
            const points = (item.corners ?? [item.centre]).map((p) => this.poses.toWorld(item.body, p));
            const middle = [0, 1, 2].map((d) => points.reduce((sum, p) => sum + p[d], 0) / points.length);
            eye.set(...middle).applyMatrix4(view);
            if (this.camera.isPerspective && eye.z > 0) continue;
            queue.push({ item, tint, points, depth: eye.z });
        }
        for (const { tint, points } of this.soft ? this.softPieces() : []) {
            const middle = [0, 1, 2].map((d) => points.reduce((sum, p) => sum + p[d], 0) / points.length);
            queue.push({ item: { corners: points }, tint, points, depth: eye.set(...middle).applyMatrix4(view).z });
        }
        queue.sort((a, b) => a.depth - b.depth);
        for (const { item, tint, points } of queue) {
            this.pen.globalAlpha = tint.opacity;
            if (item.corners) this.paintTriangle(tint, points);
            else this.paintBall(tint, points[0], item.radius);
        }
        this.pen.globalAlpha = 1;
    }

    paintTriangle(tint, points) {
        const { pen } = this, [a, b, c] = points;
        const u = b.map((x, d) => x - a[d]), v = c.map((x, d) => x - a[d]);
        const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], size = Math.hypot(...n) || 1;
        const facing = n.reduce((sum, x, d) => sum + x * this.light[d], 0) / size;
        const colour = `rgb(${tint.map((x) => x * (0.62 + 0.38 * facing))})`;
        pen.beginPath();
        for (const p of points) pen.lineTo(...this.project(p));
        pen.closePath();
        pen.fillStyle = pen.strokeStyle = colour;
        pen.lineWidth = 0.7; // closes the seam between triangles
        pen.fill();
        pen.stroke();
    }

    paintBall(tint, centre, radius) {
        const { pen } = this, [x, y] = this.project(centre), r = radius * this.scaleAt(centre);
        if (!(r > 0)) return;
        pen.beginPath();
        pen.arc(x, y, r, 0, 2 * Math.PI);
        const shade = pen.createRadialGradient(x - 0.35 * r, y - 0.4 * r, 0.1 * r, x, y, r);
        shade.addColorStop(0, `rgb(${tint.map((c) => Math.min(255, 1.12 * c))})`);
        shade.addColorStop(1, `rgb(${tint.map((c) => 0.5 * c)})`);
        pen.fillStyle = shade;
        pen.fill();
    }

    paintLines(lines) {
        const { pen } = this, d = lines.data;
        pen.lineCap = "round";
        for (let k = 0; k < lines.count; k++) {
            const o = 12 * k;
            pen.beginPath();
            pen.moveTo(...this.project([d[o], d[o + 1], d[o + 2]]));
            pen.lineTo(...this.project([d[o + 4], d[o + 5], d[o + 6]]));
            pen.lineWidth = Math.max(0.5, d[o + 3]);
            pen.strokeStyle = `rgba(${[8, 9, 10].map((c) => 255 * d[o + c])},${d[o + 11]})`;
            pen.stroke();
        }
    }

    // Dots, diamonds and rings, as sprites have them.
    paintMarks(marks) {
        const { pen } = this;
        for (let k = 0; k < marks.count; k++) {
            const [x, y] = this.project([...marks.place.slice(4 * k, 4 * k + 3)]), r = 0.5 * marks.place[4 * k + 3] + 2, shape = marks.look[4 * k + 3];
            const colour = `rgb(${[0, 1, 2].map((c) => 255 * marks.look[4 * k + c])})`;
            pen.beginPath();
            if (shape === 1) for (const [dx, dy] of [[0, -r], [r, 0], [0, r], [-r, 0], [0, -r]]) pen.lineTo(x + dx, y + dy);
            else pen.arc(x, y, r, 0, 2 * Math.PI);
            pen.fillStyle = pen.strokeStyle = colour;
            pen.lineWidth = 1.6;
            if (shape === 2) pen.stroke();
            else pen.fill();
        }
    }

    await() {}
    isSoftware() {
        return true;
    }
    get isTimed() {
        return true;
    }
    get cost() {
        return 0;
    }
    mayRefine() {
        return false;
    }
}

// The shapes of the plane as outlines instead of triangles.
class FlatItems extends Flat {
    constructor(items) {
        super({});
        this.items = items;
    }
    addRound(body, centre, half, turn, kind) {
        this.items.push({ body, centre, half, turn, ring: kind === 1 });
    }
    addPolygon(body, points) {
        this.items.push({ body, points });
    }
}
