// The keys, as a table.
import { el } from "./dom.js";

const KEYS = [
    ["Space", "play, pause"], [", .", "frame back, forward"], ["Shift , .", "ten frames"], ["Home End", "start, end"], ["A S", "slower, faster"], ["L", "loop"],
    ["N Shift+N", "next, previous bad step"], ["T", "trust report"], ["B C X M J", "bodies, force chains, points, normals, paths"], ["K", "cut plane"],
    ["1 2 3 4", "iso, front, side, top"], ["F", "fit the selection or all"], ["O", "perspective, parallel"], ["arrows", "orbit; with Shift move"], ["+ −", "zoom"],
    ["Y Shift+Y", "hide, fade the selected body"], ["Z", "isolate it"], ["U", "show all bodies"], ["W", "measure to another body"], ["/", "find a body"], ["I", "next neighbour"], ["Esc", "clear, close"], ["[ ] H", "left, right panel, picture only"], ["E", "numbers as a table"], ["P V D", "picture, video, theme"],
    ["G", "grab a body (live)"], ["R", "reset (live)"], ["?", "this table"],
];

export function helpContent() {
    return el("div", { "data-width": "560" }, el("h3", {}, "Keys"), el("div.keys-table", {}, KEYS.map(([key, what]) => el("div", {}, el("kbd", {}, key), el("span", {}, what)))),
        el("p.note", {}, "Drag turns the scene, right or Shift drag moves it, the wheel zooms to the cursor. A click selects a body."));
}
