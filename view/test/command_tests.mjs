// The page on what the command really writes and serves: numbers against the run file's own tables, and a live drag.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { holds, near, ready, settled, test } from "./harness.mjs";

function cairn(t, ...args) {
    return execFileSync(t.cairn, args, { cwd: t.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

// Rows of a CSV file as objects; names are quoted, nothing else is.
function table(path) {
    const [head, ...lines] = readFileSync(path, "utf8").trim().split("\n");
    const keys = head.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").map((value, k) => [keys[k], value])));
}

test("numbers_are_those_of_the_run_file", async (t) => {
    cairn(t, "run", "masonry-arch", "--until=0.2", "-o", "arch.run", "--quiet");
    cairn(t, "export", "arch.run", "--to", "html", "-o", "arch.html");
    cairn(t, "export", "arch.run", "--to", "csv", "-o", "tables");
    const page = await t.page();
    await page.context().setOffline(true);
    await page.goto(pathToFileURL(join(t.folder, "arch.html")).href);
    await ready(page);
    const rows = table(join(t.folder, "tables/frames.csv")), contacts = table(join(t.folder, "tables/contacts.csv"));
    const step = Number(rows.at(-1).step), h = 0.002;
    await page.evaluate((s) => window.cairn.seekStep(s), step);
    await settled(page);
    for (const row of rows.filter((r) => Number(r.step) === step)) {
        const body = await page.evaluate((i) => { const b = window.cairn.body(i); return { ...b, neighbours: b.neighbours.map((n) => ({ body: n.body, force: n.force })) }; }, Number(row.body) - 1);
        ["x", "y", "z"].forEach((axis, k) => near(body.position[k], Number(row[axis]), 1e-6 * (1 + Math.abs(row[axis])), `${axis} of body ${row.body}`));
        ["vx", "vy", "vz"].forEach((axis, k) => near(body.velocity[k], Number(row[axis]), 1e-6 * (1 + Math.abs(row[axis])), `${axis} of body ${row.body}`));
        const mine = contacts.filter((c) => Number(c.step) === step && (c.candidate === row.body || c.antagonist === row.body));
        const want = mine.reduce((sum, c) => sum + ["x", "y", "z"].reduce((f, a) => f + (c[`impulse_${a}`] * c[`normal_${a}`]) / h, 0), 0);
        const got = body.neighbours.reduce((sum, n) => sum + n.force, 0);
        near(got, want, 1e-4 * (1 + want), `normal forces on body ${row.body} [N]`);
    }
});

// Starts a server and gives the address that it prints.
function serve(t, ...args) {
    const child = spawn(t.cairn, ["view", ...args, "--no-browser"], { cwd: t.folder });
    const address = new Promise((resolve, reject) => {
        let text = "";
        const timer = setTimeout(() => reject(new Error(`no address in: ${text}`)), 60000);
        const listen = (data) => {
            text += data;
            const found = /http:\/\/\S+/.exec(text);
            if (found) {
                clearTimeout(timer);
                resolve(found[0]);
            }
        };
        child.stdout.on("data", listen);
        child.stderr.on("data", listen);
        child.on("exit", () => reject(new Error(`the server ended: ${text}`)));
    });
    return { child, address };
}

test("a_live_drag_moves_the_body", async (t) => {
    const { child, address } = serve(t, "tower");
    try {
        const page = await t.page();
        await page.goto(await address);
        await ready(page);
        const top = await page.evaluate(() => window.cairn.app.run.bodies.count - 1);
        const before = await page.evaluate((i) => window.cairn.body(i).position, top);
        const target = before.map((x, k) => (k === 0 ? x + 3 : x));
        await page.evaluate(([i, to]) => {
            const { live } = window.cairn.app;
            live.spring *= 10;
            live.drag(i, [0, 0, 0], to);
        }, [top, target]);
        await page.waitForFunction(([i, x]) => Math.abs(window.cairn.body(i).position[0] - x) > 0.05, [top, before[0]]);
        await page.evaluate(() => window.cairn.app.live.release());
        await page.reload();
        await ready(page);
        const steps = await page.evaluate(() => { const { ledger } = window.cairn.app.run; return [ledger.n, ledger.steps[ledger.n - 1] - ledger.steps[0] + 1]; });
        holds(steps[0] > 0 && steps[0] === steps[1], `steps were lost over a reload: ${steps}`);
    } finally {
        child.removeAllListeners("exit");
        child.kill();
    }
});

test("a_wrong_token_is_refused", async (t) => {
    const { child, address } = serve(t, "tower");
    try {
        const url = new URL(await address);
        url.searchParams.set("token", "0");
        const answer = await fetch(url);
        holds(answer.status === 403, `the page was given with status ${answer.status}`);
    } finally {
        child.removeAllListeners("exit");
        child.kill();
    }
});
