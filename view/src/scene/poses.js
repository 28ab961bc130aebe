// Poses and colours of all bodies as textures, read by the vertex shaders.
import { DataTexture, FloatType, NearestFilter, RGBAFormat, UnsignedByteType } from "three";

const WIDTH = 1024; // texels; the shaders know it

function texture(Kind, texels, type) {
    const rows = Math.max(1, Math.ceil(texels / WIDTH));
    const made = new DataTexture(new Kind(4 * WIDTH * rows), WIDTH, rows, RGBAFormat, type);
    made.minFilter = made.magFilter = NearestFilter;
    made.needsUpdate = true;
    return made;
}

export class Poses {
    constructor(count, dim) {
        this.count = count;
        this.dim = dim;
        this.pose = texture(Float32Array, 2 * count, FloatType);
        this.tint = texture(Uint8Array, count, UnsignedByteType);
        this.lost = new Map(); // bodies whose place is not a number -> true
    }

    // Between frame a and b at a share f; b may be null. A body whose pose is not a number stays at its last good place.
    set(a, b, f) {
        const { dim } = this, out = this.pose.image.data;
        const g = b ? f : 0;
        this.lost.clear();
        for (let i = 0; i < this.count; i++) {
            const o = 8 * i;
            let bad = false;
            for (let k = 0; k < dim; k++) {
                const from = a.position[dim * i + k];
                const x = g > 0 ? from + (b.position[dim * i + k] - from) * g : from;
                if (x === x) out[o + k] = x;
                else bad = true;
            }
            if (bad) this.lost.set(i, true);
            if (dim === 3) this.turn3(a.orientation, b?.orientation, g, 4 * i, o + 4);
            else this.turn2(a.orientation, b?.orientation, g, i, o + 4);
        }
        this.pose.needsUpdate = true;
    }

    turn3(a, b, g, i, o) {
        const out = this.pose.image.data;
        let w = 1, x = 0, y = 0, z = 0;
        if (a) [w, x, y, z] = [a[i], a[i + 1], a[i + 2], a[i + 3]];
        if (a && b && g > 0) {
            const sign = w * b[i] + x * b[i + 1] + y * b[i + 2] + z * b[i + 3] < 0 ? -g : g;
            w = w * (1 - g) + sign * b[i];
            x = x * (1 - g) + sign * b[i + 1];
            y = y * (1 - g) + sign * b[i + 2];
            z = z * (1 - g) + sign * b[i + 3];
        }
        const length = Math.sqrt(w * w + x * x + y * y + z * z);
        if (!(length > 0)) return;
        out[o] = x / length;
        out[o + 1] = y / length;
        out[o + 2] = z / length;
        out[o + 3] = w / length;
    }

    turn2(a, b, g, i, o) {
        const out = this.pose.image.data;
        let angle = a ? a[i] : 0;
        if (a && b && g > 0) angle += (b[i] - angle) * g;
        if (angle !== angle) return;
        out[o] = out[o + 1] = 0;
        out[o + 2] = Math.sin(angle / 2);
        out[o + 3] = Math.cos(angle / 2);
    }

    // A point of a body's own frame in the world.
    toWorld(body, p, out = [0, 0, 0]) {
        const d = this.pose.image.data, o = 8 * body;
        const [x, y, z, w] = [d[o + 4], d[o + 5], d[o + 6], d[o + 7]];
        const cx = y * p[2] - z * p[1] + w * p[0], cy = z * p[0] - x * p[2] + w * p[1], cz = x * p[1] - y * p[0] + w * p[2];
        out[0] = d[o] + p[0] + 2 * (y * cz - z * cy);
        out[1] = d[o + 1] + p[1] + 2 * (z * cx - x * cz);
        out[2] = d[o + 2] + p[2] + 2 * (x * cy - y * cx);
        return out;
    }
    // A point of the world in a body's own frame.
    toBody(body, p) {
        const d = this.pose.image.data, o = 8 * body;
        const [x, y, z, w] = [-d[o + 4], -d[o + 5], -d[o + 6], d[o + 7]];
        return rotate(x, y, z, w, p[0] - d[o], p[1] - d[o + 1], p[2] - d[o + 2]);
    }
    // A direction of the world in a body's own axes.
    toBodyAxes(body, v) {
        const d = this.pose.image.data, o = 8 * body;
        return rotate(-d[o + 4], -d[o + 5], -d[o + 6], d[o + 7], v[0], v[1], v[2]);
    }

    dispose() {
        this.pose.dispose();
        this.tint.dispose();
    }
}

function rotate(x, y, z, w, a, b, c) {
    const cx = y * c - z * b + w * a, cy = z * a - x * c + w * b, cz = x * b - y * a + w * c;
    return [a + 2 * (y * cz - z * cy), b + 2 * (z * cx - x * cz), c + 2 * (x * cy - y * cx)];
}
