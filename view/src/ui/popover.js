// One popover at a time, beside the button that opened it; Escape or a click elsewhere closes it.
export class Popover {
    constructor(app) {
        this.app = app;
        this.name = null;
        document.addEventListener("pointerdown", (event) => {
            if (this.name && !this.element.contains(event.target) && !this.anchor.contains(event.target)) this.close();
        });
    }

    toggle(anchor, name, content) {
        if (this.name === name) return this.close();
        this.close();
        this.name = name;
        this.anchor = anchor;
        this.element = document.createElement("div");
        this.element.className = "popover";
        this.element.setAttribute("role", "dialog");
        document.body.append(this.element);
        this.refresh(content);
        this.element.querySelector("input, button")?.focus({ preventScroll: true });
    }

    refresh(content) {
        const inside = content();
        this.element.replaceChildren(inside);
        const width = Number(inside.dataset.width ?? 260);
        const box = this.anchor.getBoundingClientRect();
        const left = Math.max(12, Math.min(innerWidth - width - 12, box.right - width));
        this.element.style.setProperty("width", `${width}px`);
        this.element.style.setProperty("left", `${left}px`);
        const below = box.bottom + 4;
        if (below + this.element.offsetHeight > innerHeight) this.element.style.setProperty("top", `${Math.max(8, innerHeight - this.element.offsetHeight - 8)}px`);
        else this.element.style.setProperty("top", `${below}px`);
    }

    close() {
        if (!this.name) return false;
        const inside = this.element.contains(document.activeElement);
        this.element.remove();
        this.name = null;
        if (inside) this.anchor.focus({ preventScroll: true });
        return true;
    }
}
