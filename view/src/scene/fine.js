// The fine picture: shadows, then ambient occlusion from depth, at a multiple of the screen's resolution. Drawn when nothing
// moves, and while moving only where a frame is quick.
import {
    BufferAttribute, BufferGeometry, DepthTexture, FloatType, LessEqualCompare, LinearFilter, Matrix4, Mesh, OrthographicCamera, RGBAFormat,
    Scene, UnsignedIntType, Vector3, WebGLRenderTarget,
} from "three";

import { material } from "./material.js";

const COMPOSE_VERTEX = `
in vec2 corner;
void main() {
    gl_Position = vec4(corner, 0.0, 1.0);
}`;

// Depth is read back as a place in view space; the normal is that of the flatter neighbours. Taps on a spiral
// count by how far they stand out over the tangent plane.
const COMPOSE_FRAGMENT = `
uniform sampler2D uColour;
uniform highp sampler2D uDepth;
uniform mat4 uProject;
uniform vec2 uInverse; // of the projection's scales
uniform vec2 uSize;      // of the source, in texels
uniform float uRadius, uFloor, uScale, uTaps;
out vec4 colour;
vec3 placeAt(vec2 uv) {
    uv = (floor(uv * uSize) + 0.5) / uSize; // of the texel that is read
    vec3 d = 2.0 * vec3(uv, texture(uDepth, uv).r) - 1.0;
    bool perspective = uProject[3][3] < 0.5;
    float z = perspective ? -uProject[3][2] / (d.z + uProject[2][2]) : (d.z - uProject[3][2]) / uProject[2][2];
    return vec3(d.xy * uInverse * (perspective ? -z : 1.0), z);
}
float openness(vec2 uv, float depth) {
    if (depth >= 1.0) return 1.0;
    vec2 e = 2.0 / uSize; // two texels: over one, depth's own steps would show
    vec3 p = placeAt(uv);
    vec3 r = placeAt(uv + vec2(e.x, 0.0)) - p, l = p - placeAt(uv - vec2(e.x, 0.0));
    vec3 u = placeAt(uv + vec2(0.0, e.y)) - p, d = p - placeAt(uv - vec2(0.0, e.y));
    vec3 n = normalize(cross(abs(r.z) < abs(l.z) ? r : l, abs(u.z) < abs(d.z) ? u : d));
    vec4 c = uProject * vec4(uRadius, 0.0, p.z, 1.0);
    float reach = min(0.25, 0.5 * abs(c.x / c.w));
    float sum = 0.0;
    for (float k = 0.5; k < 24.0; k += 1.0) {
        if (k > uTaps) break;
        float t = k * 2.39996, far = sqrt(k / uTaps) * reach;
        vec2 at = uv + far * vec2(cos(t), sin(t) * uSize.x / uSize.y);
        vec3 v = placeAt(at) - p;
        float q = dot(v, v);
        float near = max(0.0, 1.0 - q / (uRadius * uRadius));
        sum += near * near * max(0.0, dot(v, n) * inversesqrt(q + 1e-20) - 0.13);
    }
    return max(uFloor, 1.0 - 2.2 * sum / uTaps);
}
void main() {
    vec2 uv = gl_FragCoord.xy * uScale / uSize;
    float depth = texture(uDepth, uv).r;
    vec4 c = texture(uColour, uv);
    float open = uTaps > 0.0 ? openness(uv, depth) : 1.0;
    colour = vec4(c.rgb * open, c.a);
    gl_FragDepth = depth;
}`;

export class Fine {
    constructor(renderer, uniforms) {
        this.renderer = renderer;
        this.uniforms = uniforms;
        this.lightCamera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
        this.shadow = null;
        this.target = null;
        const geometry = new BufferGeometry();
        geometry.setAttribute("corner", new BufferAttribute(Float32Array.of(-1, -1, 3, -1, -1, 3), 2));
        geometry.setIndex([0, 1, 2]);
        this.own = {
            uColour: { value: null }, uDepth: { value: null }, uInverse: { value: [1, 1] }, uProject: { value: new Matrix4() },
            uSize: { value: [1, 1] }, uRadius: { value: 1 }, uFloor: { value: 0.3 }, uScale: { value: 1 }, uTaps: { value: 12 },
        };
        const mesh = new Mesh(geometry, material({}, COMPOSE_VERTEX, COMPOSE_FRAGMENT, { own: this.own, depthTest: true, transparent: true }));
        mesh.frustumCulled = false;
        this.screen = new Scene();
        this.screen.add(mesh);
    }

