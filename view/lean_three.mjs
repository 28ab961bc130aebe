// An esbuild plug-in that leaves out what the page does not use of three.js: the shaders of its own materials (ours are raw)
// and the tables that they need. It halves the script.
import { join } from "node:path";

const EMPTY = {
    "ShaderChunk.js": "export const ShaderChunk = {};",
    "ShaderLib.js": "export const ShaderLib = {};",
    "DFGLUTData.js": "export const getDFGLUT = () => null;",
};

export function leanThree(here) {
    const source = join(here, "node_modules/three/src");
    return {
        name: "lean-three",
        setup(build) {
            build.onResolve({ filter: /^three$/ }, () => ({ path: join(source, "Three.js"), sideEffects: false }));
            build.onLoad({ filter: /renderers[/\\]shaders[/\\](ShaderChunk|ShaderLib|DFGLUTData)\.js$/ }, ({ path }) => ({
                contents: EMPTY[path.split(/[/\\]/).at(-1)],
            }));
        },
    };
}
