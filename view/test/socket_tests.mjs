// The page behind a socket: live runs, lost connections, damaged messages. A made-up server answers inside the test.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { bodiesOf, contactsMessage, frameMessage, helloOf, indexMessage, ledgerMessage, seriesMessage } from "./encode.mjs";
import { comes, equal, holds, ready, settled, test, until } from "./harness.mjs";
import { rowsOf, twoBalls } from "./made_up.mjs";

const HOST = "http://127.0.0.1:9";

// Serves the page and speaks the protocol; returns what the page has sent and the open sockets.
async function serve(t, page, run, { mode = "replay", spoil = (m) => m } = {}) {
    const types = { "/": ["index.html", "text/html"], "/app.js": ["app.js", "text/javascript"], "/app.css": ["app.css", "text/css"] };
    await page.route(`${HOST}/**`, (route) => {
        const [file, contentType] = types[new URL(route.request().url()).pathname] ?? [];
        return file ? route.fulfill({ body: readFileSync(join(t.pageFolder, file)), contentType }) : route.fulfill({ status: 404 });
    });
    const server = { sent: [], sockets: [] };
    await page.routeWebSocket(/\/ws/, (socket) => {
        server.sockets.push(socket);
        const binary = (bytes) => socket.send(Buffer.from(spoil(bytes)));
        socket.onMessage((text) => {
            const message = JSON.parse(text);
            server.sent.push(message);
            const frame = run.frames.findLast((f) => f.step <= message.step) ?? run.frames[0];
            switch (message.op) {
            case "hello":
                socket.send(JSON.stringify(helloOf(run, mode)));
                socket.send(JSON.stringify(bodiesOf(run)));
                socket.send(Buffer.from(indexMessage(run)));
                break;
            case "frame":
                binary(frameMessage(run, frame, message.id));
                binary(contactsMessage(run, frame, message.id));
                break;
            case "ledger":
                binary(ledgerMessage(run, message.id));
                break;
            case "series":
                binary(seriesMessage(run, message.body, message.id));
                break;
            case "ack":
                break;
            default:
                socket.send(JSON.stringify({ op: "done", n: message.n }));
            }
        });
    });
    return server;
}

test("a_socket_shows_the_same_as_a_file", async (t) => {
    const run = twoBalls(), numbers = [];
    const file = await t.open(run);
    const page = await t.page();
    await serve(t, page, run);
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    for (const p of [file, page]) {
        await p.evaluate(() => { window.cairn.seekStep(40); window.cairn.select(1); });
        await settled(p);
        numbers.push(await p.evaluate(() => JSON.stringify(window.cairn.body(1))));
    }
    equal(numbers[1], numbers[0], "numbers of a body");
});

test("live_frames_are_shown_and_acknowledged", async (t) => {
    const run = twoBalls(), page = await t.page();
    const server = await serve(t, page, { ...run, frames: run.frames.slice(0, 1) }, { mode: "live" });
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    for (const frame of run.frames.slice(1, 4)) {
        server.sockets[0].send(Buffer.from(frameMessage(run, frame)));
        server.sockets[0].send(Buffer.from(contactsMessage(run, frame)));
    }
    server.sockets[0].send(Buffer.from(ledgerMessage(run, 0, rowsOf(130, 0.01).slice(100))));
    server.sockets[0].send(JSON.stringify({ op: "live", step: 30, t: 0.3, running: true, factor: 0.97, iterations: 38, solve_ms: 4.1, dropped: 2, speed: 1, gravity: [0, 0, -9.81], friction: 1 }));
    await page.waitForFunction(() => window.cairn.stats().step === 30);
    await page.waitForFunction(() => document.querySelector(".effort").textContent.includes("0.97"));
    const acknowledged = () => server.sent.filter((m) => m.op === "ack").map((m) => m.step);
    await comes(acknowledged, [10, 20, 30], "acknowledged steps");
    await page.keyboard.press(" ");
    await page.keyboard.press(".");
    await page.locator(".live-panel input").nth(2).fill("0.5");
    await until(() => server.sent.some((m) => m.op === "friction" && m.value === 0.5), "the friction command");
    const ops = server.sent.filter((m) => m.n !== undefined).map((m) => m.op);
    equal(ops.slice(0, 2), ["pause", "step"], "commands");
});

