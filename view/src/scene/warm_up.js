// Shaders take a tenth of a second to compile where the processor draws. This is done while the data is under way: what a
// scene of space always has is compiled when the page starts, and drawn once into a small texture, hidden, when a run of space
// is announced, which makes the driver finish. The programs are kept as long as these objects are.
import { OrthographicCamera, Scene, WebGLRenderTarget } from "three";

import { Ground } from "./planes.js";
import { Poses } from "./poses.js";
import { Segments } from "./segments.js";
import { Spheres } from "./spheres.js";

export class WarmUp {
    constructor(renderer, uniforms) {
        const scene = new Scene(), camera = new OrthographicCamera();
        Object.assign(this, { renderer, uniforms, scene, camera });
        const lines = new Segments(uniforms, { hidden: 0.5 });
        const spheres = new Spheres([{ body: 0, centre: [0, 0, 0], radius: 1 }], uniforms, 256);
        this.poses = new Poses(1, 3); // of no colour: not shown
        this.target = new WebGLRenderTarget(4, 4, { stencilBuffer: true });
        this.parts = [spheres, new Ground(0, { normal: [0, 0, 1], offset: 0 }, uniforms), lines];
        lines.add(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        lines.end();
        spheres.sort(this.poses, camera, 4);
        for (const part of this.parts) scene.add(...part.objects);
        for (const object of scene.children) object.material = object.userData.plain ?? object.material;
        renderer.compile(scene, camera);
    }

    draw() {
        const { renderer, uniforms, scene, camera } = this;
        uniforms.uPose.value = this.poses.pose;
        uniforms.uTint.value = this.poses.tint;
        renderer.setRenderTarget(this.target);
        renderer.render(scene, camera);
        renderer.setRenderTarget(null);
    }

    dispose() {
        for (const part of [...this.parts, this.poses, this.target]) part.dispose();
    }
}
