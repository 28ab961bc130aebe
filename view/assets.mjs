// Files as C arrays behind cn_asset_find (app/web/assets.h).
import { readFileSync, writeFileSync } from "node:fs";

// files: rows of address, media type, file to read.
export function writeAssets(output, files) {
    const arrays = [];
    const rows = [];
    files.forEach(([address, type, file], i) => {
        const bytes = readFileSync(file);
        arrays.push(`static const unsigned char cn_asset_${i}[] = {\n${byteLines(bytes)}0};\n`);
        rows.push(`    {"${address}", "${type}", cn_asset_${i}, ${bytes.length}},\n`);
    });
    writeFileSync(
        output,
        `// Made from view/; not to be edited.\n#include "web/assets.h"\n\n#include <string.h>\n\n${arrays.join("\n")}
static const cn_asset cn_assets[] = {
${rows.join("")}};

const cn_asset *cn_asset_find(const char *path) {
    for (size_t i = 0; i < sizeof cn_assets / sizeof *cn_assets; i++) {
        if (strcmp(cn_assets[i].path, path) == 0) {
            return &cn_assets[i];
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
