// What is shown and how: containers, hiding, forces beyond the scale, turning disks, contrast, blots, ticks, keys, touch targets.
import { equal, holds, near, pixels, settled, test } from "./harness.mjs";
import { box, chainsPair, disk, pileInBox, rowsOf, twoBalls } from "./made_up.mjs";

const bodiesShown = (page) => page.evaluate(() => {
    const { view, run } = window.cairn.app, t = view.poses.tint.image.data;
    return Array.from({ length: run.bodies.count }, (_, i) => t[4 * i + 3]);
});
// Colours of a stretch of pixels that are drawn, on the background that the page has behind the canvas.
const luminance = ([r, g, b]) => [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, c, k) => sum + [0.2126, 0.7152, 0.0722][k] * c, 0);
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
async function different(page, change, fine = false) {
    const before = await pixels(page, fine);
    await page.evaluate(change);
    await settled(page);
    const after = await pixels(page, fine);
    let count = 0;
    for (let i = 0; i < after.raw.length; i += 4) count += [0, 1, 2, 3].some((k) => Math.abs(after.raw[i + k] - before.raw[i + k]) > 12) ? 1 : 0;
    return count;
}

test("a_closed_container_does_not_hide_its_contents", async (t) => {
    const page = await t.open(pileInBox());
    const shown = await bodiesShown(page);
    holds(shown[0] > 0 && shown[0] < 128, `the box is not faded: ${shown[0]}`);
    equal(shown.slice(1), [255, 255, 255, 255], "the balls in it");
    // A ball is seen: in its middle the picture changes with its colour.
    const [x, y] = await page.evaluate(() => window.cairn.project(2));
    const scene = await page.locator("canvas.gl").boundingBox();
    const red = async () => { const p = await pixels(page); return Array.from(p.at(Math.round(x), Math.round(y))); };
    const before = await red();
    await page.evaluate(() => window.cairn.app.setVisibility([2], 2));
    await settled(page);
    holds(JSON.stringify(before) !== JSON.stringify(await red()), "the ball in the box is not seen");
    await page.evaluate(() => window.cairn.app.showAll());
    await settled(page);
    await page.evaluate(() => window.cairn.app.setVisibility([0], 1));
    await settled(page);
    await page.mouse.click(scene.x + x, scene.y + y);
    await page.waitForFunction(() => window.cairn.stats().selection === 2);
});

test("bodies_and_kinds_are_faded_hidden_and_isolated", async (t) => {
    const page = await t.open(pileInBox());
    const press = async (label) => { await page.getByRole("button", { name: label, exact: true }).first().click(); await settled(page); };
    await press("Hide body"); // the balls have no names: their group is "body"
    equal((await bodiesShown(page)).slice(1), [0, 0, 0, 0], "hidden balls");
    await press("Show all");
    equal(await bodiesShown(page), [255, 255, 255, 255, 255], "all shown");
    await press("Show only box");
    equal((await bodiesShown(page)).slice(0, 2), [255, 0], "the box alone");
    await page.keyboard.press("u");
    await page.evaluate(() => window.cairn.select(3));
    await page.keyboard.press("Shift+Y");
    await settled(page);
    const faded = (await bodiesShown(page))[3];
    holds(faded > 0 && faded < 128, `Shift+Y does not fade: ${faded}`);
    await page.waitForFunction(() => location.hash.includes("faded=4"));
    await page.keyboard.press("z");
    await settled(page);
    equal((await bodiesShown(page)).map((a) => (a > 0 ? 1 : 0)), [0, 0, 0, 1, 0], "isolated by Z");
    // The address brings it back.
    const again = await t.open(pileInBox(), {}, "#hidden=2-3&faded=");
    equal((await bodiesShown(again)).map((a) => (a > 0 ? 1 : 0)), [1, 0, 0, 1, 1], "hidden by the address");
});

test("forces_beyond_the_scale_are_told", async (t) => {
    const page = await t.open(chainsPair());
    holds(!(await page.locator(".legend").textContent()).includes("above"), "nothing is beyond the run's own scale");
    await page.evaluate(() => window.cairn.setLayer("chains", { range: 8 }));
    await settled(page);
    const text = await page.locator(".legend").textContent();
    holds(/8/.test(await page.locator(".legend .ends").textContent()), `the legend ends at the scale that was set: ${text}`);
    holds(text.includes("2 above") && text.includes("largest 20"), `the legend does not say what is beyond it: ${text}`);
    const field = page.getByLabel("Force at which widths end [N]");
    await field.fill("40");
    await field.press("Enter");
    await settled(page);
    equal(await page.evaluate(() => window.cairn.app.state.layers.chains.range), 40, "the scale by its field");
});

