// Pieces that the shaders of the scene share.
//
// Poses and colours of bodies lie in textures, so a frame is two small uploads whatever the shapes, and nothing is
// instanced: an instance costs tens of microseconds in software GL. Lighting is in view space; colours are squared
// for gamma 2, which needs no pow.

const FADED = `bool isFaded(vec4 tint) {
    return tint.a > 0.3 && tint.a < 0.5;
}
`;

export const POSE = `
uniform highp sampler2D uPose, uTint;
vec4 poseTexel(int body, int k) {
    int i = 2 * body + k;
    return texelFetch(uPose, ivec2(i & 1023, i >> 10), 0);
}
vec4 tintOf(int body) {
    return texelFetch(uTint, ivec2(body & 1023, body >> 10), 0);
}
// Faded bodies are drawn after the opaque ones. uPass: 0 opaque bodies, 1 faded ones, 2 both (in the plane).
uniform float uPass;
${FADED}bool isDrawn(vec4 tint) {
    return tint.a > 0.0 && (uPass > 1.5 || isFaded(tint) == (uPass > 0.5));
}
vec3 turn(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
`;

export const LIGHT = `
${FADED}uniform vec3 uKeyDir, uKey, uSky, uBounce, uUp;
uniform highp sampler2DShadow uShadowMap;
uniform mat4 uShadowMatrix;
uniform float uShadowOffset, uShadowTexel, uShadowStrength, uShadowTaps, uPerspective;
vec3 eyeAt(vec3 p) {
    return uPerspective > 0.5 ? normalize(-p) : vec3(0.0, 0.0, 1.0);
}
// The share of the key light that arrives: taps around the place, turned a little from pixel to pixel.
float lightAt(vec3 p, vec3 n) {
#ifndef FINE
    return 1.0;
#else
    vec3 s = (uShadowMatrix * vec4(p + n * uShadowOffset, 1.0)).xyz;
    float a = 6.2832 * fract(52.9829 * fract(dot(gl_FragCoord.xy, vec2(0.06711, 0.00584))));
    vec2 e = vec2(cos(a), sin(a)) * uShadowTexel;
    float sum = 0.0;
    for (float k = 0.5; k < uShadowTaps; k += 1.0) {
        float r = 4.5 * sqrt(k / uShadowTaps);
        sum += texture(uShadowMap, vec3(s.xy + r * e, s.z));
        e = mat2(-0.7374, 0.6755, -0.6755, -0.7374) * e; // the golden angle
    }
    return 1.0 - uShadowStrength * (1.0 - sum / uShadowTaps);
#endif
}
vec3 lit(vec3 colour, vec3 n, vec3 p) {
    vec3 eye = eyeAt(p);
    float facing = max(dot(n, eye), 0.0);
    float direct = max(dot(n, uKeyDir), 0.0);
    vec3 ambient = mix(uBounce, uSky, 0.5 + 0.5 * dot(n, uUp));
#ifdef FINE
    if (direct > 0.0) direct *= lightAt(p, n);
    float grazing = (1.0 - facing) * (1.0 - facing);
    float shine = max(dot(n, normalize(uKeyDir + eye)), 0.0);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine;
    vec3 c = colour * colour * (ambient + uKey * direct) + uSky * (0.07 * grazing * grazing) + 0.045 * shine * direct;
#else
    vec3 c = colour * colour * (ambient * (0.5 + 0.5 * facing) + uKey * direct);
#endif
    return sqrt(c / (0.82 + 0.35 * c)); // highlights roll off instead of burning out
}
// Where bodies are see-through only their rims are drawn.
float rimAlpha(vec3 n, vec3 p) {
    float x = max(0.0, 1.0 - abs(dot(n, eyeAt(p))));
    return 0.035 + 0.17 * x * x * sqrt(sqrt(x));
}
`;

// Only while something is sliced (SLICE): tests in every pixel are dear in software.
export const CUT = `
uniform vec4 uCut; // in view space; the side where it is positive is taken away
#ifdef SLICE
bool isCut(vec3 p) {
    return dot(uCut.xyz, p) + uCut.w > 0.0;
}
#else
#define isCut(p) false
#endif
`;

export const HEAD = `precision highp float;
precision highp int;
`;
