// The page on what the command really writes and serves: numbers against the run file's own tables, and a live drag.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { PATIENCE, equal, holds, near, pixels, ready, settled, test } from "./harness.mjs";

function cairn(t, ...args) {
    return execFileSync(t.cairn, args, { cwd: t.folder, encoding: "utf8", timeout: PATIENCE, stdio: ["ignore", "pipe", "pipe"] });
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

// A ball that rolls off a table falls for ever: the picture is of the table.
test("a_body_that_fell_away_does_not_shrink_the_picture", async (t) => {
    writeFileSync(join(t.folder, "fall.yaml"), `cairn: 1
time: {step: 0.01, until: 8, frames_every: 0.1}
materials: {stone: {density: 1000}}
contacts: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: table, fixed: true, material: stone, position: [0, 0, -0.1], shape: {box: {size: [2, 2, 0.2]}}}
  - {name: stays, material: stone, position: [0, 0, 0.1], shape: {box: {size: [0.2, 0.2, 0.2]}}}
  - {name: falls, material: stone, position: [0.5, 0, 0.1], velocity: [2, 0, 0], shape: {sphere: {radius: 0.1}}}
`);
    cairn(t, "run", "fall.yaml", "--quiet");
    cairn(t, "export", "fall.run", "--to", "html", "-o", "fall.html");
    const page = await t.page();
    await page.goto(pathToFileURL(join(t.folder, "fall.html")).href);
    await ready(page);
    const { radius, lowest } = await page.evaluate(() => { const { run } = window.cairn.app; return { radius: run.sphere.radius, lowest: run.box.low[2] }; });
    holds(radius < 5, `the picture holds ${radius} m around its middle, down to ${lowest} m; the table is 2 m wide`);
});

test("joints_have_the_angle_and_effort_of_the_run", async (t) => {
    cairn(t, "run", "slider-crank", "--until=0.4", "-o", "crank.run", "--quiet");
    cairn(t, "export", "crank.run", "--to", "html", "-o", "crank.html");
    const page = await t.page();
    await page.goto(pathToFileURL(join(t.folder, "crank.html")).href);
    await ready(page);
    await page.evaluate(() => window.cairn.seek(0.4));
    await settled(page);
    const [main] = await page.evaluate(() => window.cairn.body(1).joints.filter((j) => j.name === "main"));
    near(main.value, 8, 1e-3, "angle of a crank that turns at 20 rad/s for 0.4 s [rad]");
    near(main.rate, 20, 1e-3, "its rate [rad/s]");
    holds(Math.abs(main.effort) > 0.01 && main.force > 0.1, `the motor gives ${main.effort} N m, the pin holds ${main.force} N`);
});

// Starts a server and gives the address that it prints.
function serve(t, ...args) {
    const child = spawn(t.cairn, ["view", ...args, "--no-browser"], { cwd: t.folder });
    const address = new Promise((resolve, reject) => {
        let text = "";
        const timer = setTimeout(() => reject(new Error(`no address in: ${text}`)), PATIENCE);
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

// Ends a server that was asked to keep its run, and waits until the file is whole.
function stop(child) {
    child.removeAllListeners("exit");
    return new Promise((done) => {
        child.on("exit", done);
        child.kill("SIGINT");
    });
}

test("a_served_run_is_drawn_scrubbed_and_picked", async (t) => {
    cairn(t, "run", "masonry-arch", "--until=0.2", "-o", "arch.run", "--quiet");
    cairn(t, "export", "arch.run", "--to", "csv", "-o", "tables");
    const rows = table(join(t.folder, "tables/frames.csv")), ledger = table(join(t.folder, "tables/ledger.csv"));
    const { child, address } = serve(t, "arch.run");
    try {
        const page = await t.page();
        await page.goto(await address);
        await ready(page);
        const bodies = new Set(rows.map((row) => row.body)).size;
        equal(await page.evaluate(() => window.cairn.stats().bodies), bodies, "bodies");
        const before = await pixels(page);
        let drawn = 0;
        for (let i = 3; i < before.raw.length; i += 4) drawn += before.raw[i] > 0 ? 1 : 0;
        holds(drawn > 0.05 * before.width * before.height, `only ${drawn} pixels are drawn`);
        // A click near the end of the time bar.
        const bar = await page.locator(".track").boundingBox();
        await page.mouse.click(bar.x + bar.width * 0.98, bar.y + 20);
        await settled(page);
        const { step, time } = await page.evaluate(() => window.cairn.stats());
        holds(step > 0, "the click led nowhere");
        const after = await pixels(page);
        let changed = 0;
        for (let i = 0; i < before.raw.length; i++) changed += before.raw[i] !== after.raw[i] ? 1 : 0;
        holds(changed > 100, `only ${changed} bytes of the picture changed`); // force chains
        await page.waitForFunction(() => window.cairn.app.layout.plots.plots[0]?.chart);
        const [head, want] = await page.evaluate((at) => {
            const plot = window.cairn.app.layout.plots.plots[0];
            return [parseFloat(plot.head.style.left), plot.chart.valToPos(at, "x") + plot.chart.bbox.left / devicePixelRatio];
        }, time);
        near(head, want, 1, "playhead of the first plot [px]");
        const row = ledger.find((r) => Number(r.step) === step);
        near(await page.evaluate((s) => { const { ledger: l } = window.cairn.app.run; return l.column("kinetic").high[l.at(s)]; }, step), Number(row.kinetic), 1e-6 * row.kinetic, "kinetic energy [J]");
        // A stone is picked by a click on its middle.
        const keystone = Number(rows.filter((r) => Number(r.step) === step).sort((a, b) => b.z - a.z)[0].body) - 1;
        const scene = await page.locator("canvas.gl").boundingBox(), [x, y] = await page.evaluate((i) => window.cairn.project(i), keystone);
        await page.mouse.click(scene.x + x, scene.y + y);
        await page.waitForFunction(() => window.cairn.stats().selection >= 0);
        equal(await page.evaluate(() => window.cairn.stats().selection), keystone, "picked body");
        const body = await page.evaluate((i) => window.cairn.body(i), keystone), stone = rows.find((r) => Number(r.step) === step && Number(r.body) === keystone + 1);
        ["x", "y", "z"].forEach((axis, k) => near(body.position[k], Number(stone[axis]), 1e-6 * (1 + Math.abs(stone[axis])), axis));
    } finally {
        child.removeAllListeners("exit");
        child.kill();
    }
});

test("pages_that_come_and_go_cost_no_step", async (t) => {
    const { child, address } = serve(t, "dominoes", "-o", "live.run");
    const reached = (page) => page.evaluate(() => window.cairn.app.live.last?.step ?? 0);
    const first = await t.page();
    await first.goto(await address);
    await ready(first);
    await first.waitForFunction(() => window.cairn.app.live.last?.step > 5);
    await first.reload();
    await ready(first);
    await first.waitForFunction(() => window.cairn.app.live.last?.step > 0);
    const before = await reached(first);
    await first.close();
    const second = await t.page();
    await second.goto(await address);
    await ready(second);
    await second.waitForFunction((step) => window.cairn.app.live.last?.step > step + 5, before);
    const last = await reached(second);
    await second.close();
    await stop(child);
    cairn(t, "export", "live.run", "--to", "csv", "-o", "tables");
    const steps = table(join(t.folder, "tables/ledger.csv")).map((row) => Number(row.step));
    holds(steps.length >= last, `the file has ${steps.length} steps, the page saw ${last}`);
    equal(steps.filter((step, k) => step !== k + 1), [], "steps out of order");
});

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
        await page.waitForFunction(() => window.cairn.app.run.ledger.n > 0); // it comes after the first picture
        const steps = await page.evaluate(() => { const { ledger } = window.cairn.app.run; return [ledger.n, ledger.steps[ledger.n - 1] - ledger.steps[0] + 1]; });
        holds(steps[0] === steps[1], `steps were lost over a reload: ${steps}`);
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
