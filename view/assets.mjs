// Files as C arrays behind asset_find (app/web/assets.h).
import { readFileSync, writeFileSync } from "node:fs";

// files: rows of address, media type, file to read.
export function writeAssets(output, files) {
    const arrays = [];
    const rows = [];
    files.forEach(([address, type, file], i) => {
        const bytes = readFileSync(file);
        arrays.push(`static const unsigned char asset_${i}[] = {\n${byteLines(bytes)}0};\n`);
        rows.push(`    {"${address}", "${type}", asset_${i}, ${bytes.length}},\n`);
    });
    writeFileSync(
        output,
        `// Made from view/; not to be edited.\n#include "web/assets.h"\n\n#include <string.h>\n\n${arrays.join("\n")}
static const web_asset assets[] = {
${rows.join("")}};

const web_asset *asset_find(const char *path) {
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        if (strcmp(assets[i].path, path) == 0) {
            return &assets[i];
        }
    }
    return NULL;
}
`,
    );
}

function byteLines(bytes) {
    const lines = [];
    for (let i = 0; i < bytes.length; i += 64) {
        lines.push(bytes.subarray(i, i + 64).join(",") + ",\n");
    }
    return lines.join("");
}
