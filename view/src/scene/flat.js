// Shapes of the plane: fill, a darker rim of a few pixels, and on round ones a tick that shows how they turn. Ellipses,
// disks and rings are quads with an exact outline in each pixel; polygons are triangles that know the distance to their edges.
import { BufferAttribute, BufferGeometry, Mesh } from "three";

import { shapePoint } from "../data/shapes.js";
import { POSE } from "./glsl.js";
import { material } from "./material.js";

// A rim whose colour is drawn towards the theme's line colour stands out from any background.
export const SHADE = `
uniform float uPixel, uOpacity, uRim;
uniform vec3 uRimTone;
float opacityOf(vec4 tint) {
    return tint.a > 0.9 ? uOpacity : tint.a < 0.5 ? min(uOpacity, 0.22) : max(uOpacity, 0.72);
}
vec4 shaded(vec4 tint, float rim, float alpha) {
    return vec4(mix(tint.rgb, mix(tint.rgb, uRimTone, uRim), rim), 1.0) * alpha;
}
`;

const ROUND_VERTEX = POSE + `
in float body;
in vec4 local;  // centre, half axes
in vec4 kind;   // corner, turn of the axes in the body, 0 disk 1 ring
uniform float uPixel; // [m]
out vec2 vAt;
flat out vec2 vHalf;
flat out float vKind;
flat out vec4 vTint;
void main() {
    int i = int(body);
    vec4 p = poseTexel(i, 0), q = poseTexel(i, 1);
    vTint = tintOf(i);
    vHalf = local.zw;
    vKind = kind.w;
    float band = kind.w > 0.5 ? 0.06 * local.z : 0.0;
    vAt = kind.xy * (vHalf + band + 2.0 * uPixel);
    float c = cos(kind.z), s = sin(kind.z);
    vec3 at = p.xyz + turn(q, vec3(local.xy + mat2(c, s, -s, c) * vAt, 0.0));
    vec4 clip = projectionMatrix * viewMatrix * vec4(at.xy, 0.0, 1.0);
    gl_Position = isDrawn(vTint) ? clip : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const ROUND_FRAGMENT = SHADE + `
