// Colours of the scene: ramps that stay readable in grey and with any colour vision, one set a theme.
// Values are sRGB in 0..1; the shaders square them, which is near enough to linear.

export function rgb(hex) {
    const value = parseInt(hex.slice(1), 16);
    return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

const EMBER = {
    dark: ["#574538", "#8a5a34", "#c4722f", "#f09a45", "#ffc97c", "#fff3d9"],
    light: ["#d8b79b", "#cc8f5c", "#bd6527", "#973c0d", "#661c05", "#380a00"],
};
// Nine samples of each published map; between them, straight lines.
const FIELDS = {
    viridis: ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"],
    cividis: ["#00224e", "#1f3a6c", "#434e6c", "#5d626f", "#757575", "#8f8a78", "#ada274", "#cfbe68", "#fee838"],
    grey: ["#1c1c1c", "#383838", "#545454", "#707070", "#8c8c8c", "#a8a8a8", "#c4c4c4", "#e0e0e0", "#fafafa"],
};
export const FIELD_NAMES = Object.keys(FIELDS);
const KINDS = ["#b6b1a9", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00"].map(rgb);
const GREY = rgb("#8a9097");

export const THEMES = {
    dark: {
        accent: rgb("#6fb1ff"), halo: rgb("#0d1013"), ground: rgb("#22282e"), gridShift: 0.035, fixed: [0.4, 0.42, 0.44],
        flat: rgb("#424a55"), flatFixed: rgb("#262d35"), flatRim: 0.55, rimTone: rgb("#d3dbe4"), mute: rgb("#2a3038"),
        stick: rgb("#62b5f0"), slide: rgb("#f5a742"), open: rgb("#8792a0"), text: rgb("#a9b3bf"),
        key: [1.46, 1.41, 1.34], sky: [0.33, 0.37, 0.44], bounce: [0.17, 0.16, 0.15], shadow: 0.92, groundShadow: 0.58, wire: rgb("#6b7683"),
    },
    light: {
        accent: rgb("#1b62b8"), halo: rgb("#fbfbfa"), ground: rgb("#e9eaeb"), gridShift: -0.035, fixed: [0.62, 0.64, 0.66],
        flat: rgb("#d3d8dd"), flatFixed: rgb("#c9ced3"), flatRim: 0.62, rimTone: rgb("#2c333b"), mute: rgb("#d5d9de"),
        stick: rgb("#0a69a8"), slide: rgb("#a85400"), open: rgb("#66707b"), text: rgb("#48525d"),
        key: [1.3, 1.24, 1.14], sky: [0.6, 0.63, 0.68], bounce: [0.4, 0.38, 0.36], shadow: 0.62, groundShadow: 0.58, wire: rgb("#8a939c"),
    },
};

const cache = new Map();
function stopsOf(name, theme) {
    const key = name === "ember" ? `ember-${theme}` : name;
    if (!cache.has(key)) cache.set(key, (name === "ember" ? EMBER[theme] : FIELDS[name] ?? FIELDS.viridis).map(rgb));
    return cache.get(key);
}

// A ramp at x in 0..1.
export function ramp(name, theme, x, out = [0, 0, 0]) {
    const stops = stopsOf(name, theme);
    const at = Math.min(Math.max(x, 0), 1) * (stops.length - 1) || 0;
    const i = Math.min(Math.floor(at), stops.length - 2), f = at - i;
    for (let k = 0; k < 3; k++) out[k] = stops[i][k] + (stops[i + 1][k] - stops[i][k]) * f;
    return out;
}

export function emberOf(share) {
    return 0.06 + 0.94 * Math.min(share, 1) ** 1.1;
}

// The colour of a category; beyond the palette all are grey.
export function kindColour(index) {
    return KINDS[index] ?? GREY;
}

// Stones differ a little in value and warmth, always the same for the same body.
export function stoneOf(id, out = [0, 0, 0]) {
    const a = hash(id), b = hash(id + 7919);
    const value = 1 + (a - 0.5) * 0.09, warmth = (b - 0.5) * 0.03;
    out[0] = 0.715 * value + warmth;
    out[1] = 0.695 * value;
    out[2] = 0.662 * value - warmth;
    return out;
}

function hash(i) {
    let x = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
    x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
    return ((x ^ (x >>> 16)) >>> 0) / 4294967296;
}

export function css([r, g, b]) {
    return `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;
}

export function mix(a, b, f) {
    return a.map((x, k) => x + (b[k] - x) * f);
}
