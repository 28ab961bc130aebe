// Lines with a width in pixels and round ends: force chains, normals, trajectories, outlines. Each is a quad whose corners are
// found in the vertex shader from three texels (ends, width, colour), so a frame uploads 48 bytes per line.
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, GreaterDepth, Mesh, NearestFilter, RGBAFormat } from "three";

import { material } from "./material.js";

const WIDTH = 1023; // texels a row, a multiple of 3

const VERTEX = `
uniform highp sampler2D uLines;
uniform vec2 uScreen;
uniform float uGrow, uNear, uFar, uFade, uPixelRatio;
in float corner;
flat out vec4 vEnds;
flat out vec4 vColour;
flat out float vHalf;
vec4 texel(int i) {
    return texelFetch(uLines, ivec2(i % ${WIDTH}, i / ${WIDTH}), 0);
}
void main() {
    int id = int(corner) >> 2, k = int(corner) & 3;
    vec4 a = texel(3 * id), b = texel(3 * id + 1);
    vColour = texel(3 * id + 2);
    vec4 p = viewMatrix * vec4(a.xyz, 1.0), q = viewMatrix * vec4(b.xyz, 1.0);
    if (uFade > 0.0) vColour.a *= 1.0 - uFade * clamp((-0.5 * (p.z + q.z) - uNear) / (uFar - uNear), 0.0, 1.0);
    p = projectionMatrix * p;
    q = projectionMatrix * q;
    // What lies behind the eye is cut off, else its picture would be turned over.
    float least = 1e-4;
    if (p.w < least && q.w < least) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (p.w < least) p = mix(p, q, (least - p.w) / (q.w - p.w));
    if (q.w < least) q = mix(q, p, (least - q.w) / (p.w - q.w));
    vec2 s = (p.xy / p.w * 0.5 + 0.5) * uScreen, e = (q.xy / q.w * 0.5 + 0.5) * uScreen;
    vHalf = 0.5 * uPixelRatio * (a.w + (uGrow > 0.0 ? 2.0 * min(1.25, 0.12 + 0.22 * a.w) * uGrow : 0.0));
    vEnds = vec4(s, e);
    vec2 d = e - s;
    float length = length(d);
    d = length > 1e-4 ? d / length : vec2(1.0, 0.0);
    vec2 side = vec2(-d.y, d.x);
    float reach = vHalf + 1.5;
    vec2 at = ((k & 1) == 0 ? s - d * reach : e + d * reach) + side * ((k >> 1) == 0 ? -reach : reach);
    vec4 end = (k & 1) == 0 ? p : q;
    gl_Position = vec4((at / uScreen * 2.0 - 1.0) * end.w, end.z - uGrow * 1e-5 * end.w * 0.0, end.w);
}`;

const FRAGMENT = `
uniform float uAlpha, uHaloOn;
uniform vec3 uHalo;
flat in vec4 vEnds;
flat in vec4 vColour;
flat in float vHalf;
out vec4 colour;
void main() {
    vec2 p = gl_FragCoord.xy - vEnds.xy, d = vEnds.zw - vEnds.xy;
    float f = clamp(dot(p, d) / max(dot(d, d), 1e-6), 0.0, 1.0);
    float away = length(p - f * d);
    float half_ = max(vHalf, 0.5), thin = min(1.0, vHalf / 0.5);
    float alpha = clamp(half_ - away + 0.5, 0.0, 1.0) * thin * vColour.a * uAlpha;
    if (alpha < 0.004) discard;
    colour = vec4(uHaloOn > 0.5 ? uHalo : vColour.rgb, 1.0) * alpha;
}`;

export class Segments {
    // options: halo (drawn under all lines), hidden (opacity of parts behind bodies; 0: not drawn), order
    constructor(uniforms, options = {}) {
        this.count = 0;
        this.room = 0;
        this.geometry = new BufferGeometry();
        this.lines = { value: null };
        const base = { uLines: this.lines, uGrow: { value: 0 }, uHaloOn: { value: 0 }, uAlpha: { value: 1 }, uFade: { value: 0 } };
        this.base = base;
        const make = (own, extra, order) => {
            const object = new Mesh(this.geometry, material(uniforms, VERTEX, FRAGMENT, {
                own: { ...base, ...own }, transparent: true, depthWrite: false, depthTest: !options.flat, ...extra,
            }));
            object.frustumCulled = false;
            object.renderOrder = order;
            return object;
        };
        const order = options.order ?? 10;
        this.front = make({}, {}, order + 2);
        this.halo = make({ uGrow: { value: 1 }, uHaloOn: { value: 1 } }, {}, order + 1);
        this.hiddenAlpha = { value: options.hidden ?? 0 };
        this.behind = make({ uAlpha: this.hiddenAlpha }, { depthFunc: GreaterDepth }, order);
        this.hasHalo = Boolean(options.halo);
        for (const object of [this.front, this.halo, this.behind]) object.visible = false;
        this.objects = [this.behind, this.halo, this.front];
        this.reserve(256);
    }

    reserve(count) {
        if (count <= this.room) return;
        this.room = Math.max(count, 2 * this.room);
        const rows = Math.ceil((3 * this.room) / WIDTH);
        const data = new Float32Array(4 * WIDTH * rows);
        if (this.data) data.set(this.data);
        this.data = data;
        this.lines.value?.dispose();
        const texture = new DataTexture(data, WIDTH, rows, RGBAFormat, FloatType);
        texture.minFilter = texture.magFilter = NearestFilter;
        this.lines.value = texture;
        const corners = Float32Array.from({ length: 4 * this.room }, (_, i) => i);
        const index = new Uint32Array(6 * this.room);
        for (let i = 0; i < this.room; i++) {
            const v = 4 * i;
            index.set([v, v + 1, v + 2, v + 2, v + 1, v + 3], 6 * i);
        }
        this.geometry.dispose();
        this.geometry.setAttribute("corner", new BufferAttribute(corners, 1));
        this.geometry.setIndex(new BufferAttribute(index, 1));
    }

    begin() {
        this.count = 0;
    }

    // From a to b [m], width [px], colour with opacity.
    add(ax, ay, az, bx, by, bz, width, r, g, b, alpha) {
        this.reserve(this.count + 1);
        const d = this.data;
        let o = 12 * this.count++;
        d[o++] = ax; d[o++] = ay; d[o++] = az; d[o++] = width;
        d[o++] = bx; d[o++] = by; d[o++] = bz; d[o++] = 0;
        d[o++] = r; d[o++] = g; d[o++] = b; d[o] = alpha;
    }

    end() {
        this.front.visible = this.count > 0; // nothing to draw is no shader to compile
        this.halo.visible = this.hasHalo && this.count > 0;
        this.setHidden(this.hiddenAlpha.value);
        this.geometry.setDrawRange(0, 6 * this.count);
        if (this.count) this.lines.value.needsUpdate = true;
    }

    setHidden(alpha) {
        this.hiddenAlpha.value = alpha;
        this.behind.visible = this.front.material.depthTest && alpha > 0 && this.count > 0;
    }

    dispose() {
        this.geometry.dispose();
        this.lines.value.dispose();
    }
}
