// The camera: orbit, pan, zoom to the cursor in space; pan and zoom in the plane. z is up (in the plane, y).
import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";

const FIELD = 32; // [degrees] vertical
const MARGIN = 1.08;
const DIRECTIONS = {
    iso: [-0.5, -1, 0.32],
    front: [0, -1, 0],
    side: [-1, 0, 0],
    top: [0, -1e-4, 1],
};

export class Camera {
    constructor(dim) {
        this.dim = dim;
        this.perspective = new PerspectiveCamera(FIELD, 1, 0.01, 100);
        this.parallel = new OrthographicCamera(-1, 1, 1, -1, -100, 100);
        this.isPerspective = dim === 3;
        this.target = new Vector3();
        this.azimuth = 0; // of the eye around the target
        this.elevation = 0.3;
        this.distance = 5; // in the plane: half the height that is seen
        this.aspect = 1;
        this.insets = { left: 0, right: 0, top: 0, bottom: 0 }; // shares of the canvas that panels cover
        this.sphere = { centre: new Vector3(), radius: 1 };
        this.preset = "iso";
        this.isMoved = false; // by the user, since it was last fitted
        this.lowest = null; // height of the ground
    }

    get current() {
        return this.isPerspective ? this.perspective : this.parallel;
    }

    look(name) {
        const [x, y, z] = DIRECTIONS[name];
        this.azimuth = Math.atan2(y, x);
        this.elevation = Math.atan2(z, Math.hypot(x, y));
        this.preset = name;
        this.isMoved = false;
    }

    direction() {
        const c = Math.cos(this.elevation);
        return new Vector3(c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation));
    }

    // Shows a sphere (in the plane: a box {low, high}) as large as the uncovered part of the canvas allows.
    fit(sphere, box = null) {
        const { left, right, top, bottom } = this.insets;
        const w = Math.max(0.2, 1 - left - right), h = Math.max(0.2, 1 - top - bottom);
        const half = Math.tan((FIELD * Math.PI) / 360);
        if (this.dim === 2 && box) {
            const [sx, sy] = [(box.high[0] - box.low[0]) / 2, (box.high[1] - box.low[1]) / 2];
            this.distance = MARGIN * Math.max(sy / h, sx / (w * this.aspect)) || 1;
            this.target.set((box.low[0] + box.high[0]) / 2, (box.low[1] + box.high[1]) / 2, 0);
        } else {
            const need = Math.max(1 / h, 1 / (w * this.aspect));
            this.distance = (MARGIN * sphere.radius * need) / half + 0.35 * sphere.radius;
            this.target.copy(sphere.centre);
            if (box) this.fitCorners(box, w, h);
        }
        this.update();
        const shift = this.pixelVectors();
        this.target.addScaledVector(shift.right, (right - left) / 2).addScaledVector(shift.up, (top - bottom) / 2);
        this.update();
    }

    // Closes in on the picture of a box: a few rounds of centring and scaling, since perspective changes as it moves.
    fitCorners(box, w, h) {
        for (let round = 0; round < 6; round++) {
            this.update();
            const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
            for (let k = 0; k < 8; k++) {
                const v = new Vector3(...[0, 1, 2].map((d) => ((k >> d) & 1 ? box.high[d] : box.low[d]))).project(this.current);
                [v.x, v.y].forEach((x, d) => {
                    low[d] = Math.min(low[d], x);
                    high[d] = Math.max(high[d], x);
                });
            }
            const { right, up } = this.pixelVectors();
            this.target.addScaledVector(right, (low[0] + high[0]) / 4).addScaledVector(up, (low[1] + high[1]) / 4);
            this.distance *= 1.04 * Math.max((high[0] - low[0]) / 2 / w, (high[1] - low[1]) / 2 / h);
        }
    }

    // The world vectors of one canvas width and height at the target.
    pixelVectors() {
        const height = this.dim === 2 ? 2 * this.distance : 2 * this.distance * Math.tan((FIELD * Math.PI) / 360);
        const camera = this.current;
        const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0).multiplyScalar(height * this.aspect);
        const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1).multiplyScalar(height);
        return { right, up };
    }

    resize(aspect) {
        this.aspect = aspect;
        this.update();
    }

    update() {
        const camera = this.current;
        if (this.dim === 2) {
            camera.position.set(this.target.x, this.target.y, 10);
            camera.up.set(0, 1, 0);
            camera.lookAt(this.target.x, this.target.y, 0);
        } else {
            const limit = Math.PI / 2 - 1e-3;
            this.elevation = Math.min(limit, Math.max(-limit, this.elevation));
            const eye = this.direction().multiplyScalar(this.distance).add(this.target);
            if (this.lowest !== null && eye.z < this.lowest + 0.02 * this.distance && this.target.z > this.lowest) {
                this.elevation = Math.asin(Math.min(1, (this.lowest + 0.02 * this.distance - this.target.z) / this.distance));
                eye.copy(this.direction()).multiplyScalar(this.distance).add(this.target);
            }
            camera.up.set(0, 0, 1);
            camera.position.copy(eye);
            camera.lookAt(this.target);
        }
        const height = this.dim === 2 ? this.distance : this.distance * Math.tan((FIELD * Math.PI) / 360);
        const toScene = camera.position.distanceTo(this.sphere.centre), r = 4.2 * this.sphere.radius;
        if (this.isPerspective) {
            camera.aspect = this.aspect;
            camera.near = Math.max(toScene - r, 0.04 * this.distance, 1e-3 * this.sphere.radius);
            camera.far = toScene + r;
        } else {
            Object.assign(camera, { left: -height * this.aspect, right: height * this.aspect, top: height, bottom: -height });
            camera.near = this.dim === 2 ? 0 : toScene - r;
            camera.far = this.dim === 2 ? 20 : toScene + r;
        }
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
    }

    orbit(dx, dy) {
        if (this.dim === 2) return this.pan(dx, dy);
        this.azimuth -= 4 * dx;
        this.elevation += 4 * dy;
        this.preset = null;
        this.isMoved = true;
        this.update();
    }

    // By shares of the canvas.
    pan(dx, dy) {
        const { right, up } = this.pixelVectors();
        this.target.addScaledVector(right, -dx).addScaledVector(up, dy);
        this.preset = this.dim === 2 ? this.preset : null;
        this.isMoved = true;
        this.update();
    }

    // Keeps the place under the cursor (shares of the canvas from its middle, y up) where it is.
    zoom(factor, x = 0, y = 0) {
        const { right, up } = this.pixelVectors();
        this.distance *= factor;
        this.isMoved = true;
        this.target.addScaledVector(right, x * (1 - factor)).addScaledVector(up, y * (1 - factor));
        this.update();
    }

    toggleProjection() {
        if (this.dim === 2) return;
        this.isPerspective = !this.isPerspective;
        this.update();
    }

    // Metres of a pixel at the target.
    pixel(height) {
        return this.pixelVectors().up.length() / height;
    }
}
