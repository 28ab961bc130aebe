// A dark blot on the ground under each moving body, where no shadows are drawn: the smaller and fainter it is, the higher the
// body. A cue of height that costs a quad a body.
import { BufferAttribute, BufferGeometry, Mesh } from "three";

import { POSE } from "./glsl.js";
import { attachMaterials } from "./material.js";

const VERTEX = POSE + `
uniform float uBody;
uniform vec4 uPlane; // in the ground's frame: normal, offset
in float body;
in vec3 corner; // and reach of the body
out vec2 vAt;
flat out float vDark;
void main() {
    vec4 g = poseTexel(int(uBody), 0), q = poseTexel(int(uBody), 1), p = poseTexel(int(body), 0);
    vec3 n = turn(q, uPlane.xyz);
    float height = dot(n, p.xyz - g.xyz) - uPlane.w;
    float away = max(height / corner.z - 1.0, 0.0); // of its underside, in its own size
    float size = corner.z * 1.6 / (1.0 + 0.06 * away);
    vec3 side = normalize(abs(n.x) < 0.9 ? cross(n, vec3(1, 0, 0)) : cross(n, vec3(0, 1, 0))), other = cross(n, side);
    vec3 at = p.xyz - (height - 0.01 * corner.z) * n + size * (corner.x * side + corner.y * other);
    vAt = corner.xy;
    vDark = isDrawn(tintOf(int(body))) && height > 0.0 ? 0.6 / (1.0 + 0.5 * away + 0.25 * away * away) : 0.0;
    gl_Position = vDark > 0.02 ? projectionMatrix * viewMatrix * vec4(at, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `
in vec2 vAt;
flat in float vDark;
out vec4 colour;
void main() {
    float r = dot(vAt, vAt);
    if (r >= 1.0) discard;
    colour = vec4(0.0, 0.0, 0.0, vDark * (1.0 - r) * (1.0 - 0.5 * r));
}`;

export class Blobs {
    constructor(bodies, ground, plane, uniforms) {
        const list = [], corner = [], index = [];
        for (let i = 0; i < bodies.count; i++) {
            if (!bodies.moves[i] || !(bodies.reach[i] > 0)) continue;
            const v = list.length;
            for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
                list.push(i);
                corner.push(x, y, bodies.reach[i]);
            }
            index.push(v, v + 1, v + 2, v, v + 2, v + 3);
        }
        const geometry = new BufferGeometry();
        geometry.setAttribute("body", new BufferAttribute(Float32Array.from(list), 1));
        geometry.setAttribute("corner", new BufferAttribute(Float32Array.from(corner), 3));
        geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
        this.geometry = geometry;
        const own = { uBody: { value: ground }, uPlane: { value: [...plane.normal, plane.offset] } };
        const object = attachMaterials(new Mesh(geometry), uniforms, VERTEX, FRAGMENT, null, { own, transparent: true, depthWrite: false });
        object.renderOrder = -5;
        this.objects = [object];
        this.body = ground;
    }
    show(on) {
        this.shown = on;
    }
    // Where shadows are drawn there are no blots.
    use(on) {
        this.objects[0].visible = on && this.shown !== false && this.geometry.index.count > 0;
    }
    dispose() {
        this.geometry.dispose();
    }
}
