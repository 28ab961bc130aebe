import { FADED, HIDDEN } from "./scene/visibility.js";

// What the user has chosen: layers, selection, theme, time. Kept in the address (so a view can be sent) and, for taste, in
// the browser's storage.

export function defaultLayers(run) {
    const few = run.bodies.count < 200, flat = run.dim === 2;
    const contacts = run.hello.contacts_recorded !== false;
    return {
        bodies: { on: true, colour: flat && !few ? "plain" : "kind", opacity: 1, ramp: "viridis", range: 0 },
        chains: { on: contacts && (flat || few), width: 1, range: 0, hide: (run.hello.contacts ?? run.bodies.count * 3) > 2000 ? 0.6 : 0.3 },
        points: { on: false, stick: true, slide: true, open: false },
        normals: { on: false },
        forces: { on: false },
        paths: { on: false, length: 1 },
        joints: { on: run.bodies.joints.length > 0 },
        deformed: { on: false, power: 2, from: "start" }, // displacements 10^power times as large
        crosses: { on: false, of: "elements", scale: 1 },
        cut: { on: false, axis: 1, offset: run.sphere.centre.y, flip: -1, slice: false },
    };
}

const KEY = "cairn.view";

export function loadTaste() {
    try {
        return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
        return {}; // storage is closed to some pages
    }
}
export function saveTaste(taste) {
    try {
        localStorage.setItem(KEY, JSON.stringify(taste));
    } catch {
        // nothing is lost but the taste
    }
}

export function systemTheme() {
    return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}
export function calmMotion() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// The address's hash: time, selection and what differs from the defaults.
export function writeHash(app) {
    const { state } = app, words = new URLSearchParams();
    words.set("step", app.run.frames.steps[state.frame] ?? 0);
    if (state.selection >= 0) words.set("body", state.selection + 1);
    const plain = defaultLayers(app.run);
    for (const [name, layer] of Object.entries(state.layers)) {
        for (const [key, value] of Object.entries(layer)) {
            if (plain[name][key] !== value) words.set(`${name}.${key}`, typeof value === "number" ? +value.toPrecision(6) : value);
        }
    }
    const { visibility } = app.view;
    if (visibility.version > 0) {
        for (const [word, mode] of [["faded", FADED], ["hidden", HIDDEN]]) {
            const text = visibility.text(mode);
            if (text || word === "faded") words.set(word, text); // an empty one: nothing is faded by itself
        }
    }
    if (app.view.camera.preset && app.view.camera.preset !== "iso") words.set("camera", app.view.camera.preset);
    history.replaceState(null, "", `#${words}`);
}

export function readHash(app) {
    const words = new URLSearchParams(location.hash.slice(1));
    const { state } = app;
    for (const [word, text] of words) {
        const [name, key] = word.split(".");
        const layer = state.layers[name];
        if (!layer || !(key in layer)) continue;
        const kind = typeof layer[key];
        const value = kind === "boolean" ? text === "true" : kind === "number" ? Number(text) : text;
        if (kind !== "number" || Number.isFinite(value)) layer[key] = value;
    }
    const body = Number(words.get("body"));
    if (body >= 1 && body <= app.run.bodies.count) state.selection = body - 1;
    return { camera: words.get("camera"), faded: words.get("faded"), hidden: words.get("hidden"), picture: words.has("picture"), fine: words.has("fine"), theme: words.get("theme") };
}

// The moment that the address asks for: a step, a time [s], or null.
export function readMoment() {
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (word) => (words.has(word) && Number.isFinite(Number(words.get(word))) ? Number(words.get(word)) : null);
    return { step: number("step"), time: number("t") };
}
