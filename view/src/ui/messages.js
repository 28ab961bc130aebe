// What happened, what is intact, what to do: over the scene when there is nothing else to show, else as a line on top.
import { el, iconButton } from "./dom.js";

const NOTICE_SECONDS = 7;

export class Messages {
    constructor() {
        this.whole = el("div.message", { role: "status", hidden: true });
        this.line = el("div.notice", { role: "status", hidden: true });
        this.element = el("div", {}, this.whole, this.line);
    }

    // action: [label, function] or null
    show(title, text, action) {
        this.whole.replaceChildren(el("b", {}, title), el("p", {}, text), ...(action ? [el("button.button.primary", { type: "button", onclick: action[1] }, action[0])] : []));
        this.whole.hidden = false;
    }
    hide() {
        this.whole.hidden = true;
        if (this.sticky) {
            this.line.hidden = true;
            this.sticky = false;
        }
    }

    notice(text, action = null) {
        this.line.replaceChildren(el("span", {}, text), ...(action ? [el("button.button", { type: "button", onclick: action[1] }, action[0])] : []),
            iconButton("close", "Close", () => (this.line.hidden = true)));
        this.line.hidden = false;
        this.sticky = Boolean(action);
        clearTimeout(this.timer);
        if (!action) this.timer = setTimeout(() => (this.line.hidden = true), NOTICE_SECONDS * 1000);
    }
}
