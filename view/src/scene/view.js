// The scene on its canvas: what is drawn from the state, and when. Nothing is drawn unless something changed.
import { LinearSRGBColorSpace, Matrix4, NoToneMapping, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";

import { shapePoint } from "../data/shapes.js";
import { Blobs } from "./blobs.js";
import { Camera } from "./camera.js";
import { drawChains } from "./chains.js";
import { fieldOf, highValue, niceAbove, paintBodies } from "./colouring.js";
import { Fine, KEY_DIRECTION } from "./fine.js";
import { Flat } from "./flat.js";
import { MeshBuilder } from "./mesh_build.js";
import { drawMarks } from "./marks.js";
import { THEMES } from "./palette.js";
import { normalForces, pairsOf } from "./pairs.js";
import { middleOf, pick } from "./pick.js";
import { Ground } from "./planes.js";
import { Poses } from "./poses.js";
import { Segments } from "./segments.js";
import { SoftMesh } from "./soft_mesh.js";
import { Solids } from "./solids.js";
import { Spheres } from "./spheres.js";
import { Sprites } from "./sprites.js";
import { containersOf, FADED, HIDDEN, Visibility } from "./visibility.js";
import { WarmUp } from "./warm_up.js";

const SLOW_FRAME = 40; // [ms] above which a machine is taken to draw in software
const TIMED = 3; // frames whose time is taken
const FINE_LIMIT = 30; // [ms] of a quick frame in software above which the fine picture is drawn on demand only
const FADE = 0.2; // opacity of faded bodies
const SETTLE = 160; // [ms] without change before the fine picture

export class View {
    // Fails where there is no WebGL 2, unless another renderer is given.
    constructor(canvas, renderer = makeRenderer(canvas)) {
        this.canvas = canvas;
        this.renderer = renderer;
        this.renderer.outputColorSpace = LinearSRGBColorSpace;
        this.renderer.toneMapping = NoToneMapping;
        this.renderer.autoClear = false;
        this.renderer.setClearColor(0, 0);
        this.uniforms = makeUniforms();
        this.fine = new Fine(this.renderer, this.uniforms);
        this.fine.shadowMap(16);
        this.warm = new WarmUp(this.renderer, this.uniforms);
        this.solid = new Scene();
        this.overlay = new Scene();
        this.parts = [];
        this.times = []; // of the first frames [ms]
        this.isLean = true;
        this.alwaysFine = false; // for pictures: whatever it costs
        this.stats = { bodies: 0, draws: 0, lastMs: 0, quality: "lean" };
        this.raycaster = new Raycaster();
        this.run = null;
    }

    // A run of this dimension is under way.
    expect(dim) {
        if (dim === 3) this.warm?.draw();
    }

    // Builds what does not change during a run.
    setRun(run) {
        this.clear();
        this.run = run;
        const { bodies, dim } = run;
        this.dim = dim;
        this.camera = new Camera(dim);
        this.poses = new Poses(bodies.count, dim);
        this.uniforms.uPose.value = this.poses.pose;
        this.uniforms.uTint.value = this.poses.tint;
        this.reference = run.hello.force?.ref ?? 0; // [N]
        this.referenceSettled = false;
        this.ranges = new Map();
        if (dim === 2) this.buildFlat();
        else this.buildSolid();
        this.soft = bodies.soft.elements ? this.buildSoft() : null;
        const flat = dim === 2;
        this.lines = {
            chains: new Segments(this.uniforms, { flat, order: 10 }),
            thin: new Segments(this.uniforms, { flat, order: 20, hidden: 0.25 }),
            paths: new Segments(this.uniforms, { flat, order: 16, hidden: 0.3 }),
            joints: new Segments(this.uniforms, { flat, order: 24, hidden: 0.6 }),
            crosses: new Segments(this.uniforms, { flat, order: 22, hidden: 0.7 }),
            ring: new Segments(this.uniforms, { flat: true, order: 40, halo: true }),
            walls: new Segments(this.uniforms, { flat, order: 4, hidden: 0.5 }),
        };
        this.points = new Sprites(this.uniforms, { flat });
        this.lost = new Sprites(this.uniforms, { flat: true });
        for (const part of [...Object.values(this.lines), this.points, this.lost]) {
            this.parts.push(part);
            this.overlay.add(...part.objects);
        }
        this.stats.bodies = bodies.count;
        this.visibility = new Visibility(bodies);
        this.uniforms.uPass.value = flat ? 2 : 0;
        this.shadowStale = true;
    }

    buildFlat() {
        const { bodies } = this.run;
        const flat = new Flat(this.uniforms);
        const extent = 40 * this.run.sphere.radius;
        const order = [...bodies.shapes.keys()].sort((a, b) => bodies.moves[a] - bodies.moves[b]); // what is fixed lies below
        for (const i of order) for (const shape of bodies.shapes[i]) flat.add(i, shape, extent);
        flat.finish();
        this.parts.push(flat);
        if (flat.objects.length) this.solid.add(...flat.objects);
    }

    buildSolid() {
        const { bodies } = this.run;
        const balls = [], mesh = new MeshBuilder();
        this.walls = [];
        bodies.shapes.forEach((list, i) => {
            for (const shape of list) {
                if (shape.kind === "sphere") balls.push({ body: i, centre: shapePoint(shape, 0, 0, 0), radius: shape.radius });
                else if (shape.kind === "plane") this.addPlane(i, shape);
                else if (mesh[shape.kind]) mesh[shape.kind](i, shape);
            }
        });
        if (balls.length) this.addPart((this.spheres = new Spheres(balls, this.uniforms, 256)));
        if (mesh.index.length) this.addPart(new Solids(mesh, this.uniforms));
    }

    buildSoft() {
        const part = new SoftMesh(this.run.bodies.soft, this.uniforms);
        this.addPart(part);
        return part;
    }

    addPart(part) {
        this.parts.push(part);
        this.solid.add(...part.objects);
    }

    addPlane(body, plane) {
        if (plane.normal[2] > 0.7) {
            this.addPart(new Ground(body, plane, this.uniforms));
            if (!this.blobs) this.addPart((this.blobs = new Blobs(this.run.bodies, body, plane, this.uniforms)));
        } else this.walls.push({ body, plane });
    }

    clear() {
        for (const part of this.parts) part.dispose();
        this.parts = [];
        this.solid.clear();
        this.overlay.clear();
        this.spheres = this.blobs = null;
        this.poses?.dispose();
    }

    // Where bodies are: frame a, on the way to b by a share.
    setPoses(a, b, share) {
        this.poses.set(a, b, share);
        this.moment = [a, b, share];
        this.placeSoft();
        this.shadowStale = true;
    }

    // Nodes of deformable bodies, magnified as the layer says.
    placeSoft() {
        const { layers } = this.options ?? {}, { soft } = this.run.bodies;
        if (!this.soft || !this.moment) return;
        const { on, power, from } = layers?.deformed ?? { on: false };
        soft.place(...this.moment, on ? 10 ** power : 1, on ? from : "start", this.poses);
        this.soft.move();
        this.softLook = on ? `${power} ${from}` : "";
    }
    // Colours of elements, and places when another magnification was chosen.
    paintSoft({ bodies, deformed }) {
        if (!this.soft) return;
        if (this.softLook !== (deformed.on ? `${deformed.power} ${deformed.from}` : "")) this.placeSoft();
        this.soft.paint(this.field, this.range, bodies.ramp, this.options.theme);
    }

    // Colours, chains and marks for a frame's numbers; options is the page's state.
    setLook(pair, options) {
        this.pair = pair;
        this.options = options;
        const look = THEMES[options.theme];
        const { layers } = options, { bodies } = this.run;
        this.look = look;
        const colouring = layers.bodies.colour;
        const field = fieldOf(colouring, pair, bodies);
        this.field = bodies.soft.field(colouring, pair.frame); // of elements
        this.range = field ? this.rangeOf(colouring, field, layers.bodies) : 0;
        this.hidden = (i) => !layers.bodies.on || this.isCut(i) || this.visibility.of(i) === HIDDEN;
        this.faded = (i) => this.visibility.of(i) === FADED;
        for (const part of this.parts) if (part.body !== undefined) part.show(this.visibility.of(part.body) !== HIDDEN);
        this.hasFaded = this.visibility.counts()[0] > 0;
        paintBodies(this.poses.tint.image.data, bodies, field, {
            colouring, ramp: layers.bodies.ramp, range: this.range, theme: options.theme, look, selected: options.selection,
            hidden: this.hidden, faded: this.faded, muted: layers.chains.on,
        });
        this.poses.tint.needsUpdate = true;
        this.paintSoft(layers);
        this.applyTheme(look, layers);
        this.redrawOverlay();
    }

    rangeOf(name, field, layer) {
        if (layer.range > 0) return layer.range;
        const high = niceAbove(highValue(this.field ?? field, this.field ? null : this.run.bodies));
        const range = Math.max(this.ranges.get(name) ?? 0, high);
        this.ranges.set(name, range);
        return range;
    }

    // Cut plane: whole bodies whose centre lies beyond are left out.
    isCut(i) {
        const { cut } = this.options.layers;
        if (!cut.on || cut.slice || !this.run.bodies.moves[i]) return false;
        const d = this.poses.pose.image.data;
        return cut.flip * (d[8 * i + cut.axis] - cut.offset) > 0;
    }

    applyTheme(look, layers) {
        const u = this.uniforms, opacity = layers.bodies.opacity;
        u.uKey.value = look.key;
        u.uSky.value = look.sky;
        u.uBounce.value = look.bounce;
        u.uShadowStrength.value = look.shadow;
        u.uGroundShadow.value = look.groundShadow;
        u.uGround.value = look.ground;
        u.uGridShift.value = look.gridShift;
        u.uHalo.value = look.halo;
        u.uRim.value = look.flatRim;
        u.uOpacity.value = opacity;
        u.uRimTone.value = look.rimTone;
        u.uBevel.value = Math.min(0.022, 0.04 * this.run.bodies.size * 2) * 2;
        u.uGrain.value = Math.max(1, this.run.bodies.size);
        const clear = opacity < 0.995;
        for (const object of this.solid.children) {
            if (object.renderOrder < 0 || this.dim === 2) continue;
            const { quick } = object.userData;
            quick.transparent = clear;
            quick.depthWrite = !clear;
        }
        this.setSlicing(layers.cut.on && layers.cut.slice);
        this.isPlain = !clear && !this.slicing;
    }

    // Shaders are compiled with the tests of a slice only while there is one.
    setSlicing(on) {
        if (this.slicing === on) return;
        this.slicing = on;
        this.shadowStale = true;
        for (const { userData } of this.solid.children) {
            for (const each of [userData.quick, userData.fine, userData.depth]) {
                if (!each) continue;
                if (on) each.defines.SLICE = 1;
                else delete each.defines.SLICE;
                each.needsUpdate = true;
            }
        }
    }

    // What depends on the camera or the selection as well: lines and marks.
    redrawOverlay() {
        const { run, poses, pair, options, look } = this;
        if (!pair) return;
        const { layers } = options, { bodies } = run;
        this.settleReference(pair.contacts);
        const granular = bodies.count > 200;
        const clear = layers.bodies.opacity < 0.995 || !layers.bodies.on;
        const pixel = this.camera.pixel(this.height || 800);
        const diameter = (2 * bodies.size) / pixel;
        const widest = this.dim === 2 ? Math.min(14, Math.max(3.5, 0.5 * diameter)) : granular ? 5 : 9;
        const context = {
            contacts: layers.chains.on ? pair.contacts : null, bodies, poses, reference: this.forceRange(), clipped: 0, largest: 0,
            widest: widest * layers.chains.width, hideBelow: layers.chains.hide, theme: options.theme,
            shown: (i) => !this.isCut(i) && this.visibility.of(i) !== HIDDEN,
        };
        const chains = this.lines.chains;
        chains.hasHalo = !clear && (!this.isLean || chains.count < 4000);
        chains.hiddenAlpha.value = clear ? 0 : granular ? 0.16 : 0.9;
        chains.base.uFade.value = this.dim === 3 && granular ? 0.78 : 0;
        drawChains(chains, context);
        this.clipping = { count: context.clipped, largest: context.largest };
        drawMarks(this, context, pixel, diameter);
    }

    // The force at which widths and colours end [N]: the user's, else the run's.
    forceRange() {
        return this.options.layers.chains.range > 0 ? this.options.layers.chains.range : this.reference;
    }

    // The run's reference is that of single contacts; chains show pairs of bodies, which may touch at several points. The
    // first frame with contacts says by how much more; without a reference from the server it gives that too.
    settleReference(contacts) {
        if (this.referenceSettled || !contacts?.n) return;
        const pairs = pairsOf(contacts);
        if (pairs.n === 0) return;
        const single = normalForces(contacts).filter((f) => f > 0).sort();
        const ofPairs = pairs.force[pairs.order[Math.floor(0.985 * (pairs.n - 1))]], ofSingle = single[Math.floor(0.985 * (single.length - 1))];
        this.reference = this.reference > 0 ? (this.reference * ofPairs) / ofSingle : ofPairs;
        this.referenceSettled = true;
    }

    resize(width, height, ratio) {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.ratio = this.isLean ? 1 : Math.min(ratio, 2);
        this.renderer.setPixelRatio(this.ratio);
        this.renderer.setSize(this.width, this.height, false);
        this.camera?.resize(this.width / this.height);
    }

    cameraUniforms(width, height, ratio) {
        const u = this.uniforms, camera = this.camera.current;
        const view = camera.matrixWorldInverse;
        u.uScreen.value = [width, height];
        u.uPixelRatio.value = ratio;
        u.uPixel.value = this.camera.pixel(height);
        u.uPerspective.value = this.camera.isPerspective ? 1 : 0;
        u.uKeyDir.value = KEY_DIRECTION.clone().transformDirection(view).toArray();
        u.uUp.value = new Vector3(0, 0, 1).transformDirection(view).toArray();
        const { sphere } = this.run;
        const middle = sphere.centre.clone();
        u.uMiddle.value = middle.toArray();
        u.uMiddleView.value = middle.applyMatrix4(view).toArray();
        u.uExtent.value = 4 * sphere.radius;
        u.uCell.value = niceAbove(sphere.radius / 5);
        u.uNear.value = -u.uMiddleView.value[2] - sphere.radius;
        u.uFar.value = -u.uMiddleView.value[2] + sphere.radius;
        const { cut } = this.options.layers;
        u.uCut.value = this.cutPlane(cut, view);
        this.fine.lightCamera.updateMatrixWorld();
        u.uCutLight.value = this.cutPlane(cut, this.fine.lightCamera.matrixWorldInverse);
    }

    cutPlane(cut, view) {
        if (!cut.on || !cut.slice) return [0, 0, 0, -1];
        const normal = new Vector3().setComponent(cut.axis, cut.flip);
        const at = new Vector3().setComponent(cut.axis, cut.offset).applyMatrix4(view);
        normal.transformDirection(view);
        return [normal.x, normal.y, normal.z, -normal.dot(at)];
    }

    // One picture. moving: something changes, a quick one is enough.
    draw(moving) {
        if (!this.run || !this.pair) return;
        const start = performance.now();
        const { renderer } = this;
        const width = this.width * this.ratio, height = this.height * this.ratio;
        const fine = this.dim === 3 && (!moving || !this.isLean) && this.isOpaque();
        this.uniforms.uShadowTaps.value = moving ? 4 : this.isLean ? 6 : 10;
        this.cameraUniforms(width, height, this.ratio);
        renderer.setRenderTarget(null);
        renderer.clear();
        const camera = this.camera.current;
        this.blobs?.use(!fine && this.isOpaque());
        if (fine) this.drawFine(camera, width, height, moving);
        else {
            this.spheres?.sort(this.poses, camera, height);
            this.useMaterials(this.isPlain ? "plain" : "quick");
            renderer.render(this.solid, camera);
        }
        if (this.hasFaded && this.dim === 3) this.drawFaded(camera, height);
        renderer.render(this.overlay, camera);
        this.finish(start, fine);
    }

    // Faded bodies over the others, which they do not hide.
    drawFaded(camera, height) {
        const u = this.uniforms, opacity = u.uOpacity.value, kept = [];
        u.uPass.value = 1;
        u.uOpacity.value = Math.min(opacity, FADE);
        this.spheres?.sort(this.poses, camera, height);
        for (const object of this.solid.children) {
            const { quick } = object.userData;
            kept.push([object, object.visible, quick.transparent, quick.depthWrite]);
            object.visible &&= object.renderOrder >= 0;
            Object.assign(quick, { transparent: true, depthWrite: false });
            object.material = quick;
        }
        this.renderer.render(this.solid, camera);
        for (const [object, visible, transparent, depthWrite] of kept) {
            object.visible = visible;
            Object.assign(object.userData.quick, { transparent, depthWrite });
        }
        u.uPass.value = 0;
        u.uOpacity.value = opacity;
    }

    useMaterials(name) {
        for (const object of this.solid.children) object.material = object.userData[name] ?? object.userData.quick ?? object.material;
    }

    drawFine(camera, width, height, moving) {
        const scale = moving ? 1 : this.isLean && !this.alwaysFine ? 1.5 : 2;
        if (this.shadowStale) {
            const { sphere } = this.run;
            this.fine.drawShadow(this.solid, { centre: sphere.centre, radius: 1.25 * sphere.radius }, KEY_DIRECTION, moving || this.isLean ? 1024 : 2048,
                (light, size) => this.spheres?.sort(this.poses, light, size, true));
            this.shadowStale = moving; // a coarse one is made again when all is still
        }
        this.useMaterials("fine");
        this.cameraUniforms(width * scale, height * scale, this.ratio * scale);
        this.spheres?.sort(this.poses, camera, height * scale);
        this.fine.drawComposed(this.solid, camera, width, height, scale, 0.8 * 2 * this.run.bodies.size, moving ? 6 : this.alwaysFine ? 22 : this.isLean ? 10 : 16);
        this.cameraUniforms(width, height, this.ratio);
    }

    finish(start, fine) {
        const wait = this.stats.draws > 0 && !this.isTimed; // the first one compiles, and is not held up
        if (wait) this.await();
        const spent = performance.now() - start;
        this.stats.draws++;
        this.warm?.dispose();
        this.warm = null;
        this.stats.lastMs = spent;
        this.stats.quality = fine ? "fine" : this.isLean ? "lean" : "full";
        if (wait && !fine) {
            this.times.push(spent);
            if (this.isTimed) this.isLean = this.cost > SLOW_FRAME || this.isSoftware();
        }
    }

    // Returns when all that was asked for is drawn; a pixel that is read back makes sure.
    await() {
        const gl = this.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    // One is enough where it took so long that no fine picture will follow.
    get isTimed() {
        return this.times.length === TIMED || (this.times.length > 0 && this.cost > 2 * FINE_LIMIT && this.isSoftware());
    }
    // Of a quick picture [ms].
    get cost() {
        return Math.min(...this.times);
    }
    // Whether the fine picture may follow by itself: it costs a multiple, and must not hold up the page.
    mayRefine() {
        while (!this.isTimed) this.draw(true);
        return this.isOpaque() && (this.alwaysFine || !this.isLean || this.cost < FINE_LIMIT);
    }
    // Bodies that can be seen through are never drawn fine.
    isOpaque() {
        return this.options.layers.bodies.opacity > 0.995;
    }

    // Small scenes are quick even in software; shadows and corners would not be.
    isSoftware() {
        if (this.rendererName === undefined) {
            const gl = this.renderer.getContext();
            const info = gl.getExtension("WEBGL_debug_renderer_info");
            this.rendererName = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
        }
        return /swiftshader|llvmpipe|software/i.test(this.rendererName);
    }

    // A ray through a place of the canvas, in shares from its middle (-1..1, y up).
    ray(x, y) {
        this.raycaster.setFromCamera(new Vector2(x, y), this.camera.current);
        const { origin, direction } = this.raycaster.ray;
        return { origin: origin.toArray(), direction: direction.toArray() };
    }
    // Faded bodies are found where nothing else is: a click reaches what they hold.
    pick(x, y) {
        const { bodies } = this.run, ray = this.ray(x, y);
        return pick(bodies, this.poses, ray, (i) => this.hidden(i) || this.faded(i)) ?? pick(bodies, this.poses, ray, this.hidden);
    }
    // Bodies that hide others from where the camera is.
    containers() {
        return containersOf(this.run.bodies, this.poses, (point) => this.ray(...new Vector3(...point).project(this.camera.current).toArray().slice(0, 2)));
    }
    middle(i) {
        return middleOf(this.run.bodies, this.poses, i);
    }
    // Pixels from the canvas's top left.
    project(point) {
        const v = new Vector3(...point).project(this.camera.current);
        return [(v.x * 0.5 + 0.5) * this.width, (0.5 - v.y * 0.5) * this.height];
    }
}

export { SETTLE };

function makeRenderer(canvas) {
    const context = canvas.getContext("webgl2", { alpha: true, depth: true, stencil: false, antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: false });
    if (!context) throw new Error("the browser gives no context");
    return new WebGLRenderer({ canvas, context });
}

function makeUniforms() {
    const list = {
        uPose: null, uTint: null, uShadowMap: null, uShadowTexel: 1, uShadowOffset: 0, uShadowStrength: 0, uShadowTaps: 10, uPerspective: 1,
        uKeyDir: [0, 0, 1], uKey: [1, 1, 1], uSky: [1, 1, 1], uBounce: [1, 1, 1], uUp: [0, 0, 1], uScreen: [1, 1], uPixelRatio: 1, uPixel: 1,
        uOpacity: 1, uBevel: 0.02, uGrain: 1, uCut: [0, 0, 0, -1], uCutLight: [0, 0, 0, -1], uHalo: [0, 0, 0], uRim: 0.62, uRimTone: [0, 0, 0], uPass: 0, uNear: 0, uFar: 1,
        uGround: [0, 0, 0], uGridShift: 0, uGroundShadow: 0.58, uExtent: 1, uMiddle: [0, 0, 0], uMiddleView: [0, 0, 0], uCell: 1,
    };
    const uniforms = Object.fromEntries(Object.entries(list).map(([name, value]) => [name, { value }]));
    uniforms.uShadowMatrix = { value: new Matrix4() };
    return uniforms;
}