in vec2 vAt;
flat in vec2 vHalf;
flat in float vKind;
flat in vec4 vTint;
out vec4 colour;
void main() {
    // Distance to the outline in pixels, to first order: exact on circles.
    vec2 g = vAt / (vHalf * vHalf);
    float f = dot(vAt, g) - 1.0;
    float slope = 2.0 * length(g);
    float d = vHalf.x == vHalf.y ? (length(vAt) - vHalf.x) / uPixel : f / max(slope, 1e-12) / uPixel;
    float inside;
    float rim;
    float size = min(vHalf.x, vHalf.y) / uPixel;
    if (vKind > 0.5) { // a ring is the wall outside of its circle
        float outer = 0.06 * vHalf.x / uPixel;
        inside = clamp(d + 0.5, 0.0, 1.0) * clamp(outer - d + 0.5, 0.0, 1.0);
        rim = max(1.0 - clamp(d - 1.0, 0.0, 1.0), 1.0 - clamp(outer - d - 1.0, 0.0, 1.0));
        // Marks across the wall turn with it: one wide, eleven narrow ones.
        float angle = atan(vAt.y, vAt.x), along = length(vAt) / uPixel;
        float nearest = abs(fract(angle * 1.90986 + 0.5) - 0.5) / 1.90986 * along;
        float first = abs(angle) * along;
        rim = max(rim, max(clamp(1.6 - nearest, 0.0, 1.0), clamp(max(3.0, 0.35 * outer) - first, 0.0, 1.0)));
    } else {
        inside = clamp(0.5 - d, 0.0, 1.0);
        float width = clamp(0.18 * size, 0.8, 2.4);
        rim = clamp(d + width + 0.5, 0.0, 1.0);
        // A radius shows how it turns; wider on large ones.
        float x = vAt.x / vHalf.x, y = abs(vAt.y) / uPixel, thick = clamp(0.03 * size, 0.8, 1.3);
        float tick = step(0.12, x) * step(x, 0.95) * clamp(thick + 0.5 - y, 0.0, 1.0) * clamp(size / 3.0 - 0.6, 0.0, 1.0);
        rim = max(rim, 0.8 * tick);
    }
    float alpha = inside * opacityOf(vTint);
    if (alpha <= 0.0) discard;
    colour = shaded(vTint, rim, alpha);
}`;

const POLYGON_VERTEX = POSE + `
in float body;
in vec3 local; // place, distance to the edge
out float vEdge;
flat out vec4 vTint;
void main() {
    int i = int(body);
    vec4 p = poseTexel(i, 0), q = poseTexel(i, 1);
    vTint = tintOf(i);
    vEdge = local.z;
    vec3 at = p.xyz + turn(q, vec3(local.xy, 0.0));
    vec4 clip = projectionMatrix * viewMatrix * vec4(at.xy, 0.0, 1.0);
    gl_Position = isDrawn(vTint) ? clip : vec4(2.0, 2.0, 2.0, 1.0);
}`;

// A margin of a pixel outside of the edge carries the smoothing (vEdge < 0 there).
const POLYGON_FRAGMENT = SHADE + `
in float vEdge;
flat in vec4 vTint;
out vec4 colour;
void main() {
    float d = vEdge / uPixel;
    float alpha = clamp(d + 0.5, 0.0, 1.0) * opacityOf(vTint);
    if (alpha <= 0.0) discard;
    float rim = clamp(2.4 - d, 0.0, 1.0);
    colour = shaded(vTint, rim, alpha);
}`;

export class Flat {
    constructor(uniforms) {
        this.uniforms = uniforms;
        this.round = { body: [], local: [], kind: [], index: [] };
        this.polygons = { body: [], local: [], index: [] };
        this.objects = [];
        this.geometries = [];
    }

    add(body, shape, extent) {
        const turn = Math.atan2(shape.axes[3], shape.axes[0]);
        switch (shape.kind) {
        case "disk":
            this.addRound(body, shape.position, [shape.radius, shape.radius], turn, 0);
            break;
        case "ring":
            this.addRound(body, shape.position, [shape.radius, shape.radius], turn, 1);
            break;
        case "ellipse":
            this.addRound(body, shape.position, shape.half, turn, 0);
            break;
        case "capsule": { // a stadium: two half circles and what is between
            const points = [];
            for (let k = 0; k <= 48; k++) {
                const a = (2 * Math.PI * k) / 49;
                const [x, y] = [Math.cos(a) * shape.radius, Math.sin(a) * shape.radius];
                points.push(shapePoint(shape, x + (Math.sign(x) * shape.length) / 2, y, 0));
            }
            this.addPolygon(body, points);
            break;
        }
        case "polygon":
            this.addPolygon(body, shape.vertices);
            break;
        case "line": {
            const [nx, ny] = shape.normal, o = shape.offset, far = extent;
            const corner = (a, b) => [nx * o + -ny * a + -nx * b, ny * o + nx * a + -ny * b, 0];
            this.addPolygon(body, [corner(-far, 0), corner(-far, far), corner(far, far), corner(far, 0)]);
            break;
        }
        }
    }

    addRound(body, centre, half, turn, kind) {
        const { body: bodies, local, kind: kinds, index } = this.round;
        const v = bodies.length;
        for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
            bodies.push(body);
            local.push(centre[0], centre[1], half[0], half[1]);
            kinds.push(x, y, turn, kind);
        }
        index.push(v, v + 1, v + 2, v, v + 2, v + 3);
    }

    addPolygon(body, points) {
        const n = points.length, { body: bodies, local, index } = this.polygons;
        const mx = points.reduce((s, p) => s + p[0], 0) / n, my = points.reduce((s, p) => s + p[1], 0) / n;
        for (let i = 0; i < n; i++) {
            const a = points[i], b = points[(i + 1) % n];
            const [ex, ey] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(ex, ey) || 1;
            const height = Math.abs((mx - a[0]) * ey - (my - a[1]) * ex) / length;
            const v = bodies.length, grow = 1.02;
            // The triangle reaches a little beyond its edge.
            bodies.push(body, body, body);
            local.push(mx, my, height, mx + (a[0] - mx) * grow, my + (a[1] - my) * grow, height * (1 - grow),
                mx + (b[0] - mx) * grow, my + (b[1] - my) * grow, height * (1 - grow));
            index.push(v, v + 1, v + 2);
        }
    }

    finish() {
        const make = (attributes, index, vertex, fragment, order) => {
            if (index.length === 0) return;
            const geometry = new BufferGeometry();
            for (const [name, list, size] of attributes) geometry.setAttribute(name, new BufferAttribute(Float32Array.from(list), size));
            geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
            const object = new Mesh(geometry, material(this.uniforms, vertex, fragment, { transparent: true, depthTest: false, depthWrite: false }));
            object.frustumCulled = false;
            object.renderOrder = order;
            this.geometries.push(geometry);
            this.objects.push(object);
        };
        const { round, polygons } = this;
        make([["body", polygons.body, 1], ["local", polygons.local, 3]], polygons.index, POLYGON_VERTEX, POLYGON_FRAGMENT, 0);
        make([["body", round.body, 1], ["local", round.local, 4], ["kind", round.kind, 4]], round.index, ROUND_VERTEX, ROUND_FRAGMENT, 1);
    }

    dispose() {
        for (const geometry of this.geometries) geometry.dispose();
    }
}
