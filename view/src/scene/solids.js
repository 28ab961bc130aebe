// Polyhedra, cylinders, capsules and ellipsoids: one mesh for all of them, placed by the pose texture.
// The geometry is exact; edges look a little rounded and stone has grain by shading alone.
import { BufferAttribute, BufferGeometry, Mesh } from "three";

import { CUT, LIGHT, POSE } from "./glsl.js";
import { attachMaterials } from "./material.js";

const VERTEX = POSE + `
in float body;
in vec3 local, normal;
in vec4 edge;
out vec3 vNormal, vOut, vPlace, vLocal;
out float vEdge;
flat out vec4 vTint;
void main() {
    int i = int(body);
    vec4 p = poseTexel(i, 0), q = poseTexel(i, 1);
    vTint = tintOf(i);
    vPlace = (viewMatrix * vec4(p.xyz + turn(q, local), 1.0)).xyz;
    vNormal = mat3(viewMatrix) * turn(q, normal);
    vOut = mat3(viewMatrix) * turn(q, edge.xyz);
    vEdge = edge.w;
    vLocal = local + 7.3 * body;
    gl_Position = isDrawn(vTint) ? projectionMatrix * vec4(vPlace, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

export const FRAGMENT = LIGHT + CUT + `
uniform float uOpacity, uBevel, uGrain;
in vec3 vNormal, vOut, vPlace, vLocal;
in float vEdge;
flat in vec4 vTint;
out vec4 colour;
#ifdef FINE
float hash(vec3 p) {
    p = fract(p * 0.3183099 + 0.1);
    p *= 17.0;
    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}
float noise(vec3 x) {
    vec3 i = floor(x), f = fract(x);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1, 0, 0)), f.x), mix(hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), f.x), mix(hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}
#endif
void main() {
    if (isCut(vPlace)) discard;
    vec3 n = normalize(vNormal);
    float towards = dot(n, eyeAt(vPlace));
    if (towards < 0.0) n = -n;
    float near = 1.0 - clamp(vEdge / uBevel, 0.0, 1.0);
    if (vEdge < 100.0) n = normalize(n + vOut * (0.55 * near * near));
    vec3 tint = vTint.rgb;
#ifdef FINE
    tint *= 1.0 + 0.12 * (0.6 * noise(vLocal * 9.0 / uGrain) + 0.4 * noise(vLocal * 34.0 / uGrain) - 0.5);
#endif
    float seam = clamp(vEdge / max(fwidth(vEdge), 1e-9) / 1.6, 0.0, 1.0);
    if (uOpacity < 0.995) {
        float alpha = vTint.a > 0.9 || isFaded(vTint) ? uOpacity * mix(0.75, 0.3, seam) : 0.72;
        colour = vec4(tint * alpha, alpha);
        return;
    }
    colour = vec4(lit(tint, n, vPlace) * mix(0.62, 1.0, seam), 1.0);
}`;

export const DEPTH_FRAGMENT = CUT + `
in vec3 vPlace;
out vec4 colour;
void main() {
    if (isCut(vPlace)) discard;
    colour = vec4(1.0);
}`;

export class Solids {
    constructor(mesh, uniforms) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("body", new BufferAttribute(Float32Array.from(mesh.body), 1));
        geometry.setAttribute("local", new BufferAttribute(Float32Array.from(mesh.local), 3));
        geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(mesh.normal), 3));
        geometry.setAttribute("edge", new BufferAttribute(Float32Array.from(mesh.edge), 4));
        geometry.setIndex(new BufferAttribute(Uint32Array.from(mesh.index), 1));
        this.geometry = geometry;
        this.objects = [attachMaterials(new Mesh(geometry), uniforms, VERTEX, FRAGMENT, DEPTH_FRAGMENT)];
    }
    dispose() {
        this.geometry.dispose();
    }
}
