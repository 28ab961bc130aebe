// The bodies of a run as columns, with what the page derives from them once: sizes, categories.
import { readShapes, volumeOf } from "./shapes.js";
import { Soft } from "./soft.js";

const FEW = 6;

export class Bodies {
    constructor(message, dim) {
        this.count = message.name.length;
        this.dim = dim;
        this.name = message.name.map((name, i) => name || `body ${i + 1}`);
        this.kind = message.kind;
        this.material = message.material;
        this.mass = message.mass;
        this.com = message.com;
        this.inertia = message.inertia;
        this.joints = message.joints ?? [];
        const shapes = message.shapes.map((list) => readShapes(list, dim));
        this.shapes = message.shape.map((s) => shapes[s] ?? []);
        this.soft = new Soft(message, dim); // the deformable ones
        for (const entry of this.soft.list) this.shapes[entry.body] = [this.soft.shapeOf(entry)];
        this.reach = Float32Array.from(this.shapes, (list) => list.reduce((r, s) => Math.max(r, s.reach), 0));
        this.moves = Uint8Array.from(this.kind, (kind) => (kind === "rigid" || kind === "deformable" ? 1 : 0));
        const sizes = this.reach.filter((r, i) => r > 0 && this.moves[i]).sort();
        this.size = sizes.length ? sizes[sizes.length >> 1] : 1; // median reach of what moves
        // A system of coordinates has nothing to draw: three of them stand in the place and turn of each body.
        this.isAbstract = this.count > 0 && this.shapes.every((list) => list.length === 0) && this.kind.every((kind) => kind !== "rigid" && kind !== "fixed");
        this.classify();
    }

    // Of a body's shapes [m^3, in the plane m^2].
    volume(i) {
        this.volumes ??= this.shapes.map((list) => list.reduce((sum, shape) => sum + volumeOf(shape), 0));
        return this.volumes[i];
    }

    // Lists of bodies that are shown and hidden together: those that stand still one by one, when they are few, and the groups.
    kinds() {
        const still = [], members = this.groups.map(() => []);
        for (let i = 0; i < this.count; i++) {
            if (this.moves[i]) members[this.group[i]].push(i);
            else still.push(i);
        }
        const fixed = still.length <= FEW ? still.map((i) => ({ name: this.name[i], list: [i] })) : [{ name: "fixed bodies", list: still }];
        return [...fixed, ...this.groups.map(({ name }, k) => ({ name, list: members[k], group: k }))].filter((kind) => kind.list.length);
    }

    // Categories for "colour by kind": bodies that do not move, then groups by material, or by the words of their
    // names where all have the same material; the largest group is plain stone.
    classify() {
        const moving = [];
        for (let i = 0; i < this.count; i++) if (this.moves[i]) moving.push(i);
        const byMaterial = new Set(moving.map((i) => this.material[i])).size > 1;
        const keys = byMaterial ? this.material : this.name.map(stemOf);
        const counts = new Map();
        for (const i of moving) counts.set(keys[i], (counts.get(keys[i]) ?? 0) + 1);
        const order = [...counts.entries()].sort((a, b) => b[1] - a[1]).map((entry) => entry[0]);
        const rank = new Map(order.map((name, r) => [name, r]));
        this.groups = order.map((name) => ({ name, count: counts.get(name) }));
        this.group = Int16Array.from(this.name, (_, i) => (this.moves[i] ? rank.get(keys[i]) : -1));
        const materials = [...new Set(this.material)];
        this.materials = materials;
        const numbers = new Map(materials.map((name, k) => [name, k]));
        this.materialIndex = Int16Array.from(this.material, (name) => numbers.get(name));
    }
}

// A name without the number at its end; no regular expression, which would look for one from every character on.
function stemOf(name) {
    let end = name.length;
    while (end > 0 && isDigit(name.charCodeAt(end - 1))) end--;
    if (end === name.length) return name;
    while (end > 0 && " \t-_.".includes(name[end - 1])) end--;
    return name.slice(0, end) || "body";
}
function isDigit(code) {
    return code >= 48 && code <= 57;
}
