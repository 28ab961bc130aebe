// Shader materials: all share the uniforms of the view by reference, and put premultiplied colour on a transparent canvas.
import { CustomBlending, DoubleSide, GLSL3, OneFactor, OneMinusSrcAlphaFactor, RawShaderMaterial } from "three";

import { HEAD } from "./glsl.js";

// What an object is drawn with: the fine picture with shadows, a quick one without, and as the light sees it.
export function attachMaterials(object, uniforms, vertex, fragment, depthFragment, options = {}) {
    const quick = material(uniforms, vertex, fragment, options);
    object.userData.quick = quick;
    object.userData.fine = material(uniforms, vertex, fragment, { ...options, defines: { FINE: 1 } });
    object.userData.depth = depthFragment && material(uniforms, vertex, depthFragment);
    object.material = quick;
    object.frustumCulled = false;
    return object;
}

export function material(uniforms, vertex, fragment, options = {}) {
    const { own = {}, defines = {}, ...rest } = options;
    return new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { ...uniforms, ...own },
        vertexShader: HEAD + "uniform mat4 projectionMatrix, viewMatrix;\n" + vertex,
        fragmentShader: HEAD + fragment,
        defines: { ...defines },
        side: DoubleSide,
        blending: CustomBlending,
        blendSrc: OneFactor,
        blendDst: OneMinusSrcAlphaFactor,
        ...rest,
    });
}
