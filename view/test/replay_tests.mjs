// Replay: what is drawn, scrubbing, selecting, plots, trust.
import { equal, holds, near, pixels, settled, test } from "./harness.mjs";
import { chainsPair, manyBalls, oneBall, softSquare, twoBalls } from "./made_up.mjs";

const covered = (picture) => {
    let count = 0;
    for (let i = 3; i < picture.raw.length; i += 4) count += picture.raw[i] > 0 ? 1 : 0;
    return count;
};

test("a_file_from_disk_is_drawn", async (t) => {
    const page = await t.open(twoBalls());
    equal(await page.evaluate(() => window.cairn.stats().bodies), 3, "bodies");
    const picture = await pixels(page);
    holds(covered(picture) > 0.05 * picture.width * picture.height, `only ${covered(picture)} pixels are drawn`);
});

// The width of what is drawn, in the world, by a row of pixels through the middle of the square.
const widthOf = async (page) => {
    const picture = await pixels(page), [low, high] = await page.evaluate(() => [window.cairn.app.view.project([-1, 0.1, 0]), window.cairn.app.view.project([1, 0.1, 0])]);
    const scale = picture.width / (await page.evaluate(() => window.cairn.app.view.width)), row = Math.round(low[1] * scale);
    let count = 0;
    for (let x = 0; x < picture.width; x++) count += picture.raw[4 * (row * picture.width + x) + 3] > 128 ? 1 : 0;
    return (2 * count) / ((high[0] - low[0]) * scale);
};

test("deformable_bodies_are_drawn_as_they_are_bent", async (t) => {
    const page = await t.open(softSquare());
    await page.evaluate(() => { window.cairn.seekStep(0); window.cairn.app.setLayer("chains", { on: false }); });
    await settled(page);
    near(await widthOf(page), 2, 0.04, "width at the start");
    await page.evaluate(() => window.cairn.seekStep(1));
    await settled(page);
    near(await widthOf(page), 2.2, 0.04, "width when pulled");
    await page.evaluate(() => window.cairn.app.setLayer("deformed", { on: true, power: 0.5 }));
    await settled(page);
    near(await widthOf(page), 2 + 0.2 * Math.sqrt(10), 0.05, "width magnified");
});

test("stresses_colour_elements_and_have_crosses", async (t) => {
    const page = await t.open(softSquare());
    await page.evaluate(() => {
        window.cairn.seekStep(1);
        window.cairn.app.setLayer("bodies", { colour: "mises" });
        window.cairn.app.setLayer("crosses", { on: true });
    });
    await settled(page);
    const [field, range, lines, cross] = await page.evaluate(() => {
        const { view } = window.cairn.app;
        return [[...view.field], view.range, view.lines.crosses.count, view.crossRange];
    });
    equal(field, [3e6, 4e6], "von Mises stress of the elements [Pa]");
    equal(range, 5e6, "end of the colours [Pa]");
    equal(lines, 4, "two lines an element");
    equal(cross, 5e6, "length of the crosses [Pa]");
    const legend = await page.locator(".legend").textContent();
    holds(legend.includes("Von Mises stress") && legend.includes("MPa") && legend.includes("Tension"), `the legend says ${legend}`);
    const tensions = await page.evaluate(() => { const f = window.cairn.app.run.bodies.soft; return ["tension", "compression"].map((n) => [...f.field(n, window.cairn.app.shown.frame)]); });
    equal(tensions, [[3e6, 0], [0, 4e6]], "largest tension and pressure [Pa]");
});

test("both_themes_and_three_widths_have_no_overflow", async (t) => {
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
        for (const theme of ["dark", "light"]) {
            const page = await t.open(twoBalls(), { width, height, theme });
            equal(await page.evaluate(() => document.documentElement.dataset.theme), theme, "theme");
            const wide = await page.evaluate(() => [".top", ".controls", ".bar", "#app"].filter((s) => {
                const e = document.querySelector(s);
                return e.scrollWidth > e.clientWidth + 1;
            }));
            equal(wide, [], `parts wider than their place at ${width} px, ${theme}`);
            await page.context().close();
        }
    }
});

test("scrubbing_changes_the_picture_and_all_that_shows_time", async (t) => {
    const run = twoBalls();
    const page = await t.open(run);
    const before = await pixels(page);
    const box = await page.locator(".track").boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 20);
    await settled(page);
    const after = await pixels(page);
    let changed = 0;
    for (let i = 0; i < before.raw.length; i += 4) changed += Math.abs(before.raw[i] - after.raw[i]) > 16 ? 1 : 0;
    holds(changed > 500, `only ${changed} pixels changed`);
    const stats = await page.evaluate(() => window.cairn.stats());
    equal(stats.step, 60, "step after a click at 0.6");
    holds((await page.locator(".clock").textContent()).startsWith("0.60"), "the clock shows 0.60");
    const head = await page.evaluate(() => {
        const { plots } = window.cairn.app.layout, plot = plots.plots[0];
        return [parseFloat(plot.head.style.left), plot.chart.valToPos(0.6, "x") + plot.chart.bbox.left / devicePixelRatio];
    });
    near(head[0], head[1], 1, "playhead of the first plot [px]");
    await page.waitForFunction(() => location.hash.includes("step=60"));
});

