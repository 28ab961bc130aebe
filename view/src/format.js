// Numbers as text: SI prefixes, three significant digits, a true minus, thin spaces between thousands.
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const THIN = "\u2009", MINUS = "\u2212";

export function minus(text) {
    return text.replace("-", MINUS);
}

// The prefix that suits a size: [factor, text]. Masses and counts choose their own.
export function prefixFor(size, unit) {
    const x = Math.abs(size);
    if (unit === "m" && x >= 1e3) return [1e3, "k"];
    if (!(x > 0) || !Number.isFinite(x) || unit === "") return [1, ""];
    for (const [factor, text] of PREFIXES) {
        if (x >= factor * 0.9995) return [factor, text];
    }
    return [1, ""]; // round-off: shown with its exponent
}

// 3 significant digits without exponent where that is readable.
export function digits(x, significant = 3) {
    if (x === 0) return "0";
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "not a number" : x > 0 ? "∞" : `${MINUS}∞`;
    const size = Math.abs(x);
    if (size >= 1e6 || size < 1e-3) return exponent(x);
    const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(size)));
    return thousands(x.toFixed(Math.min(decimals, 8)));
}

export function exponent(x, decimals = 1) {
    if (x === 0) return "0";
    if (!Number.isFinite(x)) return digits(x);
    const [mantissa, power] = x.toExponential(decimals).split("e");
    return `${minus(mantissa)}e${minus(power.replace("+", ""))}`;
}

export function thousands(text) {
    const [whole, rest] = String(text).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
    return minus(rest === undefined ? grouped : `${grouped}.${rest}`);
}

// {value, unit} with an SI prefix: 4.26e-6 m gives "4.26", "µm".
export function withUnit(x, unit, significant = 3) {
    if (unit === "kg") return massText(x, significant);
    const [factor, prefix] = prefixFor(x, unit);
    return { value: digits(x / factor, significant), unit: prefix + unit };
}

function massText(x, significant) {
    const size = Math.abs(x);
    if (size >= 1e4) return { value: digits(x / 1e3, significant + 1), unit: "t" };
    if (size < 1 && size > 0) return { value: digits(x * 1e3, significant + 1), unit: "g" };
    return { value: digits(x, significant + 1), unit: "kg" };
}

// A vector with one prefix for all of it: "0.091, −1.702, 7.475", "m".
export function vectorText(v, unit, decimals = 3) {
    const size = Math.max(...v.map(Math.abs));
    const [factor, prefix] = prefixFor(size, unit), tiny = size > 0 && size < 1e-12;
    const places = size / factor >= 100 ? decimals - 1 : decimals; // six digits at most
    const shown = v.map((x) => (tiny ? exponent(x) : thousands((x / factor).toFixed(places)).replace(/^−(0\.0*)$/, "$1")));
    return { value: shown.join(", "), unit: prefix + unit };
}

// Decimals that show one time step: h = 1e-3 gives 3.
export function timeDecimals(h) {
    return h > 0 ? Math.min(9, Math.max(2, Math.ceil(-Math.log10(h) - 1e-9))) : 3;
}

export function count(n) {
    return thousands(Math.round(n));
}
