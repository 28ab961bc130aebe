// Camera presets over the scene.
import { el, iconButton } from "./dom.js";

const PRESETS = [["iso", "Iso", "1"], ["front", "Front", "2"], ["side", "Side", "3"], ["top", "Top", "4"]];

export class Views {
    constructor(app) {
        this.app = app;
        this.element = el("div.float.views", { role: "group", "aria-label": "Camera", hidden: true });
    }

    setRun(run) {
        const presets = run.dim === 3 ? PRESETS : [];
        this.buttons = presets.map(([name, label, key]) =>
            el("button", { type: "button", title: `${label} (${key})`, "data-preset": name, onclick: () => this.app.lookFrom(name) }, label));
        this.element.replaceChildren(...this.buttons, iconButton("fit", "Fit", () => this.app.fit(), "F"));
        this.element.hidden = false;
    }

    update() {
        const preset = this.app.view?.camera?.preset;
        for (const button of this.buttons ?? []) button.setAttribute("aria-pressed", String(button.dataset.preset === preset));
    }
}
