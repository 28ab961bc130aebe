// Elements without a framework. Styles are set by property, as the content security policy asks.
import { ICONS } from "./icons.js";

// el("div.row.on", {attribute: value, onclick: f}, child, ...); children are elements, text or null.
export function el(what, attributes, ...children) {
    const [tag, ...classes] = what.split(".");
    const element = document.createElement(tag || "div");
    if (classes.length) element.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "value") element.value = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((c) => c !== null && c !== undefined));
    return element;
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

export function icon(name, size = 16) {
    const image = svg("svg", { viewBox: "0 0 24 24", width: size, height: size, class: `icon icon-${name}`, "aria-hidden": "true" });
    for (const part of ICONS[name]) {
        const [tag, attributes] = typeof part === "string" ? ["path", { d: part }] : part;
        image.append(svg(tag, attributes));
    }
    return image;
}

export function iconButton(name, title, onclick, key = null) {
    return el("button.icon-button", { type: "button", title: key ? `${title} (${key})` : title, "aria-label": title, onclick }, icon(name));
}

export function show(element, on) {
    element.hidden = !on;
}

// A slider with its value as text; the filled part is a custom property.
export function slider({ label, min, max, step, value, text, oninput, onchange }) {
    const shown = el("output.value", {}, text(value));
    const input = el("input", { type: "range", min, max, step, value, "aria-label": label, "aria-valuetext": plain(text(value)) });
    const fill = () => input.style.setProperty("--fill", `${(100 * (input.value - min)) / (max - min || 1)}%`);
    const update = (x) => {
        input.value = x;
        shown.replaceChildren(text(Number(x)));
        input.setAttribute("aria-valuetext", plain(text(Number(x))));
        fill();
    };
    input.addEventListener("input", () => {
        update(input.value);
        oninput?.(Number(input.value));
    });
    if (onchange) input.addEventListener("change", () => onchange(Number(input.value)));
    fill();
    const row = el("label.slider", {}, el("span", {}, label), input, shown);
    row.update = update;
    row.setRange = (low, high, by) => {
        Object.assign(input, { min: low, max: high, step: by });
        [min, max] = [low, high];
        fill();
    };
    return row;
}

function plain(node) {
    return typeof node === "string" ? node : node.textContent;
}

// "4.26 µm" with the unit set back.
export function quantity({ value, unit }) {
    const span = el("span.quantity", {}, value);
    if (unit) span.append("\u00a0", el("span.unit", {}, unit));
    return span;
}
