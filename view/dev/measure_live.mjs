// Whether a live run keeps its pace while pages come and go: node dev/measure_live.mjs CAIRN SCENE [SECONDS]
//
// Steps a second of wall time without a page, with one, with none, with one that is reloaded, by the step that each page is told of when it
// opens and last before it closes; then whether the run file has every step, and how long they took (CPU).
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

const [cairn, scene, seconds = "6"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "cairn-live-")), run = join(folder, "live.run");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const server = spawn(cairn, ["view", scene, "-o", run, "--no-browser"]);
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

const marks = [{ what: "start", wall: performance.now(), step: 0 }];
const wait = () => new Promise((done) => setTimeout(done, 1000 * Number(seconds)));
async function mark(page, what) {
    await page.waitForFunction(() => window.cairn?.app.live.last);
    const seen = await page.evaluate(() => window.cairn.app.live.last.step);
    await page.waitForFunction((s) => window.cairn.app.live.last.step !== s, seen); // just told
    marks.push({ what, wall: performance.now(), step: await page.evaluate(() => window.cairn.app.live.last.step) });
}

await wait();
let page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(address);
await mark(page, "no page, and opening one");
const drawn = await page.evaluate(() => window.cairn.stats().draws);
await wait();
await mark(page, "a page open");
const pictures = (await page.evaluate(() => window.cairn.stats().draws)) - drawn;
await page.close();
await wait();
page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(address);
await mark(page, "closed, and opening one");
for (let k = 0; k < 3; k++) await page.reload();
await mark(page, "reloaded three times");
await page.close();
const ended = new Promise((done) => server.on("exit", done));
server.removeAllListeners("exit");
server.on("exit", () => {});
server.kill("SIGINT");
await Promise.race([ended, new Promise((done) => setTimeout(done, 5000))]);
await browser.close();

for (let k = 1; k < marks.length; k++) {
    const [a, b] = [marks[k - 1], marks[k]];
    console.log(`${b.what.padEnd(26)} ${((1000 * (b.step - a.step)) / (b.wall - a.wall)).toFixed(1).padStart(6)} steps/s over ${((b.wall - a.wall) / 1000).toFixed(1)} s`);
}
const whole = marks.at(-1);
console.log(`${"all of it".padEnd(26)} ${((1000 * whole.step) / (whole.wall - marks[0].wall)).toFixed(1).padStart(6)} steps/s over ${((whole.wall - marks[0].wall) / 1000).toFixed(1)} s`);
console.log(`pictures drawn with the page open: ${pictures}`);
execFileSync(cairn, ["export", run, "--to", "csv", "-o", join(folder, "csv"), "--quiet"]);
const [head, ...lines] = readFileSync(join(folder, "csv/ledger.csv"), "utf8").trim().split("\n");
const keys = head.split(","), rows = lines.map((line) => line.split(",").map(Number));
const gaps = rows.filter((row, k) => row[0] !== k + 1).length;
const spent = rows.map((row) => keys.reduce((sum, key, c) => sum + (key.startsWith("cpu") ? 1000 * row[c] : 0), 0)).sort((a, b) => a - b);
const share = (s) => spent[Math.floor(s * (spent.length - 1))].toFixed(1);
console.log(`${rows.length} steps in the file, ${gaps} out of order; CPU ms of a step: median ${share(0.5)}, 99 % ${share(0.99)}, most ${share(1)}`);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
