// The editor set-up of docs/guide/editor.md, with the YAML language server that editors run: the schema accepts every
// scene of the gallery, marks mistakes, offers keys and explains them.
//     node editor.mjs CAIRN SOURCE_DIR       exit code 77: the server is not installed (npm ci in view/)
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [cairn, source] = process.argv.slice(2);
const serverPath = join(source, "view/node_modules/yaml-language-server/out/server/src/server.js");
if (!existsSync(serverPath)) {
    console.log("skipped: yaml-language-server is not installed (npm --prefix view ci --ignore-scripts)");
    process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "cairn-editor-"));
writeFileSync(join(folder, "cairn.schema.json"), execFileSync(cairn, ["schema"]));

// The language server protocol: JSON with a header, over the server's standard input and output.
const server = spawn(process.execPath, [serverPath, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const answers = new Map(), diagnostics = new Map();
let number = 0, received = Buffer.alloc(0);
function write(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
const notify = (method, params) => write({ method, params });
const request = (method, params) => new Promise((done) => {
    answers.set(++number, done);
    write({ id: number, method, params });
});
function read(message) {
    if (message.method === "textDocument/publishDiagnostics") diagnostics.get(message.params.uri)?.(message.params.diagnostics);
    else if (message.method === "workspace/configuration") write({ id: message.id, result: message.params.items.map(() => ({})) });
    else if (message.method && message.id !== undefined) write({ id: message.id, result: null });
    else answers.get(message.id)?.(message.result);
}
server.stdout.on("data", (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, end))[1]);
        if (received.length < end + 4 + length) return;
        const text = received.subarray(end + 4, end + 4 + length).toString();
        received = received.subarray(end + 4 + length);
        read(JSON.parse(text));
    }
});

// What the editor marks in a scene, whose first line names the schema as the guide says.
function open(name, text) {
    const uri = `file://${folder}/${name}`;
    const marks = new Promise((done) => diagnostics.set(uri, done));
    notify("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1,
        text: `# yaml-language-server: $schema=cairn.schema.json\n${text}` } });
    return marks.then((list) => list.map((d) => `line ${d.range.start.line}: ${d.message}`));
}

let failed = 0;
function check(condition, what) {
    if (condition) return;
    console.log(`FAILED: ${what}`);
    failed++;
}
await request("initialize", { processId: process.pid, rootUri: `file://${folder}`, capabilities: { workspace: { configuration: true } } });
notify("initialized", {});
const scenes = join(source, "scenes");
for (const name of readdirSync(scenes).filter((n) => n.endsWith(".yaml"))) {
    const marks = await open(name, readFileSync(join(scenes, name), "utf8"));
    check(marks.length === 0, `${name}: ${marks.join("; ")}`);
}
const bad = await open("bad.yaml", "cairn: 1\ntime: {step: 0.01, until: 1, frmaes_every: 0.1}\nbodies:\n  - {name: a, fixed: maybe}\n");
check(bad.some((m) => m.startsWith("line 2:") && m.includes("frmaes_every")), `a misspelt key is not marked: ${bad.join("; ")}`);
check(bad.some((m) => m.startsWith("line 4:")), `a wrong kind of value is not marked: ${bad.join("; ")}`);
await open("new.yaml", "cairn: 1\nsolver:\n  \n");
const at = { textDocument: { uri: `file://${folder}/new.yaml` }, position: { line: 3, character: 2 } };
const offered = (await request("textDocument/completion", at)).items.map((i) => i.label);
check(offered.includes("tolerance"), `keys of solver offered: ${offered.join(" ")}`);
const hover = await request("textDocument/hover", { ...at, position: { line: 2, character: 2 } });
check(JSON.stringify(hover ?? "").length > 40, `no words about the key solver: ${JSON.stringify(hover)}`);
console.log(`${diagnostics.size} files opened, ${failed} checks failed`);
server.kill();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