test("many_seeks_end_on_the_last_one", async (t) => {
    const page = await t.open(twoBalls({ steps: 400, every: 2 }));
    await page.evaluate(() => {
        for (let k = 0; k < 200; k++) window.cairn.seekStep((k * 7919) % 400);
        window.cairn.seekStep(246);
    });
    await settled(page);
    equal(await page.evaluate(() => window.cairn.app.shown.frame.step), 246, "step shown");
});

test("a_click_selects_the_body_and_shows_its_numbers", async (t) => {
    const run = twoBalls();
    const page = await t.open(run);
    await page.evaluate(() => { window.cairn.look("front"); window.cairn.seekStep(50); });
    await settled(page);
    const scene = await page.locator("canvas.gl").boundingBox();
    const [x, y] = await page.evaluate(() => window.cairn.project(1));
    await page.mouse.click(scene.x + x, scene.y + y);
    await page.waitForFunction(() => window.cairn.stats().selection === 1);
    await settled(page);
    const body = await page.evaluate(() => { const b = window.cairn.body(1); return { ...b, neighbours: b.neighbours.map(({ body, force, used }) => ({ body, force, used })) }; });
    equal(body.position, [0, 0, 1], "position");
    equal(body.velocity, [4, 0, 0], "velocity");
    near(body.kinetic, 0.5 * 2.5 * 16 + 0.5 * 16, 1e-5, "kinetic energy");
    near(body.neighbours[0].force, 40, 1e-4, "normal force");
    near(body.neighbours[0].used, 5 / 20, 1e-6, "friction used");
    const text = await page.locator(".inspector").textContent();
    for (const word of ["mover", "2.500", "0.000, 0.000, 1.000", "4.000, 0.000, 0.000", "ground", "40.0", "25 %"]) holds(text.includes(word), `the inspector lacks "${word}": ${text}`);
});

test("a_sphere_covers_its_analytic_outline", async (t) => {
    for (const place of [[0, 0, 0], [2.6, 0, 1.8]]) {
        for (const radius of [0.2, 1.2]) {
            const page = await t.open(oneBall(radius, place), {}, "#camera=front");
            for (const fine of [false, true]) {
                const picture = await pixels(page, fine);
                const got = rows(picture);
                const want = await outlineOf(page, place, radius);
                for (const side of ["left", "right", "top", "bottom"]) near(got[side], want[side], 1.2, `${side} of a ball of ${radius} m at ${place}, ${fine ? "fine" : "lean"} [px]`);
            }
            await page.context().close();
        }
    }
});

function rows({ width, height, at }) {
    const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            if (at(x, y)[3] < 128) continue;
            box.left = Math.min(box.left, x);
            box.right = Math.max(box.right, x + 1);
            box.top = Math.min(box.top, y);
            box.bottom = Math.max(box.bottom, y + 1);
        }
    }
    return box;
}

// Tangents from the eye in the planes of the axes, from the camera's own place and field of view.
async function outlineOf(page, place, radius) {
    const camera = await page.evaluate(() => {
        const { view } = window.cairn.app, c = view.camera.current;
        return { view: c.matrixWorldInverse.elements, p: c.projectionMatrix.elements, w: view.width, h: view.height };
    });
    const at = [0, 1, 2].map((k) => camera.view[k] * place[0] + camera.view[4 + k] * place[1] + camera.view[8 + k] * place[2] + camera.view[12 + k]);
    const edge = (c, sign) => {
        const d = Math.hypot(c, at[2]), angle = Math.atan2(c, -at[2]) + sign * Math.asin(radius / d);
        return Math.tan(angle);
    };
    const x = (s) => (0.5 + 0.5 * camera.p[0] * edge(at[0], s)) * camera.w, y = (s) => (0.5 - 0.5 * camera.p[5] * edge(at[1], s)) * camera.h;
    return { left: x(-1), right: x(1), top: y(1), bottom: y(-1) };
}

