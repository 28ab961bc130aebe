// Spheres as impostors: a sprite that just covers the sphere's outline, and a ray cast in each of its pixels, so
// outline, depth and normal are exact in both projections.
//
// Most are drawn as points, the cheapest primitive in software GL. A point is dropped when its middle leaves the
// screen and has a largest size, so spheres near the border and large ones are drawn as quads: sorted out on the CPU
// for every camera.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, Points } from "three";

import { CUT, LIGHT, POSE } from "./glsl.js";
import { attachMaterials, material } from "./material.js";

const POINT_PIXELS = 64;

// The outline's box in normalised device coordinates: in the plane of an axis and the view direction the tangents
// to the circle are the roots of a quadratic.
const BOX = `
in float body;
in vec4 local; // centre in the body's frame, radius
uniform vec2 uScreen;
flat out vec4 vBall; // centre in view space, radius
flat out vec4 vTint;
flat out vec4 vRay; // pixel to ray: scale and shift
vec2 slopes(float c, float z, float r) {
    float a = z * z - r * r, s = r * sqrt(max(c * c + a, 0.0));
    return vec2(-c * z - s, -c * z + s) / a;
}
bool boxOf(out vec2 low, out vec2 high, out float depth) {
    int i = int(body);
    vec4 p = poseTexel(i, 0), q = poseTexel(i, 1);
    vTint = tintOf(i);
    vec3 c = (viewMatrix * vec4(p.xyz + turn(q, local.xyz), 1.0)).xyz;
    vBall = vec4(c, local.w);
    vRay = vec4(2.0 / (uScreen * vec2(projectionMatrix[0][0], projectionMatrix[1][1])),
                1.0 / projectionMatrix[0][0], 1.0 / projectionMatrix[1][1]);
    vec2 scale = vec2(projectionMatrix[0][0], projectionMatrix[1][1]);
    bool perspective = projectionMatrix[3][3] < 0.5;
    if (perspective) {
        if (-c.z <= local.w) return false;
        vec2 x = slopes(c.x, c.z, local.w), y = slopes(c.y, c.z, local.w);
        low = scale * vec2(x.x, y.x);
        high = scale * vec2(x.y, y.y);
    } else {
        vec2 at = vec2(projectionMatrix[3][0], projectionMatrix[3][1]);
        low = scale * (c.xy - local.w) + at;
        high = scale * (c.xy + local.w) + at;
    }
    vec4 clip = projectionMatrix * vec4(c, 1.0);
    depth = clip.z / clip.w;
    return isDrawn(vTint);
}
`;

// The lean picture: an ellipse in the outline's box stands for the cast, and light has one direction and a sky.
const LEAN_VERTEX = POSE + BOX + `
uniform vec3 uKey, uSky, uBounce;
flat out vec3 vMean, vSlope, vKey; // light from all sides, its change from below to above, light from the key
flat out vec2 vStretch;
flat out vec2 vDepth;
void main() {
    vec2 low, high;
    float depth;
    bool shown = boxOf(low, high, depth);
    vec2 size = (high - low) * 0.5 * uScreen;
    float most = max(size.x, size.y) + 1.0;
    gl_Position = shown ? vec4(0.5 * (low + high), clamp(depth, -1.0, 1.0), 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = most;
    vStretch = most / max(size, vec2(1e-3));
    vec3 albedo = vTint.rgb * vTint.rgb;
    vMean = 0.5 * albedo * (uSky + uBounce);
    vSlope = 0.5 * albedo * (uSky - uBounce);
    vKey = albedo * uKey;
    // Depth is nearly linear over a ball: its middle and its front.
    vec4 front = projectionMatrix * vec4(vBall.xyz + vec3(0.0, 0.0, vBall.w), 1.0);
    vDepth = 0.5 * vec2(depth, front.z / front.w - depth) + vec2(0.5, 0.0);
}`;

