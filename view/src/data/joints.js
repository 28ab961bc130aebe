// Joints of a frame: coordinate, motor and force of each, as the run recorded them; without that the angle of hinges from the poses.
const TURNS = new Set(["hinge", "torsion", "screw", "gear"]);

// Rows of {name, kind, bodies, turns, value, rate, effort, force}: value [rad] or [m], effort of the motor [N m] or [N], force: size of
// what the joint holds [N]; null: not known.
export function jointStates(run, { frame }) {
    const { joints } = frame;
    return run.bodies.joints.map((joint, k) => {
        const turns = TURNS.has(joint.kind), at = (array) => (joints && k < joints.n ? array[k] : null);
        const force = joints && k < joints.n ? Math.hypot(...joints.force.subarray(joints.dim * k, joints.dim * (k + 1))) : null;
        return { name: joint.name || `${joint.kind} ${k + 1}`, kind: joint.kind, bodies: joint.bodies, turns,
            value: joints ? at(joints.value) : angleOf(joint, frame), rate: at(joints?.rate), effort: at(joints?.effort), force };
    });
}

// Of a hinge in the plane: how far the second body is turned against the first.
function angleOf(joint, { dim, orientation }) {
    if (dim !== 2 || joint.kind !== "hinge" || !orientation) return null;
    const [first, second] = joint.bodies.map((b) => (b < 0 ? 0 : orientation[b]));
    return second - first;
}