test("a_chain_of_twice_the_force_is_twice_as_wide", async (t) => {
    const page = await t.open(chainsPair());
    await page.evaluate(() => { window.cairn.setLayer("bodies", { on: false }); window.cairn.setLayer("chains", { on: true, hide: 0, width: 1 }); });
    await settled(page);
    const picture = await pixels(page);
    const scan = async (body, other) => {
        const [a, b] = [await page.evaluate((i) => window.cairn.project(i), body), await page.evaluate((i) => window.cairn.project(i), other)];
        const y = Math.round((a[1] + b[1]) / 2), x = Math.round((a[0] + b[0]) / 2);
        let sum = 0, most = 0; // weak chains are see-through: the width is the sum over the most
        for (let d = -25; d <= 25; d++) {
            sum += picture.at(x + d, y)[3];
            most = Math.max(most, picture.at(x + d, y)[3]);
        }
        return sum / most;
    };
    const [one, two] = [await scan(0, 1), await scan(2, 3)];
    near(two / one, 2, 0.1, `ratio of the widths ${two} and ${one} px`);
    holds((await page.locator(".legend .ends").textContent()).includes("20"), "the legend ends at the reference");
});

test("one_bad_step_is_seen_and_found", async (t) => {
    const steps = 60000, bad = 41234;
    const run = twoBalls({ steps, every: 600, change: (step) => (step === bad ? { residual: 1e-4, outcome: 1 } : {}) });
    const page = await t.open(run, { width: 390, height: 844 });
    await page.waitForFunction(() => window.cairn.app.run.ledger.n > 0);
    await settled(page);
    const red = await page.evaluate(() => {
        const canvas = document.querySelector(".track canvas"), g = canvas.getContext("2d"), d = g.getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let i = 0; i < d.length; i += 4) count += d[i] > 200 && d[i + 1] < 160 && d[i + 2] < 140 ? 1 : 0;
        return count;
    });
    holds(red >= 20, `${red} red pixels on the track`);
    await page.keyboard.press("n");
    await settled(page);
    equal(await page.evaluate(() => window.cairn.stats().step), 41400, "the frame that covers the bad step");
    await page.waitForFunction(() => document.querySelector(".badge").classList.contains("failed"));
});

test("the_badge_follows_the_ledger", async (t) => {
    const page = await t.open(twoBalls({ change: (step) => (step > 50 ? { residual: 2e-7 } : {}) }));
    const badge = async (step) => {
        await page.evaluate((s) => window.cairn.seekStep(s), step);
        await settled(page);
        return page.locator(".badge .word").textContent();
    };
    equal(await badge(0), "Initial state", "at the start");
    equal(await badge(20), "Verified", "a good step");
    equal(await badge(70), "Loose", "a step above its tolerance");
    await page.locator(".badge").click();
    const report = await page.locator(".popover").textContent();
    holds(report.includes("did not reach its tolerance") && report.includes("50 of 100 steps"), `the report says: ${report}`);
});

test("colours_cuts_and_layers_change_the_picture", async (t) => {
    const page = await t.open(twoBalls());
    await page.evaluate(() => window.cairn.seekStep(50));
    await settled(page);
    let before = (await pixels(page)).raw;
    for (const [name, change] of [["bodies", { colour: "speed" }], ["points", { on: true }], ["normals", { on: true }], ["forces", { on: true }], ["cut", { on: true, axis: 1, offset: 1, flip: 1 }],
        ["cut", { slice: true, offset: 3 }], ["bodies", { opacity: 0.2 }], ["bodies", { on: false }]]) {
        await page.evaluate(([layer, what]) => window.cairn.setLayer(layer, what), [name, change]);
        await settled(page);
        const after = (await pixels(page)).raw;
        holds(!before.equals(after), `${name} ${JSON.stringify(change)} changes nothing`);
        before = after;
    }
});

test("keys_alone_do_the_work", async (t) => {
    const page = await t.open(twoBalls({ change: (step) => (step === 77 ? { residual: 1e-6, outcome: 1 } : {}) }));
    await page.waitForFunction(() => window.cairn.app.run.ledger.n > 0);
    await page.keyboard.press(".");
    await settled(page);
    equal(await page.evaluate(() => window.cairn.stats().step), 10, "one frame forward");
    await page.keyboard.press("n");
    await settled(page);
    equal(await page.evaluate(() => window.cairn.stats().step), 80, "next bad step");
    await page.keyboard.press("t");
    holds(await page.locator(".popover").isVisible(), "the report opens");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("rester");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.cairn.stats().selection === 2);
    await page.keyboard.press("i");
    await page.waitForFunction(() => window.cairn.stats().selection === 0);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.cairn.app.playback.playing);
    await page.waitForFunction(() => window.cairn.stats().step !== 80);
    const saved = page.waitForEvent("download");
    await page.keyboard.press("p");
    holds((await saved).suggestedFilename().endsWith(".png"), "a picture is saved");
});

