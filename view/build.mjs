// Builds the page: node build.mjs [OUTPUT_FOLDER], build/view unless given
//
// Writes app.js, app.css, index.html (what the server hands out), replay.html (the whole page in one file, with
// a place for data) and assets.c (all of them as C arrays, see app/web/assets.h).
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import { build } from "esbuild";

import { writeAssets } from "./assets.mjs";
import { leanThree } from "./lean_three.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "../build/view");
mkdirSync(output, { recursive: true });

await build({
    entryPoints: { app: join(here, "src/main.js") },
    outdir: output,
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    plugins: [leanThree(here)],
    loader: { ".woff2": "dataurl", ".glsl": "text" },
    logLevel: "warning",
});

const script = readFileSync(join(output, "app.js"), "utf8");
const style = readFileSync(join(output, "app.css"), "utf8");
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(output, "index.html"), page);
writeFileSync(join(output, "replay.html"), singleFile());
writeAssets(join(output, "assets.c"), [
    ["/", "text/html; charset=utf-8", join(output, "index.html")],
    ["/app.js", "text/javascript; charset=utf-8", join(output, "app.js")],
    ["/app.css", "text/css; charset=utf-8", join(output, "app.css")],
    ["/replay.html", "text/html; charset=utf-8", join(output, "replay.html")],
]);

// The page with its script and style inside. The script is deflated, which keeps an export small; a few lines
// inflate and start it. The policy names both by their hashes and leaves no way to the network.
function singleFile() {
    const loader = readFileSync(join(here, "src/loader.js"), "utf8");
    const packed = deflateRawSync(Buffer.from(script), { level: 9 }).toString("base64");
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const policy = [
        "default-src 'none'",
        `script-src ${hash(loader)} blob:`,
        `style-src ${hash(style)}`,
        "img-src data: blob:",
        "media-src blob:",
        "font-src data:",
    ].join("; ");
    return page
        .replace(
            '<link rel="stylesheet" href="app.css">',
            () => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
        )
        .replace(
            '<script src="app.js" defer></script>',
            () =>
                "<!--cairn:data-->\n" +
                `<script type="application/octet-stream" id="cairn-app">${packed}</script>\n` +
                `<script>${loader}</script>`,
        );
}
