// How far a step can be trusted: good, loose or failed by the limits that the server sends (docs/reference/viewer-protocol.md).
// "good" is never said of what was not checked.
export const UNKNOWN = 0, GOOD = 1, LOOSE = 2, FAILED = 3;
const SOLVED = 0;

const ENERGY_FLOOR = 1e-12; // [J] rounding of a system at rest, where the limits, shares of its energy, are nothing
const LENGTH_FLOOR = 1e-12; // [m]
const floored = (limits, floor) => limits && limits.map((x) => Math.max(x, floor));

function grade(value, [good, loose]) {
    return value <= good ? GOOD : value <= loose ? LOOSE : FAILED; // NaN fails
}

export class Trust {
    constructor(ledger, limits, checked) {
        this.ledger = ledger;
        this.limits = { ...limits, penetration: floored(limits.penetration, LENGTH_FLOOR), joint: floored(limits.joint, LENGTH_FLOOR),
            gain: floored(limits.gain, ENERGY_FLOOR), loss: floored(limits.loss, ENERGY_FLOOR) };
        this.checked = checked;
        this.levels = new Uint8Array(0);
    }

    // The checks over bins begin..end: rows of {key, label, value, limit, level, step}.
    checks(begin, end) {
        const { ledger, limits } = this;
        const rows = [];
        const residual = ledger.worst("residual", begin, end);
        const outcome = ledger.worst("outcome", begin, end);
        if (residual) {
            let level = grade(residual.value, limits.residual);
            if (outcome && outcome.value !== SOLVED) {
                level = level === FAILED || outcome.value >= 3 ? FAILED : LOOSE;
            }
            rows.push({ key: "residual", label: "Residual", limit: limits.residual[0], ...residual, level });
        }
        const depth = ledger.worst("penetration_max", begin, end);
        if (depth && limits.penetration) {
            rows.push({ key: "penetration", label: "Penetration", limit: limits.penetration[0], ...depth,
                level: grade(depth.value, limits.penetration) });
        }
        const joint = ledger.worst("joint_error_max", begin, end);
        if (joint && joint.value > 0 && limits.joint) {
            rows.push({ key: "joint", label: "Joint error", limit: limits.joint[0], ...joint, level: grade(joint.value, limits.joint) });
        }
        const balance = this.balance(begin, end);
        if (balance) rows.push(balance);
        return rows;
    }

    // A gain is judged more severely than a loss; the one that is worse against its limit is shown.
    balance(begin, end) {
        const { gain, loss } = this.limits;
        const up = this.ledger.worst("balance", begin, end), down = this.ledger.worst("balance", begin, end, -1);
        if (!up || !gain || !loss) return null;
        const isGain = !(up.value / gain[0] < -down.value / loss[0]);
        const worst = isGain ? up : down;
        const level = isGain ? (up.value <= 0 ? GOOD : grade(up.value, gain)) : grade(-down.value, loss);
        return { key: "balance", label: "Energy balance", limit: (isGain ? gain : loss)[0], ...worst, level };
    }

    // One level a bin, for the ribbon and the search for bad steps; only new bins are looked at.
    update() {
        const { ledger } = this;
        if (this.levels.length === ledger.n) return;
        const levels = new Uint8Array(ledger.n);
        levels.set(this.levels);
        for (let i = this.levels.length; i < ledger.n; i++) levels[i] = worstLevel(this.checks(i, i + 1));
        this.levels = levels;
    }

    // The next bin from i in a direction whose level is not good; -1: none.
    nextBad(i, direction) {
        for (let k = i + direction; k >= 0 && k < this.levels.length; k += direction) {
            if (this.levels[k] >= LOOSE) return k;
        }
        return -1;
    }

    word(level) {
        return ["Not checked", this.checked ? "Verified" : "Within limits", "Loose", "Failed"][level];
    }
}

export function worstLevel(checks) {
    return checks.reduce((level, check) => Math.max(level, check.level), UNKNOWN);
}
