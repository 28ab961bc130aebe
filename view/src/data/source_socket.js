// A run behind a WebSocket: `cairn view` and `cairn run --live`.
//
// A source has open(), frame(step), ledger(from, to, bins), series(body, points), all but the first giving promises, and
// tells its listener what comes unasked. Requests carry a number; answers find their promise by it.
import { CONTACTS, FRAME, INDEX, LEDGER, decodeMessage } from "./protocol.js";

const RETRY_SECONDS = 3;
const CLOSE_REASONS = {
    4001: "The address has the wrong token. Run the command again and open the address that it prints.",
    4002: "Too many pages are open on this run. Close one of them and reload.",
    4003: "This page asked too much at once. Reload it.",
};

export class SocketSource {
    constructor(listener, address = socketAddress()) {
        this.listener = listener;
        this.address = address;
        this.requests = new Map(); // id -> {resolve, reject, frame}
        this.commands = new Map(); // n -> {resolve, reject}
        this.next = 1;
        this.unasked = null; // a live frame that waits for its contacts
        this.bodies = null;
        this.greeting = null;
        this.retrySeconds = RETRY_SECONDS;
    }

    open() {
        this.socket = new WebSocket(this.address, "cairn.1");
        this.socket.binaryType = "arraybuffer";
        this.socket.onopen = () => this.send({ op: "hello", v: 1 });
        this.socket.onmessage = ({ data }) => {
            if (typeof data === "string") this.onText(data);
            else this.queue = (this.queue ?? Promise.resolve()).then(() => this.onBinary(data));
        };
        this.socket.onclose = (event) => this.onClose(event.code);
    }

    onClose(code) {
        const lost = Object.assign(new Error("the connection was lost"), { isLost: true });
        for (const waiting of [...this.requests.values(), ...this.commands.values()]) waiting.reject(lost);
        this.requests.clear();
        this.commands.clear();
        const reason = CLOSE_REASONS[code];
        this.listener.closed(reason ?? null, this.retrySeconds);
        if (!reason) this.timer = setTimeout(() => this.open(), this.retrySeconds * 1000);
    }

    retry() {
        clearTimeout(this.timer);
        this.open();
    }

    send(message) {
        if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    }

    request(message) {
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.requests.set(id, { resolve, reject, frame: null });
            this.send({ ...message, id });
        });
    }

    frame(step) {
        return this.request({ op: "frame", step });
    }
    ledger(from, to, bins) {
        return this.request({ op: "ledger", from, to, bins });
    }
    series(body, points) {
        return this.request({ op: "series", body, points });
    }

    // A live command; resolves when the simulation has done it.
    command(op, fields = {}) {
        const n = this.next++;
        return new Promise((resolve, reject) => {
            this.commands.set(n, { resolve, reject });
            this.send({ op, n, ...fields });
        });
    }

    acknowledge(step) {
        this.send({ op: "ack", step });
    }

    onText(text) {
        let message;
        try {
            message = JSON.parse(text);
        } catch {
            this.listener.problem("a message from the server is no JSON");
            return;
        }
        switch (message.op) {
        case "hello":
            this.greeting = message;
            this.listener.expect(message);
            break;
        case "bodies":
            this.bodies = message;
            break;
        case "done":
            this.settle(this.commands, message.n, (w) => w.resolve());
            break;
        case "error": {
            const error = Object.assign(new Error(message.text), { code: message.code });
            const table = message.n !== undefined ? this.commands : this.requests;
            if (!this.settle(table, message.n ?? message.id, (w) => w.reject(error))) this.listener.problem(message.text);
            break;
        }
        case "live":
            this.listener.liveStatus(message);
            break;
        case "event":
            this.listener.event(message);
            break;
        case "end":
            this.listener.end(message);
            break;
        }
    }

    async onBinary(buffer) {
        try {
            this.dispatch(await decodeMessage(buffer));
        } catch (error) {
            this.listener.problem(error.message);
        }
    }

    dispatch(message) {
        if (message.type === INDEX && this.greeting && this.bodies) {
            const { greeting, bodies } = this;
            this.greeting = this.bodies = null;
            this.listener.hello(greeting, bodies, message);
        } else if (message.id === 0) {
            this.onUnasked(message);
        } else if (message.type === FRAME) {
            const waiting = this.requests.get(message.id);
            if (waiting) waiting.frame = message;
        } else if (message.type === CONTACTS) {
            this.settle(this.requests, message.id, (w) => w.resolve({ frame: w.frame, contacts: message }));
        } else {
            this.settle(this.requests, message.id, (w) => w.resolve(message));
        }
    }

    onUnasked(message) {
        switch (message.type) {
        case FRAME:
            this.unasked = message;
            break;
        case CONTACTS:
            if (this.unasked) this.listener.liveFrame({ frame: this.unasked, contacts: message });
            this.unasked = null;
            break;
        case INDEX:
            this.listener.liveIndex(message);
            break;
        case LEDGER:
            this.listener.liveLedger(message);
            break;
        }
    }

    settle(table, key, how) {
        const waiting = table.get(key);
        table.delete(key);
        if (waiting) how(waiting);
        return waiting !== undefined;
    }
}

function socketAddress() {
    const token = new URLSearchParams(location.search).get("token") ?? "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return `${scheme}://${location.host}/ws?token=${encodeURIComponent(token)}`;
}
