// Contacts summed over pairs of touching bodies: normal force and centre of pressure, as force chains need them.
// Made once for each frame's contacts and kept with them.
export function pairsOf(contacts) {
    contacts.pairs ??= makePairs(contacts);
    return contacts.pairs;
}

function makePairs(contacts) {
    const { n, dim, candidate, antagonist, point } = contacts;
    const normal = normalForces(contacts);
    const seen = new Map();
    const pairs = { n: 0, a: [], b: [], force: [], point: [], mean: 0, count: null };
    let sum = 0, pressing = 0;
    for (let c = 0; c < n; c++) {
        const f = normal[c];
        if (!(f > 0)) continue;
        const a = Math.min(candidate[c], antagonist[c]), b = Math.max(candidate[c], antagonist[c]);
        const key = a * 4194304 + b;
        let k = seen.get(key);
        if (k === undefined) {
            k = pairs.n++;
            seen.set(key, k);
            pairs.a.push(a);
            pairs.b.push(b);
            pairs.force.push(0);
            pairs.point.push(0, 0, 0);
        }
        pairs.force[k] += f;
        for (let d = 0; d < dim; d++) pairs.point[3 * k + d] += f * point[dim * c + d];
        sum += f;
        pressing++;
    }
    for (let k = 0; k < pairs.n; k++) {
        for (let d = 0; d < 3; d++) pairs.point[3 * k + d] /= pairs.force[k];
    }
    pairs.mean = pressing ? sum / pairs.n : 0;
    pairs.order = Array.from({ length: pairs.n }, (_, k) => k).sort((x, y) => pairs.force[x] - pairs.force[y]);
    return pairs;
}

// Normal force of each contact [N].
export function normalForces(contacts) {
    if (!contacts.normalForce) {
        const { n, dim, normal, force } = contacts;
        const out = new Float32Array(n);
        for (let c = 0; c < n; c++) {
            let f = 0;
            for (let d = 0; d < dim; d++) f += normal[dim * c + d] * force[dim * c + d];
            out[c] = f;
        }
        contacts.normalForce = out;
    }
    return contacts.normalForce;
}