test("turning_disks_and_rings_are_seen_to_turn", async (t) => {
    const ring = { name: "drum", kind: "fixed", mass: null, shapes: [{ ring: { radius: 3 }, position: [0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] }] };
    for (const [what, turned] of [["disk", [0, 1.5]], ["ring", [0.26, 0]]]) {
        const page = await t.open({ name: "turning", dim: 2, h: 0.01, columns: [], rows: rowsOf(1, 0.01), bounds: { low: [-3, -3], high: [3, 3] },
            bodies: [ring, disk(1)], frames: [{ step: 0, t: 0, position: [0, 0, 0, 0] }, { step: 1, t: 0.01, position: [0, 0, 0, 0], orientation: turned }] });
        const changed = await different(page, () => window.cairn.seekStep(1));
        holds(changed > 60, `a ${what} that turns changes ${changed} pixels with force chains on`);
        await page.context().close();
    }
});

test("bodies_of_the_plane_stand_out_from_the_background", async (t) => {
    for (const [theme, width, height] of [["dark", 1440, 900], ["light", 1440, 900], ["dark", 390, 844], ["light", 390, 844]]) {
        const page = await t.open(chainsPair(), { theme, width, height });
        await page.evaluate(() => window.cairn.setLayer("chains", { on: false }));
        await settled(page);
        const picture = await pixels(page), [x, y] = await page.evaluate(() => window.cairn.project(0));
        const [top, bottom] = await page.evaluate(() => ["--scene-top", "--scene-bottom"].map((name) => {
            const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
            return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
        }));
        let best = 0; // of the outline: across it, along a row
        for (let d = 0; d < picture.width / 2; d++) {
            const p = picture.at(Math.round(x) - d, Math.round(y));
            if (p[3] > 200) best = Math.max(best, Math.min(contrast(p, top), contrast(p, bottom)));
        }
        holds(best >= 3, `contrast of a disk's outline in ${theme} at ${width} px: ${best.toFixed(2)}, at least 3`);
        await page.context().close();
    }
});

test("a_body_in_the_air_has_a_blot_on_the_ground_in_software", async (t) => {
    const page = await t.open(twoBalls());
    await page.evaluate(() => { window.cairn.setLayer("bodies", { opacity: 1 }); window.cairn.app.view.isLean = true; });
    await settled(page);
    const dark = async (at) => {
        const p = await pixels(page), [x, y] = await page.evaluate((point) => window.cairn.app.view.project(point), at);
        return luminance(p.at(Math.round(x), Math.round(y)));
    };
    // Beside the foot of the ball at rest, in front of it, and far away from both.
    const near1 = await dark([0.6, 2.15, 0]), far1 = await dark([2.4, -0.6, 0]);
    holds(near1 < 0.8 * far1, `the ground under a ball has ${near1.toFixed(4)}, elsewhere ${far1.toFixed(4)}`);
});

test("a_system_at_rest_has_not_failed", async (t) => {
    const run = twoBalls({ change: () => ({ balance: 3e-17, kinetic: 0, dissipated_friction: 0 }) });
    run.limits = { gain: [0, 0], loss: [0, 0] };
    const page = await t.open(run);
    await page.evaluate(() => window.cairn.seekStep(50));
    await settled(page);
    holds((await page.locator(".badge").textContent()).includes("Verified"), `the badge says ${await page.locator(".badge").textContent()}`);
});

test("the_inspector_sums_forces_and_measures", async (t) => {
    const run = twoBalls();
    run.joints = [{ name: "elbow", kind: "hinge", bodies: [1, 2], points: [[0, 0, 0], [0, 0, 0]], axis: [0, 1, 0] }];
    for (const frame of run.frames) frame.joints = [{ value: Math.PI / 6, rate: 0, effort: 12.5, force: [3, 0, 4] }];
    const page = await t.open(run);
    await page.evaluate(() => { window.cairn.seekStep(50); window.cairn.select(1); });
    await settled(page);
    const body = await page.evaluate(() => window.cairn.body(1));
    equal(body.contactForce, [-3, 4, 40], "sum of the contact forces on the mover");
    equal((await page.evaluate(() => window.cairn.body(0).contactForce)), [-2, -4, -50], "sum on the ground");
    const text = () => page.locator(".inspector").textContent();
    holds((await text()).includes("−3.000, 4.000, 40.000"), `no sum of forces: ${await text()}`);
    for (const word of ["elbow", "30.00°", "12.5", "5.00"]) holds((await text()).includes(word), `the joint lacks "${word}": ${await text()}`);
    await page.keyboard.press("w");
    await page.evaluate(() => window.cairn.select(2));
    await settled(page);
    equal(await page.evaluate(() => window.cairn.stats().selection), 1, "the selection stays");
    holds((await text()).includes("To rester") && (await text()).includes("3.000"), `no distance: ${await text()}`);
    near(await page.evaluate(() => window.cairn.app.layout.inspector.between(1, 2).gap), 1, 1e-6, "gap between two balls of 1 m, 3 m apart [m]");
});