test("the_path_and_plot_of_a_body_follow_the_data", async (t) => {
    const page = await t.open(twoBalls());
    await page.evaluate(() => { window.cairn.select(1); window.cairn.seekStep(100); });
    await settled(page);
    await page.getByRole("button", { name: "Trace" }).click();
    await page.waitForFunction(() => window.cairn.app.view.lines.paths.count === 10);
    await page.getByRole("button", { name: "Plot", exact: true }).click();
    await page.waitForFunction(() => [...document.querySelectorAll(".plot header")].some((e) => e.textContent.includes("mover speed") && e.textContent.includes("4.00")));
});

test("ten_thousand_spheres_are_all_drawn", async (t) => {
    const page = await t.open(manyBalls(10000));
    const stats = await page.evaluate(() => ({ bodies: window.cairn.stats().bodies, drawn: window.cairn.app.view.spheres.pointGeometry.drawRange.count + window.cairn.app.view.spheres.quadGeometry.drawRange.count / 6 }));
    equal(stats, { bodies: 10000, drawn: 10000 }, "bodies and drawn");
});

test("no_accessibility_violations", async (t) => {
    const { readFileSync } = await import("node:fs"), { createRequire } = await import("node:module");
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    for (const theme of ["dark", "light"]) {
        const page = await t.open(twoBalls(), { theme, bypassCSP: true });
        await page.evaluate(() => { window.cairn.select(1); window.cairn.seekStep(50); });
        await settled(page);
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 90)).join(" | ")}`)));
        equal(found, [], `violations in ${theme}`);
        await page.context().close();
    }
});

// What other tests and pictures wait for: a frame that comes late is on the screen before the page calls itself settled.
test("settled_means_that_the_frame_is_drawn", async (t) => {
    const page = await t.open(twoBalls());
    const early = await page.evaluate(() => new Promise((done) => {
        const { app } = window.cairn, plain = app.source.frame.bind(app.source);
        app.source.frame = (step) => new Promise((late) => setTimeout(late, 300)).then(() => plain(step));
        let wrong = 0;
        const look = () => {
            const settled = window.cairn.settled(), { step } = app.shown.frame;
            wrong += settled && step !== 50 ? 1 : 0;
            if (settled && step === 50) done(wrong);
            else requestAnimationFrame(look);
        };
        window.cairn.seekStep(50);
        requestAnimationFrame(look);
    }));
    equal(early, 0, "times that it was settled with another frame on the screen");
});

test("tables_have_the_numbers_of_the_frame", async (t) => {
    const page = await t.open(twoBalls());
    await page.evaluate(() => window.cairn.seekStep(50));
    await settled(page);
    await page.keyboard.press("e");
    const cells = () => page.locator(".tables tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((c) => c.textContent)));
    const rows = await cells();
    equal(rows.map((row) => row[1]), ["ground", "mover", "rester"], "bodies");
    near(Number(rows[1][3].replace("−", "-")), 0, 1e-6, "x of the mover half way [m]");
    await page.getByRole("button", { name: "x [m]" }).click();
    await page.getByRole("button", { name: /^x \[m\]/ }).click();
    equal(await page.locator(".tables th").nth(3).getAttribute("aria-sort"), "descending", "order");
    await page.getByRole("button", { name: "Contacts", exact: true }).click();
    const contacts = await cells();
    equal(contacts.map((row) => [row[0], row[2], Number(row[3])]), [["mover", "stick", 40], ["rester", "slide", 10]], "contacts with status and normal force [N]");
    holds((await page.evaluate(() => window.cairn.app.layout.tables.text())).split("\n").length === 3, "the text for the clipboard has a head and two rows");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog"));
});

// A browser without WebGL 2 draws by the plain canvas: bodies are where the other view has them.
test("without_webgl_the_scene_is_still_drawn", async (t) => {
    for (const run of [twoBalls(), chainsPair()]) {
        const page = await t.page();
        await page.addInitScript(() => {
            const plain = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith("webgl") ? null : plain.call(this, kind, ...more); };
        });
        await page.goto(t.write(run));
        await page.waitForFunction(() => window.cairn?.settled());
        const at = (i) => page.evaluate((body) => {
            const { canvas } = window.cairn.app.view, [x, y] = window.cairn.project(body);
            return canvas.getContext("2d").getImageData(Math.round(x), Math.round(y), 1, 1).data[3];
        }, i);
        for (let i = run.dim === 3 ? 1 : 0; i < run.bodies.length; i++) equal(await at(i), 255, `opacity at the middle of body ${i} in ${run.dim}D`);
        await page.waitForFunction(() => document.querySelector(".notice").textContent.includes("WebGL 2"));
        await page.waitForFunction(() => document.querySelectorAll(".plot canvas").length > 0);
        await page.context().close();
    }
});