// Opens a live run that has two frames, with the motion plots and the path of the mover; gives what sends the other frames.
async function openLive(t) {
    const run = twoBalls(), page = await t.page(), served = { ...run, frames: run.frames.slice(0, 2) };
    const server = await serve(t, page, served, { mode: "live" });
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    const points = () => page.evaluate(() => { const { app } = window.cairn; return [app.layout.plots.plots.at(-1).kind.data?.times.length ?? 0, app.state.traces.get(1)?.n ?? 0, app.view.lines.paths.count]; });
    const socket = server.sockets[0], frame = (k) => {
        served.frames = run.frames.slice(0, k + 1);
        socket.send(Buffer.from(frameMessage(run, run.frames[k])));
        socket.send(Buffer.from(contactsMessage(run, run.frames[k])));
        socket.send(Buffer.from(ledgerMessage(run, 0, rowsOf(100 + 10 * k, 0.01).slice(90 + 10 * k))));
    };
    await page.evaluate(() => { const { app } = window.cairn; app.select(1); app.layout.plots.toggleBody(1); return app.trace(1); });
    await comes(points, [2, 2, 1], "points of the plot and of the path, pieces of it that are drawn, at first");
    return { run, page, socket, frame, points };
}

// Nothing that is shown of a live run stays as it was: counts, motion plots, paths, the legend of another run after a reset.
test("live_facts_plots_paths_and_legend_are_never_stale", async (t) => {
    const { run, page, socket, frame, points } = await openLive(t), last = run.frames.length - 1;
    const fact = (name) => page.locator(`dt:text-is("${name}") + dd`).textContent();
    equal(await fact("Frames"), "2", "frames at first");
    for (let k = 2; k <= last; k++) {
        frame(k);
        await comes(() => page.evaluate(() => window.cairn.stats().step), 10 * k, "step shown");
    }
    await comes(() => fact("Frames"), String(last + 1), "frames at the end");
    await comes(() => fact("Steps"), "200", "steps at the end");
    await comes(points, [last + 1, last + 1, last], "points of the plot and of the path, pieces of it that are drawn");
    // A reset brings other bodies; the legend shows their kinds.
    const names = ["apple", "pear"], other = { ...run, frames: run.frames.slice(0, 1), bodies: run.bodies.map((b, i) => ({ ...b, name: i ? names[i - 1] : "ground" })) };
    socket.send(JSON.stringify(helloOf(other, "live")));
    socket.send(JSON.stringify(bodiesOf(other)));
    socket.send(Buffer.from(indexMessage(other)));
    await page.waitForFunction(() => document.querySelector(".legend").textContent.includes("pear"));
});

// Frames that come all at once, right after the motion was asked for, and then none: a run that was paused.
test("the_motion_up_to_the_last_frame_is_shown", async (t) => {
    const { run, frame, points } = await openLive(t), last = run.frames.length - 1;
    for (let k = 2; k <= last; k++) frame(k);
    await comes(points, [last + 1, last + 1, last], "points of the plot and of the path, pieces of it that are drawn");
});

test("a_drag_pulls_the_body_that_was_pressed", async (t) => {
    const run = twoBalls(), page = await t.page();
    const server = await serve(t, page, run, { mode: "live" });
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    await page.evaluate(() => window.cairn.look("front"));
    await settled(page);
    const scene = await page.locator("canvas.gl").boundingBox(), [x, y] = await page.evaluate(() => window.cairn.project(1));
    await page.keyboard.down("Alt");
    await page.mouse.move(scene.x + x, scene.y + y);
    await page.mouse.down();
    await page.mouse.move(scene.x + x + 40, scene.y + y - 30, { steps: 4 });
    await page.mouse.move(scene.x + x + 60, scene.y + y - 30);
    await page.mouse.up();
    await page.keyboard.up("Alt");
    await until(() => server.sent.some((m) => m.op === "release"), "the release");
    const drags = server.sent.filter((m) => m.op === "drag");
    holds(drags.length > 0, "no drag was sent");
    equal(drags[0].body, 1, "body that is pulled");
    holds(drags.at(-1).target[0] > drags[0].target[0] + 0.05, `the target did not move: ${JSON.stringify(drags)}`);
    holds(drags[0].k > 0 && drags[0].point.length === 3, "spring and grip");
});

