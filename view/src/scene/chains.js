// Force chains: a line for each pair of bodies that press on each other, wide and bright by the normal force.
//
// Width is linear in the force up to a reference that stays the same over the run, so growth is visible; what is larger is drawn
// like the reference, and counted in context.clipped. A line goes from centre
// to centre of pressure to centre; through a body with exactly two neighbours it goes straight between their
// centres of pressure, which gives the thrust line of an arch.
import { pairsOf } from "./pairs.js";
import { emberOf, ramp } from "./palette.js";

export function drawChains(lines, context) {
    const { contacts, bodies, poses, reference, widest, hideBelow, theme, shown } = context;
    lines.begin();
    if (contacts && reference > 0) {
        const pairs = pairsOf(contacts);
        const through = throughBodies(pairs, bodies);
        const centres = new Map(), colour = [0, 0, 0];
        const centre = (i) => {
            if (!centres.has(i)) centres.set(i, centreOf(i, bodies, poses, through));
            return centres.get(i);
        };
        for (const k of pairs.order) {
            const f = pairs.force[k];
            if (f > 1.02 * reference) context.clipped++;
            context.largest = Math.max(context.largest, f);
            if (f < hideBelow * pairs.mean) continue;
            const a = pairs.a[k], b = pairs.b[k];
            if (!shown(a) && !shown(b)) continue;
            const share = f / reference, width = widest * Math.min(share, 1);
            const alpha = f < pairs.mean ? 0.4 + (0.6 * f) / pairs.mean : 1;
            ramp("ember", theme, emberOf(share), colour);
            const p = pairs.point.slice(3 * k, 3 * k + 3);
            for (const end of endsOf(centre(a), centre(b), p, bodies, a, b)) {
                lines.add(end[0][0], end[0][1], end[0][2], end[1][0], end[1][1], end[1][2], width, ...colour, alpha);
            }
        }
    }
    lines.end();
}

// Two round bodies touch on the line between their centres: one piece. Else one piece on each side that has a centre.
function endsOf(a, b, p, bodies, i, j) {
    if (a && b && isBall(bodies, i) && isBall(bodies, j)) return [[a, b]];
    return [a, b].filter((c) => c).map((c) => [c, p]);
}

function isBall(bodies, i) {
    const s = bodies.shapes[i];
    return s.length === 1 && (s[0].kind === "sphere" || s[0].kind === "disk");
}

// Bodies with exactly two neighbours: their line bends at the middle of the two centres of pressure.
function throughBodies(pairs, bodies) {
    const count = new Uint8Array(bodies.count), first = new Map();
    for (let k = 0; k < pairs.n; k++) {
        for (const i of [pairs.a[k], pairs.b[k]]) {
            if (count[i] < 3) count[i]++;
            first.set(i, [...(count[i] <= 2 ? first.get(i) ?? [] : []), k]);
        }
    }
    const middle = new Map();
    for (const [i, list] of first) {
        if (count[i] !== 2 || !bodies.moves[i] || isBall(bodies, i)) continue;
        const [k, l] = list;
        middle.set(i, [0, 1, 2].map((d) => (pairs.point[3 * k + d] + pairs.point[3 * l + d]) / 2));
    }
    return middle;
}

// Where a body's lines meet; null for walls and grounds, which have no centre of their own.
function centreOf(i, bodies, poses, through) {
    if (through.has(i)) return through.get(i);
    if (bodies.reach[i] === 0 || (!bodies.moves[i] && !isBall(bodies, i))) return null;
    if (!bodies.moves[i] && bodies.reach[i] > 6 * bodies.size) return null;
    const com = bodies.com[i] ?? [0, 0, 0];
    return poses.toWorld(i, [com[0], com[1], com[2] ?? 0]);
}