const LEAN_FRAGMENT = `
uniform vec3 uKeyDir, uUp;
flat in vec3 vMean, vSlope, vKey;
flat in vec2 vStretch;
flat in vec2 vDepth;
out vec4 colour;
void main() {
    vec2 q = (2.0 * gl_PointCoord - 1.0) * vStretch;
    float h = 1.0 - dot(q, q);
    if (h < 0.0) discard;
    vec3 n = vec3(q.x, -q.y, sqrt(h));
    gl_FragDepth = vDepth.x + vDepth.y * n.z;
    vec3 c = (vMean + vSlope * dot(n, uUp)) * (0.5 + 0.5 * n.z) + vKey * max(dot(n, uKeyDir), 0.0);
    colour = vec4(sqrt(c) * (1.1 - 0.16 * c), 1.0); // near the fine picture's roll-off, without a division
}`;

const POINT_VERTEX = POSE + BOX + `
void main() {
    vec2 low, high;
    float depth;
    bool shown = boxOf(low, high, depth);
    vec2 size = (high - low) * 0.5 * uScreen;
    gl_Position = shown ? vec4(0.5 * (low + high), clamp(depth, -1.0, 1.0), 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = max(size.x, size.y) + 1.0;
}`;

const QUAD_VERTEX = POSE + BOX + `
in vec2 corner;
void main() {
    vec2 low, high;
    float depth;
    bool shown = boxOf(low, high, depth);
    vec2 margin = 1.0 / uScreen;
    gl_Position = shown ? vec4(mix(low - margin, high + margin, corner), clamp(depth, -1.0, 1.0), 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const CAST = `
uniform mat4 projectionMatrix;
uniform float uOpacity;
flat in vec4 vBall;
flat in vec4 vTint;
flat in vec4 vRay;
out vec4 colour;
`;
const HIT = `
    bool perspective = projectionMatrix[3][3] < 0.5;
    vec2 e = gl_FragCoord.xy * vRay.xy - vRay.zw;
    vec3 c = vBall.xyz, o = vec3(0.0), d = vec3(e, -1.0);
    if (!perspective) { // parallel rays start in front of the ball
        o = vec3(e - vec2(projectionMatrix[3][0], projectionMatrix[3][1]) * vRay.zw, c.z + 2.0 * vBall.w);
        d = vec3(0.0, 0.0, -1.0);
    }
    vec3 m = c - o;
    float a = dot(d, d), b = dot(d, m), s = b * b - a * (dot(m, m) - vBall.w * vBall.w);
    if (s < 0.0) discard;
    s = sqrt(s);
    vec3 p = o + d * ((b - s) / a);
    if (isCut(p)) { // the far side is seen through the cut
        p = o + d * ((b + s) / a);
        if (isCut(p)) discard;
    }
    float z = (projectionMatrix[2][2] * p.z + projectionMatrix[3][2]) / (perspective ? -p.z : 1.0);
    gl_FragDepth = 0.5 * z + 0.5;
