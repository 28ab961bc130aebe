// Tests in a real browser: Debian's chromium driven by playwright-core. A test is test("name", async (t) => {...}); t opens
// pages and refuses console errors. Without browser or packages the tests are skipped (exit code 77).
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { dataElements } from "./made_up.mjs";

const SKIPPED = 77;
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const tests = new Map();

export function test(name, body) {
    tests.set(name, body);
}
export const names = () => [...tests.keys()];

export function equal(got, want, what) {
    if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}
export function near(got, want, allowed, what) {
    if (!(Math.abs(got - want) <= allowed)) throw new Error(`${what}: got ${got}, want ${want}, off by ${Math.abs(got - want)}, allowed ${allowed}`);
}
export function holds(condition, what) {
    if (!condition) throw new Error(what);
}

// A test waits for what shows that something has happened, never for a time. What does not come at all fails after PATIENCE; it is
// long enough for a busy machine: CAIRN_BROWSER_SLOW=20 slows the processor of every page by that factor to try it.
export const PATIENCE = 25000; // [ms] of one wait
const WHOLE = 4 * PATIENCE; // [ms] of one test
const SLOW = Number(process.env.CAIRN_BROWSER_SLOW ?? 1);

// Waits until read(), of the page or of the test's own, gives what is wanted; on failure says what it gave last.
export async function comes(read, want, what) {
    let got = await read();
    for (const end = Date.now() + PATIENCE; JSON.stringify(got) !== JSON.stringify(want); got = await read()) {
        if (Date.now() > end) equal(got, want, `${what} after ${PATIENCE / 1000} s`);
        await new Promise((done) => setTimeout(done, 20));
    }
}
export async function until(condition, what) {
    return comes(async () => Boolean(await condition()), true, what);
}

class Session {
    constructor(browser, folder, pageFolder, cairn) {
        Object.assign(this, { browser, folder, pageFolder, cairn, errors: [] });
    }

    async page({ width = 1440, height = 900, theme = "dark", ...more } = {}) {
        const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme, ...more });
        const page = await context.newPage();
        page.on("pageerror", (error) => this.errors.push(error.message));
        // The driver's remarks on reading pixels back are no fault of the page.
        page.on("console", (m) => m.type() === "error" && this.errors.push(m.text()));
        page.setDefaultTimeout(PATIENCE);
        if (SLOW > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOW });
        return page;
    }

    // A made-up run as a file on disk.
    write(run, name = "run.html") {
        const template = readFileSync(join(this.pageFolder, "replay.html"), "utf8");
        const path = join(this.folder, name);
        writeFileSync(path, template.replace("<!--cairn:data-->", () => dataElements(run)));
        return pathToFileURL(path).href;
    }
    async open(run, options = {}, hash = "") {
        const page = await this.page(options);
        await page.goto(this.write(run) + hash);
        await ready(page);
        return page;
    }
}

export async function ready(page) {
    await page.waitForFunction(() => window.cairn?.complete());
    await settled(page);
}
// The picture of the frame that was asked for is on the screen.
export async function settled(page) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForFunction(() => window.cairn.settled());
}

// The pixels of the scene's canvas: {width, height, data} with top row first, drawn lean or fine.
export async function pixels(page, fine = false) {
    const shot = await page.evaluate((fineToo) => {
        const { app } = window.cairn, { view } = app;
        view.draw(!fineToo);
        const gl = view.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
        const data = new Uint8Array(4 * w * h);
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
        let text = "";
        for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
        return { w, h, text: btoa(text) };
    }, fine);
    const raw = Buffer.from(shot.text, "base64"), { w: width, h: height } = shot;
    const at = (x, y) => raw.subarray(4 * ((height - 1 - y) * width + x), 4 * ((height - 1 - y) * width + x) + 4);
    return { width, height, at, raw };
}

export async function main(args) {
    const [pageFolder, cairn, ...wanted] = args;
    const executable = BROWSERS.find((path) => existsSync(path));
    if (!executable) return skip("no chromium here (tools/setup.sh browser)");
    if (!existsSync(join(pageFolder, "replay.html"))) return skip("the page was not built (it needs node and npm)");
    let chromium;
    try {
        ({ chromium } = await import("playwright-core"));
    } catch {
        return skip("playwright-core is not installed (npm ci in view/)");
    }
    let failed = 0;
    for (const name of wanted.length ? wanted : names()) failed += (await runOne(name, chromium, executable, pageFolder, cairn)) ? 0 : 1;
    process.exit(failed ? 1 : 0);
}

function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(SKIPPED);
}

async function runOne(name, chromium, executable, pageFolder, cairn) {
    if (!tests.has(name)) {
        console.log(`${name}: there is no such test`);
        return false;
    }
    const folder = mkdtempSync(join(tmpdir(), "cairn-browser-"));
    const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
    const session = new Session(browser, folder, pageFolder, cairn);
    let error = null, timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`it did not end within ${WHOLE / 1000} s`)), WHOLE)));
    try {
        await Promise.race([tests.get(name)(session), late]);
        if (session.errors.length) error = new Error(`the browser complained: ${session.errors.join("; ")}`);
    } catch (caught) {
        error = caught;
    } finally {
        clearTimeout(timer);
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
    }
    console.log(error ? `${name}: FAILED: ${error.message}` : `${name}: ok`);
    return !error;
}
