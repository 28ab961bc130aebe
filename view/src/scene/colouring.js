// Colours of bodies: by kind, by a field of this frame, or plain. Fields come with the range and unit that the legend shows.
import { normalForces } from "./pairs.js";
import { kindColour, mix, ramp, stoneOf } from "./palette.js";

export const COLOURINGS = [
    ["kind", "Kind"], ["plain", "Plain"], ["speed", "Speed"], ["spin", "Spin"], ["pressure", "Pressure"], ["contacts", "Contact number"],
    ["material", "Material"],
];
// Of the elements of deformable bodies; those that are not have none.
export const SOFT_COLOURINGS = [["mises", "Von Mises stress"], ["tension", "Largest tension"], ["compression", "Largest pressure"]];
export const FIELD_UNITS = { speed: "m/s", spin: "rad/s", pressure: "Pa", contacts: "", mises: "Pa", tension: "Pa", compression: "Pa" };

export const HIDDEN = 0, FAINT = 100, SELECTED = 200, SHOWN = 255; // opacity of a tint, read by the shaders

// The values of a field, one per body; null when the colouring is none.
export function fieldOf(name, pair, bodies) {
    const { frame, contacts } = pair, { dim } = frame;
    const out = new Float32Array(bodies.count);
    switch (name) {
    case "speed":
        for (let i = 0; i < out.length; i++) out[i] = norm(frame.velocity, dim, i);
        return out;
    case "spin":
        for (let i = 0; i < out.length; i++) out[i] = dim === 3 ? norm(frame.spin, 3, i) : Math.abs(frame.spin[i]);
        return out;
    case "contacts":
        for (let c = 0; contacts && c < contacts.n; c++) {
            if (contacts.status[c] === 0) continue;
            out[contacts.candidate[c]]++;
            out[contacts.antagonist[c]]++;
        }
        return out;
    case "mises":
    case "tension":
    case "compression":
        return means(bodies.soft, bodies.soft.field(name, frame), out);
    case "pressure":
        return contacts ? pressures(frame, contacts, bodies, out) : out;
    default:
        return null;
    }
}

// Of a deformable body the mean of its elements.
function means(soft, field, out) {
    for (const { body, mesh, element } of field ? soft.list : []) {
        const own = field.subarray(element, element + mesh.elements.length / mesh.per_element);
        out[body] = own.reduce((sum, x) => sum + x, 0) / own.length;
    }
    return out;
}

// The mean stress of a body: sum of force times arm over dimension and volume, pressure positive. The volume is that of
// its shapes; shapes of a body that overlap count twice.
function pressures(frame, contacts, bodies, out) {
    const { dim } = frame, normal = normalForces(contacts);
    for (let c = 0; c < contacts.n; c++) {
        if (!(normal[c] > 0)) continue;
        for (const [i, sign] of [[contacts.candidate[c], 1], [contacts.antagonist[c], -1]]) {
            let work = 0;
            for (let d = 0; d < dim; d++) {
                work -= sign * contacts.force[dim * c + d] * (contacts.point[dim * c + d] - frame.position[dim * i + d]);
            }
            out[i] += work;
        }
    }
    for (let i = 0; i < out.length; i++) {
        const volume = bodies.volume(i);
        out[i] = bodies.moves[i] && volume > 0 ? out[i] / (dim * volume) : 0;
    }
    return out;
}

function norm(v, dim, i) {
    let sum = 0;
    for (let d = 0; d < dim; d++) sum += v[dim * i + d] ** 2;
    return Math.sqrt(sum);
}

// The value below which a share of the moving bodies lie (of all entries without bodies), for a range that one outlier does not set.
export function highValue(field, bodies, share = 0.995) {
    const values = [];
    for (let i = 0; i < field.length; i++) if ((bodies?.moves[i] ?? 1) && Number.isFinite(field[i])) values.push(field[i]);
    values.sort((a, b) => a - b);
    return values.length ? values[Math.min(values.length - 1, Math.floor(share * values.length))] : 0;
}

// The next of 1, 2, 5 times a power of ten: ranges that grow rarely.
export function niceAbove(x) {
    if (!(x > 0)) return 0;
    const power = 10 ** Math.floor(Math.log10(x));
    return [1, 2, 5, 10].map((m) => m * power).find((v) => v >= x * 0.999999);
}

// Writes a colour for each body. options: colouring, ramp, range, theme (name), look (THEMES row), selected, hidden(i), faded(i),
// muted: fields step back behind force chains.
export function paintBodies(out, bodies, field, options) {
    const { colouring, theme, look, range } = options, flat = bodies.dim === 2;
    const colour = [0, 0, 0];
    for (let i = 0; i < bodies.count; i++) {
        let c = colour;
        if (!bodies.moves[i]) c = flat ? look.flatFixed : look.fixed;
        else if (field) c = ramp(options.ramp, theme, range > 0 ? field[i] / range : 0, colour);
        else if (colouring === "kind" && bodies.group[i] > 0) c = kindColour(bodies.group[i]);
        else if (colouring === "material") c = kindColour(bodies.materialIndex[i] + 1);
        else if (flat) c = look.flat;
        else stoneOf(i, colour);
        if (options.muted && bodies.moves[i] && (field || (flat && colouring !== "plain"))) c = mix(c, look.mute, 0.42);
        let alpha = options.hidden(i) ? HIDDEN : options.faded(i) ? FAINT : SHOWN;
        if (i === options.selected && alpha) {
            alpha = alpha === FAINT ? FAINT : SELECTED;
            if (!flat && bodies.group[i] <= 0 && !field) c = mix(c, look.accent, 0.55);
        }
        const o = 4 * i;
        out[o] = 255 * c[0];
        out[o + 1] = 255 * c[1];
        out[o + 2] = 255 * c[2];
        out[o + 3] = alpha;
    }
}
