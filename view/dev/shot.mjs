// Pictures of a page for looking at: node dev/shot.mjs ADDRESS OUTPUT.png [WIDTHxHEIGHT] [JavaScript on window.cairn as c]
import { chromium } from "playwright-core";

const [address, output, size = "1440x900", script = ""] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width, height }, colorScheme: "dark" });
page.on("console", (message) => console.log(message.type(), message.text()));
page.on("pageerror", (error) => console.log("error", error.stack));
await page.goto(address);
await page.waitForFunction(() => window.cairn?.ready(), null, { timeout: 30000 }).catch((e) => console.log(e.message));
if (script) await page.evaluate(`(async (c) => { ${script} })(window.cairn)`);
await page.waitForTimeout(600);
await page.waitForFunction(() => window.cairn?.settled(), null, { timeout: 30000 }).catch((e) => console.log(e.message));
await page.waitForTimeout(300);
console.log(JSON.stringify(await page.evaluate(() => window.cairn.stats())));
await page.screenshot({ path: output });
await browser.close();
