// Deformable bodies as they are bent: elements in the plane, faces of the surface in space. Nodes move in every frame, so places are
// uploaded each time; colours are those of the bodies, or of a field an element each.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh } from "three";

import { ramp } from "./palette.js";
import { POSE } from "./glsl.js";
import { attachMaterials, material } from "./material.js";
import { SHADE } from "./flat.js";
import { DEPTH_FRAGMENT, FRAGMENT } from "./solids.js";

const TINTED = `
vec4 shadedTint(int i, vec4 shade) {
    vec4 tint = tintOf(i);
    return shade.a > 0.5 ? vec4(shade.rgb, tint.a) : tint;
}
`;

const FLAT_VERTEX = POSE + TINTED + `
in float body;
in vec3 place;
in vec4 edge; // distance to the edge of its element, height of that
in vec4 shade;
out float vEdge;
flat out float vHeight;
flat out vec4 vTint;
void main() {
    vTint = shadedTint(int(body), shade);
    vEdge = edge.x;
    vHeight = edge.y;
    gl_Position = isDrawn(vTint) ? projectionMatrix * viewMatrix * vec4(place.xy, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

// Edges of elements that are small on the screen would hide their colours.
const FLAT_FRAGMENT = SHADE + `
in float vEdge;
flat in float vHeight;
flat in vec4 vTint;
out vec4 colour;
void main() {
    float rim = clamp(1.3 - vEdge / uPixel, 0.0, 1.0) * clamp(vHeight / uPixel / 5.0 - 0.4, 0.0, 0.8);
    colour = shaded(vTint, rim, opacityOf(vTint));
}`;

const SOLID_VERTEX = POSE + TINTED + `
in float body;
in vec3 place, normal;
in vec4 edge, shade;
out vec3 vNormal, vOut, vPlace, vLocal;
out float vEdge;
flat out vec4 vTint;
void main() {
    vTint = shadedTint(int(body), shade);
    vPlace = (viewMatrix * vec4(place, 1.0)).xyz;
    vNormal = mat3(viewMatrix) * normal;
    vOut = vec3(0.0);
    vEdge = edge.x;
    vLocal = vec3(7.3 * body);
    gl_Position = isDrawn(vTint) ? projectionMatrix * vec4(vPlace, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

export class SoftMesh {
    constructor(soft, uniforms) {
        this.soft = soft;
        const corners = soft.pieces.reduce((sum, { loop }) => sum + 3 * loop.length, 0);
        const geometry = (this.geometry = new BufferGeometry()), body = new Float32Array(corners);
        this.attributes = {};
        for (const [name, size, Kind] of [["place", 3, Float32Array], ["normal", 3, Float32Array], ["edge", 4, Float32Array], ["shade", 4, Uint8Array]]) {
            if (name === "normal" && soft.dim === 2) continue;
            const attribute = new BufferAttribute(new Kind(size * corners), size, Kind === Uint8Array);
            attribute.setUsage(DynamicDrawUsage);
            geometry.setAttribute(name, (this.attributes[name] = attribute));
        }
        let at = 0;
        for (const piece of soft.pieces) for (let k = 0; k < 3 * piece.loop.length; k++) body[at++] = piece.body;
        geometry.setAttribute("body", new BufferAttribute(body, 1));
        geometry.setIndex(new BufferAttribute(Uint32Array.from(body, (_, k) => k), 1));
        const mesh = new Mesh(geometry);
        if (soft.dim === 3) attachMaterials(mesh, uniforms, SOLID_VERTEX, FRAGMENT, DEPTH_FRAGMENT);
        else {
            mesh.material = material(uniforms, FLAT_VERTEX, FLAT_FRAGMENT, { transparent: true, depthTest: false, depthWrite: false });
            mesh.renderOrder = 1;
            mesh.frustumCulled = false;
        }
        this.objects = [mesh];
    }

    // Takes the places of nodes over: a fan of triangles round the middle of each piece.
    move() {
        const { soft } = this, { x } = soft, place = this.attributes.place.array, edge = this.attributes.edge.array, normal = this.attributes.normal?.array;
        const middle = [0, 0, 0], n = [0, 0, 0];
        let v = 0;
        for (const { loop } of soft.pieces) {
            middle.fill(0);
            n.fill(0);
            for (const i of loop) for (let d = 0; d < 3; d++) middle[d] += x[3 * i + d] / loop.length;
            for (let k = 0; normal && k < loop.length; k++) addArea(x, loop[k], loop[(k + 1) % loop.length], middle, n);
            const size = Math.hypot(...n) || 1;
            for (let k = 0; k < loop.length; k++) {
                const a = 3 * loop[k], b = 3 * loop[(k + 1) % loop.length], height = heightOf(x, a, b, middle);
                for (let c = 0; c < 3; c++, v++) {
                    for (let d = 0; d < 3; d++) place[3 * v + d] = c === 0 ? middle[d] : x[(c === 1 ? a : b) + d];
                    edge[4 * v] = c === 0 ? height : 0;
                    edge[4 * v + 1] = height;
                    for (let d = 0; normal && d < 3; d++) normal[3 * v + d] = n[d] / size;
                }
            }
        }
        for (const name of ["place", "edge", "normal"]) if (this.attributes[name]) this.attributes[name].needsUpdate = true;
    }

    // field: a value an element, or null for the colours of the bodies.
    paint(field, range, map, theme) {
        const { array } = this.attributes.shade, colour = [0, 0, 0];
        let v = 0;
        for (const { loop, element } of this.soft.pieces) {
            if (field) ramp(map, theme, range > 0 ? field[element] / range : 0, colour);
            for (let k = 0; k < 3 * loop.length; k++, v++) {
                for (let d = 0; d < 3; d++) array[4 * v + d] = 255 * colour[d];
                array[4 * v + 3] = field ? 255 : 0;
            }
        }
        this.attributes.shade.needsUpdate = true;
    }

    dispose() {
        this.geometry.dispose();
    }
}

function addArea(x, a, b, middle, n) {
    const u = [0, 1, 2].map((d) => x[3 * a + d] - middle[d]), w = [0, 1, 2].map((d) => x[3 * b + d] - middle[d]);
    n[0] += u[1] * w[2] - u[2] * w[1];
    n[1] += u[2] * w[0] - u[0] * w[2];
    n[2] += u[0] * w[1] - u[1] * w[0];
}

// Of the middle over an edge.
function heightOf(x, a, b, middle) {
    const u = [0, 1, 2].map((d) => x[b + d] - x[a + d]), w = middle.map((m, d) => m - x[a + d]);
    const length = Math.hypot(...u) || 1, along = (u[0] * w[0] + u[1] * w[1] + u[2] * w[2]) / length;
    return Math.sqrt(Math.max(0, w[0] * w[0] + w[1] * w[1] + w[2] * w[2] - along * along));
}