    // An empty map for pictures without shadows: a shadow sampler must have a depth texture bound.
    shadowMap(size) {
        if (this.shadow?.width !== size) {
            this.shadow?.dispose();
            const depth = new DepthTexture(size, size, UnsignedIntType);
            depth.compareFunction = LessEqualCompare;
            depth.minFilter = depth.magFilter = LinearFilter;
            this.shadow = new WebGLRenderTarget(size, size, { depthTexture: depth, depthBuffer: true });
            this.renderer.setRenderTarget(this.shadow); // a texture that was never drawn into is not bound as depth
            this.renderer.clear();
            this.renderer.setRenderTarget(null);
            this.uniforms.uShadowMap.value = depth;
        }
        return this.shadow;
    }

    // Draws the bodies as the light sees them; sphere: {centre: Vector3, radius} around what casts and receives.
    drawShadow(scene, sphere, direction, size, sort) {
        const { renderer, uniforms, lightCamera: camera } = this;
        const target = this.shadowMap(size), r = sphere.radius;
        camera.left = camera.bottom = -r;
        camera.right = camera.top = r;
        camera.near = 0;
        camera.far = 4 * r;
        camera.up.set(0, 0, 1);
        camera.position.copy(sphere.centre).addScaledVector(direction, 2 * r);
        camera.lookAt(sphere.centre);
        camera.updateMatrixWorld();
        camera.updateProjectionMatrix();
        sort(camera, size);
        const screen = uniforms.uScreen.value, cut = uniforms.uCut.value;
        uniforms.uScreen.value = [size, size];
        uniforms.uCut.value = uniforms.uCutLight.value;
        const kept = [];
        scene.traverse((object) => {
            if (!object.isMesh && !object.isPoints) return;
            kept.push([object, object.material, object.visible]);
            if (object.userData.depth) object.material = object.userData.depth;
            else object.visible = false;
        });
        uniforms.uShadowMap.value = null;
        renderer.setRenderTarget(target);
        renderer.clear();
        renderer.render(scene, camera);
        renderer.setRenderTarget(null);
        for (const [object, own, visible] of kept) {
            object.material = own;
            object.visible = visible;
        }
        uniforms.uShadowMap.value = target.depthTexture;
        uniforms.uScreen.value = screen;
        uniforms.uCut.value = cut;
        uniforms.uShadowTexel.value = 1 / size;
        uniforms.uShadowOffset.value = (5.5 * 2 * r) / size;
        this.toLight = new Matrix4().set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1)
            .multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
    }

    // The scene's first layer at scale times the resolution, darkened in its corners, onto the canvas with its depth.
    drawComposed(scene, camera, width, height, scale, radius, taps) {
        const { renderer, own } = this;
        const w = Math.round(width * scale), h = Math.round(height * scale);
        if (this.target?.width !== w || this.target?.height !== h) {
            this.target?.dispose();
            this.target = new WebGLRenderTarget(w, h, { format: RGBAFormat, depthTexture: new DepthTexture(w, h, FloatType) });
            this.target.texture.minFilter = this.target.texture.magFilter = LinearFilter;
        }
        this.uniforms.uShadowMatrix.value.multiplyMatrices(this.toLight, camera.matrixWorld);
        renderer.setRenderTarget(this.target);
        renderer.clear();
        renderer.render(scene, camera);
        renderer.setRenderTarget(null);
        own.uColour.value = this.target.texture;
        own.uDepth.value = this.target.depthTexture;
        own.uProject.value.copy(camera.projectionMatrix);
        own.uInverse.value = [1 / camera.projectionMatrix.elements[0], 1 / camera.projectionMatrix.elements[5]];
        own.uSize.value = [w, h];
        own.uScale.value = scale;
        own.uRadius.value = radius;
        own.uTaps.value = taps;
        renderer.render(this.screen, camera);
    }
}

export const KEY_DIRECTION = new Vector3(-0.45, -0.62, 0.82).normalize();