test("pressure_is_by_the_volume_of_the_body", async (t) => {
    const run = { name: "pressed", dim: 3, h: 0.01, columns: [], rows: rowsOf(1, 0.01), bounds: { low: [0, 0, 0], high: [1, 1, 1] },
        bodies: [box([4, 1, 0.5], { name: "plate" }), box([9, 9, 1], { name: "press", kind: "fixed", mass: null })],
        frames: [{ step: 1, t: 0.01, position: [0, 0, 0.25, 0, 0, -0.5],
            contacts: [{ a: 0, b: 1, point: [0, 0, 0], normal: [0, 0, 1], force: [0, 0, 80] }, { a: 0, b: 1, point: [0, 0, 0.5], normal: [0, 0, -1], force: [0, 0, -80] }] }] };
    const page = await t.open(run);
    await page.evaluate(() => window.cairn.setLayer("bodies", { colour: "pressure" }));
    await settled(page);
    // Two forces of 80 N, 0.5 m apart, on 2 m^3: 40 J over three times the volume.
    const [volume, range] = await page.evaluate(() => [window.cairn.app.run.bodies.volume?.(0), window.cairn.app.view.range]);
    near(volume, 2, 1e-6, "volume [m^3]");
    near(range, 10, 1e-6, "the range above 40/6 Pa = 6.7 Pa");
});

test("plots_have_complete_ticks", async (t) => {
    const page = await t.open(twoBalls({ change: (step) => ({ penetration_max: 1e-6 * (1 + step / 50), residual: 10 ** (-9 + 3 * Math.sin(step)) }) }), { height: 1100 });
    await page.waitForFunction(() => window.cairn.app.layout.plots.plots.every((p) => p.chart));
    const axes = await page.evaluate(() => window.cairn.app.layout.plots.plots.map(({ chart, kind }) => ({
        key: kind.key, x: chart.axes[0]._values.filter(Boolean), y: chart.axes[1]._values.filter((v) => v !== null && v !== ""), places: chart.axes[1]._splits,
        low: chart.scales.y.min, high: chart.scales.y.max,
    })));
    for (const { key, y } of axes) {
        holds(y.length >= 2 && new Set(y).size === y.length, `${key}: ticks ${JSON.stringify(y)}: at least two, all different`);
        if (key !== "residual") holds(y.length >= 3, `${key}: ticks ${JSON.stringify(y)}: at least three`);
    }
    const last = axes.at(-1).x;
    holds(last.length >= 3 && last.at(-1).endsWith("s"), `the time axis: ${JSON.stringify(last)}`);
});

test("buttons_are_large_enough_for_a_finger", async (t) => {
    const page = await t.open(twoBalls(), { width: 390, height: 844, hasTouch: true });
    await page.evaluate(() => { window.cairn.seekStep(50); window.cairn.select(1); });
    for (const tab of ["layers", "plots", "inspect"]) {
        await page.evaluate((name) => window.cairn.app.layout.setTab(name), tab);
        await settled(page);
        const small = await page.evaluate(() => [...document.querySelectorAll("button, select, input")].filter((e) => e.offsetParent && !e.disabled).map((e) => [e, e.getBoundingClientRect()])
            .filter(([, r]) => r.width > 0 && (r.width < 23.9 || r.height < 23.9)).map(([e, r]) => `${e.className || e.tagName} "${(e.getAttribute("aria-label") ?? e.textContent).slice(0, 20)}" ${r.width.toFixed(0)} x ${r.height.toFixed(0)}`));
        equal(small, [], `controls below 24 px on a phone, ${tab}`);
    }
});

test("a_key_does_one_thing_wherever_the_focus_is", async (t) => {
    const page = await t.open(twoBalls());
    const state = () => page.evaluate(() => { const { camera } = window.cairn.app.view, c = window.cairn.app; return { distance: camera.distance, azimuth: camera.azimuth, speed: c.playback.speed, frame: c.state.frame }; });
    for (const place of ["canvas", "page"]) {
        await page.evaluate((where) => (where === "canvas" ? document.querySelector("canvas.gl").focus() : document.activeElement.blur()), place);
        const before = await state();
        await page.keyboard.press("-");
        const zoomed = await state();
        holds(zoomed.distance > before.distance && zoomed.speed === before.speed, `"-" zooms out with the focus on the ${place}: ${JSON.stringify([before, zoomed])}`);
        await page.keyboard.press("ArrowLeft");
        const turned = await state();
        holds(turned.azimuth !== zoomed.azimuth && turned.frame === zoomed.frame, `an arrow turns the scene with the focus on the ${place}`);
        await page.keyboard.press("s");
        holds((await state()).speed > before.speed, `S is faster with the focus on the ${place}`);
        await page.keyboard.press("a");
    }
    // The help names each key once.
    const keys = await page.evaluate(() => { document.querySelector('[aria-label="Keys"]').click(); return [...document.querySelectorAll(".keys-table kbd")].flatMap((k) => k.textContent.split(" ")).filter((k) => k !== "Shift"); });
    const twice = keys.filter((k, i) => keys.indexOf(k) !== i && ![",", "."].includes(k));
    equal(twice, [], "keys that the help names twice");
});

