// Marks of a fixed size in pixels: contact points by status (dot sticking, diamond sliding, ring open), with a halo.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, GreaterDepth, Points } from "three";

import { material } from "./material.js";

const VERTEX = `
uniform float uPixelRatio, uNudge;
in vec4 place; // and size [px]
in vec4 look;  // colour, 0 dot 1 diamond 2 ring
flat out vec4 vLook;
flat out float vSize;
void main() {
    vLook = look;
    vSize = place.w * uPixelRatio + 3.6;
    vec4 p = viewMatrix * vec4(place.xyz, 1.0);
    p.z += uNudge; // towards the eye, so that a mark on a face is not hidden by it
    gl_Position = projectionMatrix * p;
    gl_PointSize = vSize;
}`;

const FRAGMENT = `
uniform vec3 uHalo;
uniform float uAlpha;
flat in vec4 vLook;
flat in float vSize;
out vec4 colour;
void main() {
    vec2 p = (gl_PointCoord - 0.5) * vSize;
    float radius = 0.5 * vSize - 1.8;
    float d = vLook.w > 0.5 && vLook.w < 1.5 ? (abs(p.x) + abs(p.y)) * 0.80 - radius : length(p) - radius;
    if (vLook.w > 1.5) d = abs(d + 1.0) - 0.9;
    float core = clamp(0.5 - d, 0.0, 1.0), halo = clamp(1.9 - d, 0.0, 1.0);
    float alpha = halo * uAlpha;
    if (alpha < 0.004) discard;
    colour = vec4(mix(uHalo, vLook.rgb, core), 1.0) * alpha;
}`;

export class Sprites {
    constructor(uniforms, options = {}) {
        this.geometry = new BufferGeometry();
        this.room = 0;
        this.count = 0;
        const nudge = { value: 0 };
        this.nudge = nudge;
        const make = (alpha, extra, order) => {
            const object = new Points(this.geometry, material(uniforms, VERTEX, FRAGMENT, {
                own: { uAlpha: { value: alpha }, uNudge: nudge }, transparent: true, depthWrite: false, depthTest: !options.flat, ...extra,
            }));
            object.frustumCulled = false;
            object.renderOrder = order;
            return object;
        };
        this.objects = [make(1, {}, 31)];
        if (!options.flat) this.objects.push(make(0.35, { depthFunc: GreaterDepth }, 30));
        this.reserve(64);
    }

    reserve(count) {
        if (count <= this.room) return;
        const before = this.room;
        this.room = Math.max(count, 2 * this.room);
        const grow = (name) => {
            const array = new Float32Array(4 * this.room);
            if (before) array.set(this.geometry.getAttribute(name).array);
            const attribute = new BufferAttribute(array, 4);
            attribute.setUsage(DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
            return array;
        };
        this.geometry.dispose();
        this.place = grow("place");
        this.look = grow("look");
    }

    begin() {
        this.count = 0;
    }
    add(x, y, z, size, colour, shape) {
        this.reserve(this.count + 1);
        const o = 4 * this.count++;
        this.place[o] = x; this.place[o + 1] = y; this.place[o + 2] = z; this.place[o + 3] = size;
        this.look[o] = colour[0]; this.look[o + 1] = colour[1]; this.look[o + 2] = colour[2]; this.look[o + 3] = shape;
    }
    end() {
        for (const object of this.objects) object.visible = this.count > 0;
        this.geometry.setDrawRange(0, this.count);
        this.geometry.getAttribute("place").needsUpdate = true;
        this.geometry.getAttribute("look").needsUpdate = true;
    }
    dispose() {
        this.geometry.dispose();
    }
}
