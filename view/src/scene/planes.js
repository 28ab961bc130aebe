// Planes of space. One that faces up is drawn as a ground that fades out, with a faint grid and the bodies'
// shadows; others (walls) as the outline of their part within the scene's box, since they would hide what they hold.
import { BufferAttribute, BufferGeometry, Mesh } from "three";

import { CUT, LIGHT, POSE } from "./glsl.js";
import { attachMaterials } from "./material.js";

const VERTEX = POSE + `
uniform float uExtent;
uniform vec3 uMiddle;
uniform float uBody;
uniform vec4 uPlane; // in the body's frame: normal, offset
in vec2 corner;
out vec3 vPlace;
out vec2 vAt;
flat out vec3 vNormal;
void main() {
    int i = int(uBody);
    vec4 p = poseTexel(i, 0), q = poseTexel(i, 1);
    vec3 n = turn(q, uPlane.xyz);
    float offset = uPlane.w + dot(n, p.xyz);
    vec3 side = normalize(abs(n.x) < 0.9 ? cross(n, vec3(1, 0, 0)) : cross(n, vec3(0, 1, 0))), other = cross(n, side);
    vec3 at = uMiddle + n * (offset - dot(n, uMiddle)) + uExtent * (corner.x * side + corner.y * other);
    vAt = vec2(dot(at - p.xyz, side), dot(at - p.xyz, other));
    vPlace = (viewMatrix * vec4(at, 1.0)).xyz;
    vNormal = mat3(viewMatrix) * n;
    gl_Position = projectionMatrix * vec4(vPlace, 1.0);
}`;

const FRAGMENT = LIGHT + CUT + `
uniform vec3 uGround, uMiddleView;
uniform float uExtent, uCell, uGridShift, uGroundShadow, uOpacity;
in vec3 vPlace;
in vec2 vAt;
flat in vec3 vNormal;
out vec4 colour;
float lines(vec2 at, float cell) {
    vec2 x = at / cell, w = fwidth(x) * 1.2;
    vec2 d = abs(fract(x - 0.5) - 0.5);
    vec2 line = 1.0 - smoothstep(w * 0.4, w, d);
    return max(line.x, line.y) * (1.0 - smoothstep(0.08, 0.35, max(w.x, w.y)));
}
void main() {
    float away = length(vPlace - uMiddleView) / uExtent;
    float alpha = 1.0 - smoothstep(0.25, 1.0, away);
    if (alpha <= 0.004) discard;
    if (dot(vNormal, eyeAt(vPlace)) < 0.0) alpha *= 0.25; // seen from below
    vec3 c = uGround + uGridShift * lines(vAt, uCell);
    float shade = mix(uGroundShadow, 1.0, lightAt(vPlace, vNormal));
    colour = vec4(c * shade, 1.0) * alpha;
}`;

export class Ground {
    constructor(body, plane, uniforms) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("corner", new BufferAttribute(Float32Array.of(-1, -1, 1, -1, 1, 1, -1, 1), 2));
        geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.geometry = geometry;
        const own = { uBody: { value: body }, uPlane: { value: [...plane.normal, plane.offset] } };
        const object = attachMaterials(new Mesh(geometry), uniforms, VERTEX, FRAGMENT, null, { own, transparent: true });
        object.renderOrder = -10;
        this.objects = [object];
        this.body = body;
    }
    show(on) {
        this.objects[0].visible = on;
    }
    dispose() {
        this.geometry.dispose();
    }
}

// The outline of a plane's part within a box, as pairs of points; box: {low, high}.
export function planeOutline(normal, offset, box) {
    const corners = [];
    for (let k = 0; k < 8; k++) corners.push([0, 1, 2].map((d) => (k >> d) & 1 ? box.high[d] : box.low[d]));
    const side = corners.map((c) => c[0] * normal[0] + c[1] * normal[1] + c[2] * normal[2] - offset);
    const points = [];
    for (let a = 0; a < 8; a++) {
        for (let d = 0; d < 3; d++) {
            const b = a | (1 << d);
            if (b === a || side[a] * side[b] > 0 || side[a] === side[b]) continue; // no crossing, or the edge lies in the plane
            const f = side[a] / (side[a] - side[b]);
            points.push(corners[a].map((x, k) => x + (corners[b][k] - x) * f));
        }
    }
    if (points.length < 3) return [];
    // Around their middle, in the order of the angle.
    const middle = [0, 1, 2].map((k) => points.reduce((s, p) => s + p[k], 0) / points.length);
    const u = Math.abs(normal[2]) < 0.9 ? [normal[1], -normal[0], 0] : [1, 0, 0];
    const v = [normal[1] * u[2] - normal[2] * u[1], normal[2] * u[0] - normal[0] * u[2], normal[0] * u[1] - normal[1] * u[0]];
    const angle = (p) => {
        const d = p.map((x, k) => x - middle[k]);
        return Math.atan2(d[0] * v[0] + d[1] * v[1] + d[2] * v[2], d[0] * u[0] + d[1] * u[1] + d[2] * u[2]);
    };
    points.sort((a, b) => angle(a) - angle(b));
    return points.map((p, i) => [p, points[(i + 1) % points.length]]);
}
