// The messages of docs/reference/viewer-protocol.md, written: the counterpart of view/src/data/protocol.js for made-up runs.
const HEADER = 32;

export function message(type, { flags = 0, id = 0, step = 0, t = 0, n = 0 }, arrays) {
    const parts = arrays.map((a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength));
    const bytes = parts.reduce((sum, p) => sum + ((p.length + 3) & ~3), 0);
    const out = new Uint8Array(HEADER + bytes), view = new DataView(out.buffer);
    view.setUint32(0, 0x314e5243, true);
    view.setUint16(4, type, true);
    view.setUint16(6, flags, true);
    view.setUint32(8, id, true);
    view.setUint32(12, step, true);
    view.setFloat64(16, t, true);
    view.setUint32(24, n, true);
    view.setUint32(28, bytes, true);
    let at = HEADER;
    for (const p of parts) {
        out.set(p, at);
        at += (p.length + 3) & ~3;
    }
    return out;
}

const flat = (run) => (run.dim === 2 ? 1 : 0);

// frame: {step, t, position, velocity?, spin?, orientation?} with plain arrays
export function frameMessage(run, frame, id = 0) {
    const n = run.bodies.length, spins = run.dim === 3 ? 3 : 1;
    const turn = run.dim === 3
        ? Int16Array.from(frame.orientation ?? Array.from({ length: 4 * n }, (_, i) => (i % 4 ? 0 : 1)), (x) => Math.round(32767 * x))
        : Float32Array.from(frame.orientation ?? new Array(n).fill(0));
    const { joints } = frame, all = (key) => Float32Array.from(joints.flatMap((j) => j[key])); // rows of {value, rate, effort, force}
    return message(1, { flags: flat(run) | (joints ? 32 : 0) | (frame.nodes ? 64 : 0), id, step: frame.step, t: frame.t, n }, [
        Float32Array.from(frame.position), turn, Float32Array.from(frame.velocity ?? new Array(run.dim * n).fill(0)),
        Float32Array.from(frame.spin ?? new Array(spins * n).fill(0)),
        ...(joints ? [Uint32Array.of(joints.length), all("value"), all("rate"), all("effort"), all("force")] : []),
        ...(frame.nodes ? [Uint32Array.of(frame.nodes.length / run.dim, frame.stress.length / 6), Float32Array.from(frame.nodes), Float32Array.from(frame.stress)] : []),
    ]);
}

// contacts: rows of {a, b, point, normal, force, gap?, friction?, status?}
export function contactsMessage(run, frame, id = 0) {
    const list = frame.contacts ?? [];
    const all = (key) => Float32Array.from(list.flatMap((c) => c[key]));
    return message(2, { flags: flat(run), id, step: frame.step, t: frame.t, n: list.length }, [
        Uint32Array.from(list, (c) => c.a), Uint32Array.from(list, (c) => c.b), all("point"), all("normal"), all("force"),
        Float32Array.from(list, (c) => c.gap ?? 0), Float32Array.from(list, (c) => c.friction ?? 0.5), Uint8Array.from(list, (c) => c.status ?? 1),
    ]);
}

export function indexMessage(run, frames = run.frames) {
    return message(3, { flags: flat(run), n: frames.length }, [Float64Array.from(frames, (f) => f.t), Uint32Array.from(frames, (f) => f.step)]);
}

// rows: {step, t, ...columns}
export function ledgerMessage(run, id = 0, rows = run.rows) {
    const columns = run.columns.flatMap((name) => {
        const values = Float32Array.from(rows, (r) => r[name] ?? 0);
        return [values, values];
    });
    const head = Uint32Array.of(rows[0]?.step ?? 0, rows.at(-1)?.step ?? 0, run.columns.length, 0);
    return message(4, { flags: flat(run), id, n: rows.length }, [head, Float64Array.from(rows, (r) => r.t), Uint32Array.from(rows, (r) => r.step), ...columns]);
}

export function seriesMessage(run, body, id) {
    const { frames, dim } = run, n = frames.length, spins = dim === 3 ? 3 : 1;
    const part = (key, size) => Float32Array.from(frames.flatMap((f) => (f[key] ?? new Array(size * run.bodies.length).fill(0)).slice(size * body, size * body + size)));
    return message(5, { flags: flat(run), id, n }, [
        Float64Array.from(frames, (f) => f.t), Uint32Array.from(frames, (f) => f.step), part("position", dim), part("velocity", dim), part("spin", spins),
        new Float32Array((dim === 3 ? 4 : 1) * n),
    ]);
}

export function helloOf(run, mode) {
    return {
        op: "hello", v: 1, mode, cairn: "0", checked: true,
        run: { name: run.name ?? "made-up", dim: run.dim, h: run.h ?? 0.01, theta: 0.5, scheme: "moreau-jean", solver: "auto", tolerance: 1e-8,
            gravity: run.dim === 3 ? [0, 0, -9.81] : [0, -9.81], friction: [0.5], steps: run.rows.length, t_end: run.frames.at(-1)?.t ?? 0, complete: true },
        bodies: run.bodies.length, contacts_recorded: true, bounds: run.bounds ?? null, force: run.force ?? null,
        limits: { residual: [1e-8, 3e-7], penetration: [1e-4, 1e-2], joint: [1e-6, 1e-3], gain: [1e-3, 1], loss: [1e-3, 1], ...run.limits }, ledger: run.columns,
        ...(mode === "live" ? { live: { running: true, speed: 1, gravity: [0, 0, -9.81], friction: 1 } } : {}),
    };
}

export function bodiesOf(run) {
    const column = (key, value) => run.bodies.map((b) => b[key] ?? value);
    return {
        op: "bodies", name: column("name", ""), kind: column("kind", "rigid"), material: column("material", "stone"), mass: column("mass", 1),
        com: column("com", [0, 0, 0]), inertia: column("inertia", []), shape: run.bodies.map((_, i) => i), shapes: run.bodies.map((b) => b.shapes),
        ...(run.joints ? { joints: run.joints } : {}), ...(run.meshes ? { deformable: run.deformable, meshes: run.meshes } : {}),
    };
}
