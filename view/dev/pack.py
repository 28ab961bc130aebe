#!/usr/bin/env python3
"""Puts a run file into the page: dev/pack.py RUN TEMPLATE OUTPUT

For work on the page alone: what `cairn export --to html` does, from Python's standard library, with limits that
are only roughly those of the command. docs/viewer-protocol.md says what is written.
"""
import base64, json, math, re, sqlite3, struct, sys, zlib
from array import array

MAGIC = 0x314E5243
OUTCOMES = ["solved", "stalled", "limit", "time", "diverged", "infeasible", "unsupported"]


def message(kind, flat, step, t, n, *parts):
    body = b"".join(p + b"\0" * (-len(p) % 4) for p in parts)
    return struct.pack("<IHHIIdII", MAGIC, kind, 1 if flat else 0, 0, step, t, n, len(body)) + body


def floats(blob):
    return array("f", array("d", blob).tolist()).tobytes()


def packed(data):
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(squeeze.compress(data) + squeeze.flush()).decode()


def frame(row, dim, n):
    step, t, q, v = row
    q, v = array("d", q), array("d", v)
    size, rate = (7, 6) if dim == 3 else (3, 3)
    position, turn, velocity, spin = array("f"), array("h" if dim == 3 else "f"), array("f"), array("f")
    for i in range(n):
        position.extend(q[size * i : size * i + dim].tolist())
        if dim == 3:
            turn.extend(round(32767 * x) for x in q[size * i + 3 : size * i + 7])
        else:
            turn.append(q[size * i + 2])
        velocity.extend(v[rate * i : rate * i + dim].tolist())
        spin.extend(v[rate * i + dim : rate * i + rate].tolist())
    return message(1, dim == 2, step, t, n, *(a.tobytes() for a in (position, turn, velocity, spin)))


def contacts(row, step, t, dim, h):
    if row is None:
        return message(2, dim == 2, step, t, 0)
    n, bodies, point, normal, gap, impulse, friction, status = row
    pairs = array("i", bodies)
    return message(
        2, dim == 2, step, t, n,
        array("I", (b - 1 for b in pairs[0::2])).tobytes(), array("I", (b - 1 for b in pairs[1::2])).tobytes(),
        floats(point), floats(normal), array("f", (x / h for x in array("d", impulse))).tobytes(),
        floats(gap), floats(friction), status)


