// Pictures of exported runs for looking at: node dev/gallery.mjs FOLDER [WIDTHxHEIGHT] [dark|light] [NAME...]
//
// Opens every NAME.html of a folder (all of them unless named), goes to 60 % of its time, saves NAME-THEME-WIDTH.png beside it and sheets
// of twelve; prints what the browser complained of. Exit code 1: it did.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const [folder, size = "1440x900", theme = "dark", ...names] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const wanted = names.length ? names : readdirSync(folder).filter((f) => f.endsWith(".html")).map((f) => f.slice(0, -5)).sort();
const shots = [];
let complaints = 0;
for (const name of wanted) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    const said = [];
    page.on("console", (m) => m.type() === "error" && said.push(m.text()));
    page.on("pageerror", (error) => said.push(error.message));
    try {
        await page.goto(pathToFileURL(resolve(join(folder, `${name}.html`))).href);
        await page.waitForFunction(() => window.cairn?.ready(), null, { timeout: 60000 });
        await page.evaluate(() => { const { run } = window.cairn.app; window.cairn.seek(run.start + 0.6 * (run.end - run.start)); });
        await page.waitForFunction(() => window.cairn.settled(), null, { timeout: 60000 });
        await page.waitForTimeout(400);
    } catch (error) {
        said.push(error.message.split("\n")[0]);
    }
    const path = join(folder, `${name}-${theme}-${width}.png`);
    await page.screenshot({ path });
    shots.push([name, path]);
    await page.close();
    complaints += said.length;
    if (said.length) console.log(`${name}: ${said.join("; ")}`);
}
const sheet = await browser.newPage({ viewport: { width: 1500, height: 1300 } });
for (let first = 0; first < shots.length; first += 12) {
    const cells = shots.slice(first, first + 12).map(([name, path]) =>
        `<figure style="margin:4px;display:inline-block;font:12px sans-serif"><img height="300" src="data:image/png;base64,${readFileSync(path).toString("base64")}"><figcaption>${name}</figcaption></figure>`);
    await sheet.setContent(`<body style="margin:0">${cells.join("")}`);
    await sheet.screenshot({ path: join(folder, `sheet-${theme}-${width}-${1 + first / 12}.png`), fullPage: true });
}
await browser.close();
process.exit(complaints ? 1 : 0);