test("the_place_where_a_drag_stops_is_sent", async (t) => {
    const run = twoBalls(), page = await t.page();
    const server = await serve(t, page, run, { mode: "live" });
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    await page.evaluate(() => { for (let x = 1; x <= 5; x++) window.cairn.app.live.drag(1, [0, 0, 0], [x, 0, 1]); });
    await comes(() => server.sent.findLast((m) => m.op === "drag")?.target, [5, 0, 1], "target of the last drag");
});

test("damaged_messages_are_dropped_with_a_word", async (t) => {
    const run = twoBalls(), page = await t.page();
    let spoilt = 0;
    const server = await serve(t, page, run, { spoil: (m) => (m[4] === 1 && m[12] === 30 && ++spoilt ? m.subarray(0, m.length - 8) : m) });
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    for (const bad of [Buffer.from("nonsense"), Buffer.alloc(32), Buffer.from(frameMessage(run, run.frames[1]).subarray(0, 40))]) server.sockets[0].send(bad);
    server.sockets[0].send("{not json");
    await page.waitForFunction(() => document.querySelector(".notice").textContent); // it hides itself after a while
    await page.evaluate(() => window.cairn.seekStep(30));
    await until(() => spoilt > 0, "a request for the frame that is spoilt");
    await page.evaluate(() => window.cairn.seekStep(60));
    await page.waitForFunction(() => window.cairn.app.shown.frame.step === 60);
});

test("a_lost_connection_is_told_and_taken_up_again", async (t) => {
    const run = twoBalls(), page = await t.page();
    const server = await serve(t, page, run);
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    await page.evaluate(() => (window.cairn.app.source.retrySeconds = 1e6)); // the click is not to race with the page's own retry
    await server.sockets[0].close({ code: 1011 });
    await page.getByRole("button", { name: "Retry now" }).click();
    await page.waitForFunction(() => document.querySelector(".notice").hidden);
    equal(server.sockets.length, 2, "connections");
    await server.sockets[1].close({ code: 4001 });
    await page.waitForFunction(() => document.querySelector(".message").textContent.includes("wrong token"));
});

test("a_position_that_is_no_number_is_marked", async (t) => {
    const run = twoBalls();
    run.frames[3].position[3] = NaN;
    const page = await t.open(run);
    await page.evaluate(() => window.cairn.seekStep(30));
    await settled(page);
    equal(await page.evaluate(() => window.cairn.app.view.lost.count), 1, "marked bodies");
});

test("a_damaged_frame_is_told_and_passed_over", async (t) => {
    const run = twoBalls(), page = await t.page();
    const server = await serve(t, page, run);
    await page.goto(`${HOST}/?token=abc`);
    await ready(page);
    await page.evaluate(() => {
        const { source } = window.cairn.app, plain = source.frame.bind(source);
        source.frame = (step) => (step === 30 ? Promise.reject(new Error("the frame of step 30 has the wrong size")) : plain(step));
        window.cairn.seekStep(30);
    });
    await page.getByRole("button", { name: "Show the next one" }).click();
    await page.waitForFunction(() => window.cairn.app.shown.frame.step === 40);
    await page.evaluate(() => { window.cairn.seekStep(20); window.cairn.app.playback.play(); });
    await page.waitForFunction(() => window.cairn.app.shown.frame.step >= 40);
    holds(server.sockets.length === 1, "the connection was lost");
});
