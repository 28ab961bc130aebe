// How long a run file takes to appear and to play in a browser here: node dev/measure.mjs CAIRN RUN [REPEATS] [WIDTHxHEIGHT]
//
// Serves the run by `cairn view`, opens the page anew for each repeat and prints, best and median of them:
//   script   from the request of the page until its script runs
//   hello    until bodies and index are there
//   data     until the first frame's numbers are there
//   first    until the first frame is drawn, to the end of the graphics' work
//   draw     one picture with poses and colours set again, to the end of the graphics' work, median of 15
//   play     between two pictures while the run plays, each of another recorded frame, median
// and what the server has read of the file up to the first frame. The start of the browser does not count. All in ms.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

import { chromium } from "playwright-core";

const [cairn, run, repeats = "5", size = "1440x900"] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);

const server = spawn(cairn, ["view", run, "--no-browser"]);
const address = await new Promise((resolve, reject) => {
    let text = "";
    const listen = (data) => {
        text += data;
        const found = /http:\/\/\S+/.exec(text);
        if (found) resolve(found[0]);
    };
    server.stdout.on("data", listen);
    server.stderr.on("data", listen);
    server.on("exit", () => reject(new Error(`the server ended: ${text}`)));
});
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

// Bytes that the server's process has read by system calls, from the disk or its cache.
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${server.pid}/io`, "utf8"))[1]);

async function once() {
    const page = await browser.newPage({ viewport: { width, height } });
    const before = bytesRead();
    await page.addInitScript(() => {
        const plain = window.requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) => plain((now) => {
            draw(now);
            if (window.measured || !window.cairn?.ready()) return;
            window.cairn.app.view?.await();
            window.measured = { first: performance.now() };
        });
    });
    await page.goto(address);
    await page.waitForFunction(() => window.measured);
    const read = bytesRead() - before;
    const took = await page.evaluate(() => {
        const { startMs: script, helloMs: hello, dataMs: data } = window.cairn.stats();
        return { script, hello, data, first: window.measured.first };
    });
    await page.waitForTimeout(500); // plots and ledger
    took.draw = median(await page.evaluate(() => window.cairn.time(15)));
    took.play = median(await page.evaluate(playing));
    took.read = read;
    await page.close();
    return took;
}

// In the page: the times between pictures of a run that plays so fast that each shows another frame.
function playing() {
    const { app } = window.cairn, { run, playback } = app, stamps = [];
    playback.setSpeed(Math.max(1, 20 * (run.end - run.start) / run.frames.count));
    playback.play();
    return new Promise((done) => {
        let shown = null;
        const watch = () => {
            if (app.shown !== shown) {
                shown = app.shown;
                app.view?.await();
                stamps.push(performance.now());
            }
            if (stamps.length < 16) requestAnimationFrame(watch);
            else {
                playback.pause();
                done(stamps.slice(1).map((t, k) => t - stamps[k]));
            }
        };
        watch();
    });
}

function median(values) {
    return [...values].sort((a, b) => a - b)[values.length >> 1];
}

const rows = [];
process.on("exit", () => server.kill());
for (let k = 0; k < Number(repeats); k++) rows.push(await once());
console.log(`${run}: ${(statSync(run).size / 1e6).toFixed(1)} MB, ${size}, ${repeats} times; ms`);
for (const name of ["script", "hello", "data", "first", "draw", "play"]) {
    const values = rows.map((row) => row[name]);
    console.log(`  ${name.padEnd(7)} best ${Math.min(...values).toFixed(0).padStart(6)}   median ${median(values).toFixed(0).padStart(6)}`);
}
console.log(`  server read ${(median(rows.map((row) => row.read)) / 1e6).toFixed(2)} MB a page, ${(bytesRead() / 1e6).toFixed(2)} MB in all`);
server.removeAllListeners("exit");
await browser.close();
