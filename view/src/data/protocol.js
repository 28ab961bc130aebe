// Binary messages of docs/reference/viewer-protocol.md to typed arrays.
//
// Every length is checked before a view is made: a message that does not fit its own header gives an Error, which
// the caller reports once and drops, so a damaged frame never ends the page.

const MAGIC = 0x314e5243;
export const HEADER = 32;
export const FRAME = 1, CONTACTS = 2, INDEX = 3, LEDGER = 4, SERIES = 5;
const FLAT = 1, QUANTISED = 2, DEFLATED = 4, UNTURNED = 8, HALF = 16, WITH_JOINTS = 32, WITH_NODES = 64;

export class BadMessage extends Error {}

// The header at a byte offset of a buffer.
export function readHeader(buffer, offset = 0) {
    if (buffer.byteLength - offset < HEADER) {
        throw new BadMessage("a message is shorter than its header");
    }
    const view = new DataView(buffer, offset, HEADER);
    if (view.getUint32(0, true) !== MAGIC) {
        throw new BadMessage("a message does not start with CRN1");
    }
    return {
        type: view.getUint16(4, true),
        flags: view.getUint16(6, true),
        id: view.getUint32(8, true),
        step: view.getUint32(12, true),
        t: view.getFloat64(16, true),
        n: view.getUint32(24, true),
        bytes: view.getUint32(28, true),
    };
}

// Walks through the arrays of a payload.
class Cursor {
    constructor(buffer, start, end) {
        this.buffer = buffer;
        this.at = start;
        this.end = end;
    }
    take(Kind, count) {
        const bytes = Kind.BYTES_PER_ELEMENT * count;
        if (this.at + bytes > this.end) {
            throw new BadMessage("a message is shorter than its counts say");
        }
        // Blocks of an exported file align to 4 bytes only; 8-byte arrays are copied then.
        const aligned = this.at % Kind.BYTES_PER_ELEMENT === 0;
        const array = aligned
            ? new Kind(this.buffer, this.at, count)
            : new Kind(this.buffer.slice(this.at, this.at + bytes));
        this.at += (bytes + 3) & ~3;
        return array;
    }
}

// One message whose payload is not deflated; header from readHeader.
export function decode(buffer, header, offset = 0) {
    const start = offset + HEADER;
    if (start + header.bytes > buffer.byteLength) {
        throw new BadMessage("a message is cut off");
    }
    const reader = readers[header.type];
    if (!reader) {
        throw new BadMessage(`a message has the unknown type ${header.type}`);
    }
    const cursor = new Cursor(buffer, start, start + header.bytes);
    return reader(cursor, header, header.flags & FLAT ? 2 : 3);
}

// A whole message as it came, inflated if need be.
export async function decodeMessage(buffer) {
    const header = readHeader(buffer);
    if (!(header.flags & DEFLATED)) {
        return decode(buffer, header);
    }
    const payload = await inflate(new Uint8Array(buffer, HEADER, Math.min(header.bytes, buffer.byteLength - HEADER)));
    const whole = new Uint8Array(HEADER + payload.byteLength);
    whole.set(new Uint8Array(buffer, 0, HEADER));
    whole.set(new Uint8Array(payload), HEADER);
    return decode(whole.buffer, { ...header, bytes: payload.byteLength });
}

export async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).arrayBuffer();
}

const readers = {
    [FRAME](cursor, header, dim) {
        const { n, flags } = header;
        const spins = dim === 3 ? 3 : 1;
        const position = flags & QUANTISED ? dequantise(cursor, n, dim) : cursor.take(Float32Array, dim * n);
        let orientation = null;
        if (!(flags & UNTURNED)) {
            orientation = dim === 3 ? quaternions(cursor.take(Int16Array, 4 * n)) : cursor.take(Float32Array, n);
        }
        const reals = (count) => (flags & HALF ? halves(cursor.take(Uint16Array, count)) : cursor.take(Float32Array, count));
        const velocity = reals(dim * n);
        const spin = reals(spins * n);
        const joints = flags & WITH_JOINTS ? jointsOf(cursor, dim) : null;
        const soft = flags & WITH_NODES ? softOf(cursor, dim) : null;
        return { ...header, dim, position, orientation, velocity, spin, joints, soft };
    },
    [CONTACTS](cursor, header, dim) {
        const { n } = header;
        return {
            ...header,
            dim,
            candidate: cursor.take(Uint32Array, n),
            antagonist: cursor.take(Uint32Array, n),
            point: cursor.take(Float32Array, dim * n),
            normal: cursor.take(Float32Array, dim * n),
            force: cursor.take(Float32Array, dim * n),
            gap: cursor.take(Float32Array, n),
            friction: cursor.take(Float32Array, n),
            status: cursor.take(Uint8Array, n),
        };
    },
    [INDEX](cursor, header) {
        const times = cursor.take(Float64Array, header.n);
        return { ...header, times, steps: cursor.take(Uint32Array, header.n) };
    },
    [LEDGER](cursor, header) {
        const [from, to, columns] = cursor.take(Uint32Array, 4);
        const times = cursor.take(Float64Array, header.n);
        const steps = cursor.take(Uint32Array, header.n);
        const low = [], high = [];
        for (let c = 0; c < columns; c++) {
            low.push(cursor.take(Float32Array, header.n));
            high.push(cursor.take(Float32Array, header.n));
        }
        return { ...header, from, to, times, steps, low, high };
    },
    [SERIES](cursor, header, dim) {
        const { n } = header;
        const spins = dim === 3 ? 3 : 1;
        const times = cursor.take(Float64Array, n);
        const steps = cursor.take(Uint32Array, n);
        return {
            ...header,
            dim,
            times,
            steps,
            position: cursor.take(Float32Array, dim * n),
            velocity: cursor.take(Float32Array, dim * n),
            spin: cursor.take(Float32Array, spins * n),
            orientation: cursor.take(Float32Array, (dim === 3 ? 4 : 1) * n),
        };
    },
};

function jointsOf(cursor, dim) {
    const [n] = cursor.take(Uint32Array, 1);
    const real = (count) => cursor.take(Float32Array, count);
    return { n, dim, value: real(n), rate: real(n), effort: real(n), force: real(dim * n) };
}

// Nodes of deformable bodies in the world, stresses of their elements: xx yy zz xy yz zx [Pa].
function softOf(cursor, dim) {
    const [nodes, elements] = cursor.take(Uint32Array, 2);
    return { x: cursor.take(Float32Array, dim * nodes), stress: cursor.take(Float32Array, 6 * elements) };
}

function dequantise(cursor, n, dim) {
    const low = cursor.take(Float32Array, dim);
    const high = cursor.take(Float32Array, dim);
    const u = cursor.take(Uint16Array, dim * n);
    return Float32Array.from(u, (value, i) => low[i % dim] + ((high[i % dim] - low[i % dim]) * value) / 65535);
}

// w x y z of unit length; rounding has moved it a little.
function quaternions(s) {
    const q = new Float32Array(s.length);
    for (let i = 0; i < s.length; i += 4) {
        const length = Math.hypot(s[i], s[i + 1], s[i + 2], s[i + 3]) || 1;
        for (let k = 0; k < 4; k++) {
            q[i + k] = s[i + k] / length;
        }
    }
    return q;
}

function halves(bits) {
    return Float32Array.from(bits, (h) => {
        const sign = h & 0x8000 ? -1 : 1;
        const exponent = (h >> 10) & 31, fraction = h & 1023;
        if (exponent === 31) {
            return fraction ? NaN : sign * Infinity;
        }
        return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
    });
}