test("a_video_without_length_is_refused", async (t) => {
    const page = await t.open(twoBalls());
    await page.evaluate(() => window.cairn.seekStep(100));
    await settled(page);
    const saved = [];
    page.on("download", (d) => saved.push(d.suggestedFilename()));
    await page.evaluate(() => window.cairn.app.capture.toggleVideo());
    await page.waitForFunction(() => document.querySelector(".notice").textContent.includes("no length"));
    equal([await page.evaluate(() => window.cairn.app.capture.busy), saved], [false, []], "recording and files of a video without length");
});

test("a_mesh_that_is_not_convex_is_drawn_picked_and_weighed", async (t) => {
    // A square frame: a hole in the middle, of which nothing may be drawn or picked.
    const ring = (z, r) => [[-r, -r, z], [r, -r, z], [r, r, z], [-r, r, z]];
    const vertices = [...ring(0, 2), ...ring(0, 1), ...ring(1, 2), ...ring(1, 1)], faces = [];
    for (let k = 0; k < 4; k++) {
        const l = (k + 1) % 4;
        faces.push([k, l, 8 + l, 8 + k], [4 + l, 4 + k, 12 + k, 12 + l], [8 + k, 8 + l, 12 + l, 12 + k], [l, k, 4 + k, 4 + l]);
    }
    const page = await t.open({ name: "frame", dim: 3, h: 0.01, columns: [], rows: rowsOf(1, 0.01), bounds: { low: [-2, -2, 0], high: [2, 2, 1] },
        bodies: [{ name: "frame", shapes: [{ mesh: { vertices, faces }, position: [0, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1] }] }],
        frames: [{ step: 1, t: 0.01, position: [0, 0, 0] }] }, {}, "#camera=top");
    await settled(page);
    const hit = (point) => page.evaluate((p) => { const { view } = window.cairn.app, [x, y] = view.project(p); return view.pick((2 * x) / view.width - 1, 1 - (2 * y) / view.height)?.body ?? -1; }, point);
    equal([await hit([1.5, 0, 1]), await hit([0, 0, 1])], [0, -1], "picked on the frame and in its hole");
    near(await page.evaluate(() => window.cairn.app.run.bodies.volume(0)), 12, 1e-6, "volume [m^3]");
});

// What `cairn render` draws by the page: the scene alone, however small.
test("a_picture_of_any_size_is_the_scene_alone", async (t) => {
    for (const [width, height] of [[400, 300], [760, 500], [1440, 900]]) {
        const page = await t.open(twoBalls(), { width, height }, "#picture");
        const others = await page.evaluate(() => [".top", ".bar", ".left", ".right", ".tabs", ".views"].filter((s) => document.querySelector(s).getClientRects().length));
        equal(others, [], `parts of the page beside the scene at ${width} px`);
        const box = await page.locator("canvas.gl").boundingBox();
        equal([box.width, box.height], [width, height], "size of the scene");
        await page.context().close();
    }
});

test("numbers_of_a_body_stay_in_their_panel", async (t) => {
    const run = twoBalls();
    for (const frame of run.frames) Object.assign(frame, { position: frame.position.map((x) => 0.238015 * (x + 1)), spin: [0, 0, 0, -0.502411, 0.097391, -0.153967, 0, 0, 0] });
    for (const [width, height] of [[1440, 900], [390, 844]]) {
        const page = await t.open(run, { width, height });
        await page.evaluate(() => { window.cairn.app.layout.setTab("inspect"); window.cairn.seekStep(50); window.cairn.select(1); });
        await settled(page);
        const out = await page.evaluate(() => {
            const { right } = document.querySelector(".inspector").getBoundingClientRect();
            return [...document.querySelectorAll(".inspector *")].filter((e) => e.getBoundingClientRect().right > right + 1).map((e) => e.textContent);
        });
        equal(out, [], `texts beyond the panel at ${width} px`);
        await page.context().close();
    }
});

test("no_empty_legend_on_a_phone", async (t) => {
    const page = await t.open(twoBalls(), { width: 390, height: 844 });
    await page.evaluate(() => window.cairn.setLayer("chains", { on: false }));
    await settled(page);
    const empty = await page.evaluate(() => { const e = document.querySelector(".legend"); return e.getClientRects().length > 0 && ![...e.children].some((c) => c.getClientRects().length > 0); });
    equal(empty, false, "a legend is shown that has nothing in it");
});