def main(run_path, template_path, output_path):
    run = sqlite3.connect(run_path)
    run.text_factory = str
    meta = dict(run.execute("SELECT key, value FROM meta"))
    scene = meta["scene"]
    dim = int(meta["dimension"])
    number = lambda key, default: float((re.search(key + r": ([-+0-9.e]+)", scene) or [0, default])[1])
    h = number("step", 1e-3)
    gravity = [float(x) for x in re.search(r"gravity: \[([^\]]*)\]", scene)[1].split(",")]

    bodies = {"op": "bodies", "name": [], "kind": [], "material": [], "mass": [], "com": [], "inertia": [], "shape": [], "shapes": []}
    seen = {}
    for name, kind, material, mass, com, inertia, shape in run.execute(
            "SELECT name, kind, material, mass, com, inertia, shape FROM body ORDER BY id"):
        index = seen.setdefault(shape, len(seen))
        if index == len(bodies["shapes"]):
            bodies["shapes"].append(json.loads(shape))
        for key, value in zip(("name", "kind", "material", "mass", "com", "inertia", "shape"),
                              (name, kind, material, mass, json.loads(com), json.loads(inertia or "[]"), index)):
            bodies[key].append(value)
    n = len(bodies["name"])

    columns = [r[1] for r in run.execute("PRAGMA table_info(ledger)") if r[1] not in ("step", "t", "solver")]
    steps, times, table = array("I"), array("d"), {c: array("f") for c in columns + ["balance"]}
    sums = dict.fromkeys([c for c in columns if c.startswith(("work_", "dissipated_"))], 0.0)
    initial = float(meta.get("energy_initial", 0))
    for row in run.execute(f"SELECT step, t, {','.join(columns)} FROM ledger ORDER BY step"):
        steps.append(row[0])
        times.append(row[1])
        values = dict(zip(columns, row[2:]))
        values["outcome"] = OUTCOMES.index(values["outcome"]) if isinstance(values["outcome"], str) else values["outcome"]
        for c in sums:
            sums[c] += values[c]
        values.update(sums)
        g = values.get
        values["balance"] = (g("kinetic") + g("potential") - initial - g("work_external", 0) - g("work_joints", 0)
                             + g("dissipated_friction") + g("dissipated_impact") + g("dissipated_numerical"))
        for c in table:
            table[c].append(math.nan if values[c] is None else values[c])

    frames = run.execute("SELECT step, t, q, v FROM frame ORDER BY step").fetchall()
    blocks, index, current, forces = [], [], b"", []
    first = 0
    low, high = [math.inf] * dim, [-math.inf] * dim
    moving = [i for i in range(n) if bodies["kind"][i] == "rigid"]
    size = 7 if dim == 3 else 3
    for k, row in enumerate(frames):
        found = run.execute("SELECT n, bodies, point, normal, gap, impulse, friction, status FROM contact WHERE step = ?", (row[0],)).fetchone()
        current += frame(row, dim, n) + contacts(found, row[0], row[1], dim, h)
        q = array("d", row[2])
        for i in moving:
            for d in range(dim):
                low[d], high[d] = min(low[d], q[size * i + d]), max(high[d], q[size * i + d])
        if found:
            p, w = array("d", found[5]), array("d", found[3])
            for c in range(found[0]):
                f = sum(p[dim * c + d] * w[dim * c + d] for d in range(dim)) / h
                if f > 0:
                    forces.append(f)
        if len(current) > 1e6 or k == len(frames) - 1:
            blocks.append(packed(current))
            index.append({"first": first, "count": k + 1 - first})
            current, first = b"", k + 1
    forces.sort()
    tolerance = float(meta["tolerance"])
    masses = sorted(bodies["mass"][i] for i in moving) or [1]
    length = (math.prod(b - a for a, b in zip(low, high)) / max(1, len(moving))) ** (1 / dim) if moving else 1
    scale = max(max(table["kinetic"], default=0), masses[-1] * 9.81 * length)
    hello = {
        "op": "hello", "v": 1, "mode": "file", "cairn": meta["cairn_version"], "checked": True,
        "run": {"name": meta["name"], "file": run_path.split("/")[-1], "dim": dim, "h": h, "theta": number("theta", 0.5),
                "scheme": "moreau-jean", "solver": "auto", "tolerance": tolerance, "gravity": gravity,
                "friction": sorted({float(x) for x in re.findall(r"friction: ([0-9.e-]+)", scene)}), "seed": meta.get("seed"),
                "steps": steps[-1] if steps else 0, "t_end": frames[-1][1], "complete": True},
        "bodies": n, "contacts_recorded": bool(forces), "bounds": {"low": low, "high": high} if moving else None,
        "force": {"ref": forces[int(0.985 * len(forces))], "mean": sum(forces) / len(forces)} if forces else None,
        "limits": {"residual": [tolerance, 30 * tolerance], "penetration": [2e-4 * length, 1e-2 * length],
                   "joint": [1e-6 * length, 1e-3 * length], "gain": [1e-5 * scale, 1e-3 * scale], "loss": [1e-5 * scale, 1e-3 * scale]},
        "ledger": list(table),
    }
    head = json.dumps({"hello": hello, "bodies": bodies, "blocks": index}).encode()
    book = message(3, dim == 2, 0, 0, len(frames), array("d", (f[1] for f in frames)).tobytes(), array("I", (f[0] for f in frames)).tobytes())
    book += message(4, dim == 2, 0, 0, len(steps), struct.pack("<4I", steps[0] if steps else 0, steps[-1] if steps else 0, len(table), 0), times.tobytes(),
                    steps.tobytes(), *(p for c in table.values() for p in (c.tobytes(), c.tobytes())))
    parts = [("head", packed(head)), ("ledger", packed(book))] + [(f"frames-{k}", b) for k, b in enumerate(blocks)]
    data = "\n".join(f'<script type="application/octet-stream" id="cairn-{name}">{text}</script>' for name, text in parts)
    page = open(template_path).read()
    open(output_path, "w").write(page.replace("<!--cairn:data-->", data, 1))


if __name__ == "__main__":
    main(*sys.argv[1:])
