// Which bodies are shown, faded (seen through) or hidden, one by one or by kind; and which containers fade by themselves,
// since a closed one would hide what it holds.
import { pick } from "./pick.js";

export const SEEN = 0, FADED = 1, HIDDEN = 2;
const SAMPLED = 150; // bodies that are looked for from the eye
const HIDES = 0.3; // share of them that a body may hide before it fades by itself

export class Visibility {
    constructor(bodies) {
        this.bodies = bodies;
        this.modes = new Uint8Array(bodies.count);
        this.version = 0; // counts changes, for those who draw
    }

    of(i) {
        return this.modes[i];
    }
    set(list, mode) {
        for (const i of list) this.modes[i] = mode;
        this.version++;
    }
    showAll() {
        this.set(this.modes.keys(), SEEN);
    }
    isolate(list) {
        this.set(this.modes.keys(), HIDDEN);
        this.set(list, SEEN);
    }
    // How many are not shown as they are: [faded, hidden].
    counts() {
        let faded = 0, hidden = 0;
        for (const m of this.modes) {
            faded += m === FADED;
            hidden += m === HIDDEN;
        }
        return [faded, hidden];
    }
    // The mode that all of a list have; null where they differ.
    common(list) {
        const first = this.modes[list[0]];
        return list.every((i) => this.modes[i] === first) ? first : null;
    }

    // Words for the page's address: ids, as 3-7,12.
    text(mode) {
        const ids = [], { modes } = this;
        for (let i = 0; i < modes.length; i++) {
            if (modes[i] !== mode) continue;
            let end = i;
            while (end + 1 < modes.length && modes[end + 1] === mode) end++;
            ids.push(end > i ? `${i + 1}-${end + 1}` : `${i + 1}`);
            i = end;
        }
        return ids.join(",");
    }
    read(text, mode) {
        for (const part of text.split(",")) {
            const [from, to = from] = part.split("-").map(Number);
            for (let i = Math.max(1, from); i <= Math.min(to, this.modes.length); i++) this.modes[i - 1] = mode;
        }
        this.version++;
    }
}

// The bodies that hide many moving ones from the eye, in space: walls of a box, drums, large bodies around small ones.
// rayTo(point): the ray from the eye through a point of the world.
export function containersOf(bodies, poses, rayTo) {
    const small = [];
    for (let i = 0; i < bodies.count; i++) if (bodies.moves[i] && !isLarge(bodies, i)) small.push(i);
    const stride = Math.max(1, Math.ceil(small.length / SAMPLED)), hides = new Map();
    const isSmall = (i) => bodies.moves[i] === 1 && !isLarge(bodies, i);
    let looked = 0;
    for (let k = 0; k < small.length; k += stride) {
        const com = bodies.com[small[k]] ?? [0, 0, 0], at = poses.toWorld(small[k], [com[0], com[1], com[2] ?? 0]);
        const ray = rayTo(at), far = Math.hypot(...at.map((x, d) => x - ray.origin[d]));
        looked++;
        const found = new Set(); // several walls may stand before one another
        for (let hit; found.size < 4 && (hit = pick(bodies, poses, ray, (i) => isSmall(i) || found.has(i))) && hit.t < far; ) found.add(hit.body);
        for (const i of found) hides.set(i, (hides.get(i) ?? 0) + 1);
    }
    return [...hides].filter(([, count]) => count > HIDES * looked).map(([i]) => i);
}

function isLarge(bodies, i) {
    return bodies.reach[i] > 4 * bodies.size;
}