`;

const FRAGMENT = LIGHT + CUT + CAST + `
void main() {
${HIT}
    vec3 n = (p - c) / vBall.w;
    if (dot(n, d) > 0.0) n = -n;
    if (uOpacity < 0.995) {
        float alpha = vTint.a > 0.9 || isFaded(vTint) ? rimAlpha(n, p) * (0.4 + 4.0 * uOpacity) : 0.72;
        alpha = min(alpha, 1.0);
        colour = vec4(vTint.rgb * alpha, alpha);
    } else {
        colour = vec4(lit(vTint.rgb, n, p), 1.0);
    }
}`;

const DEPTH_FRAGMENT = CUT + CAST + `
void main() {
${HIT}
    colour = vec4(1.0);
}`;

export class Spheres {
    // balls: rows of {body, centre: [x, y, z], radius}
    constructor(balls, uniforms, largestPoint) {
        this.balls = balls;
        this.limit = Math.min(POINT_PIXELS, largestPoint);
        this.pointGeometry = this.makeGeometry(1);
        this.quadGeometry = this.makeGeometry(4, 0);
        this.objects = [
            attachMaterials(new Points(this.pointGeometry), uniforms, POINT_VERTEX, FRAGMENT, DEPTH_FRAGMENT),
            attachMaterials(new Mesh(this.quadGeometry), uniforms, QUAD_VERTEX, FRAGMENT, DEPTH_FRAGMENT),
        ];
        this.objects[0].userData.plain = material(uniforms, LEAN_VERTEX, LEAN_FRAGMENT);
    }

    makeGeometry(corners, n = this.balls.length) {
        const geometry = new BufferGeometry();
        const body = new Float32Array(n * corners), local = new Float32Array(4 * n * corners), corner = new Float32Array(2 * n * corners);
        for (let v = 0; v < n * corners; v++) {
            const ball = this.balls[Math.floor(v / corners)];
            body[v] = ball.body;
            local[4 * v] = ball.centre[0];
            local[4 * v + 1] = ball.centre[1];
            local[4 * v + 2] = ball.centre[2];
            local[4 * v + 3] = ball.radius;
            corner[2 * v] = v & 1;
            corner[2 * v + 1] = (v >> 1) & 1;
        }
        geometry.setAttribute("body", new BufferAttribute(body, 1));
        geometry.setAttribute("local", new BufferAttribute(local, 4));
        if (corners === 4) geometry.setAttribute("corner", new BufferAttribute(corner, 2));
        const index = new BufferAttribute(new Uint32Array(n * (corners === 4 ? 6 : 1)), 1);
        index.setUsage(DynamicDrawUsage);
        geometry.setIndex(index);
        return geometry;
    }

    // Made when the first sphere is too near or too large for a point.
    quads() {
        if (this.quadGeometry.index.count === 0) {
            this.quadGeometry.dispose();
            this.objects[1].geometry = this.quadGeometry = this.makeGeometry(4);
        }
        return this.quadGeometry.index.array;
    }

    // Which are points and which quads for this camera; height in pixels of what is drawn into.
    sort(poses, camera, height, quadsOnly = false) {
        const points = this.pointGeometry.index.array;
        const view = camera.matrixWorldInverse.elements, P = camera.projectionMatrix.elements;
        const at = [0, 0, 0];
        let pointCount = 0, quadCount = 0;
        for (let i = 0; i < this.balls.length; i++) {
            const { body, centre, radius } = this.balls[i];
            poses.toWorld(body, centre, at);
            const x = view[0] * at[0] + view[4] * at[1] + view[8] * at[2] + view[12];
            const y = view[1] * at[0] + view[5] * at[1] + view[9] * at[2] + view[13];
            const z = view[2] * at[0] + view[6] * at[1] + view[10] * at[2] + view[14];
            const w = P[15] > 0.5 ? 1 : -z;
            const pixels = (height * P[5] * radius) / w;
            const inside = Math.abs(P[0] * x + P[12]) < 0.98 * w && Math.abs(P[5] * y + P[13]) < 0.98 * w;
            if (inside && pixels < this.limit && !quadsOnly) {
                points[pointCount++] = i;
            } else {
                const v = 4 * i;
                this.quads().set([v, v + 1, v + 2, v + 2, v + 1, v + 3], 6 * quadCount++);
            }
        }
        this.pointGeometry.setDrawRange(0, pointCount);
        this.quadGeometry.setDrawRange(0, 6 * quadCount);
        this.objects[0].visible = pointCount > 0; // nothing to draw is no shader to compile
        this.objects[1].visible = quadCount > 0;
        this.pointGeometry.index.needsUpdate = this.quadGeometry.index.needsUpdate = true;
    }

    dispose() {
        this.pointGeometry.dispose();
        this.quadGeometry.dispose();
    }
}
