import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIGURE_NAMES, type Figures } from "#backtest/figures.js";
import { generatePoints } from "#backtest/generate-points.js";
import { rankedPoints } from "#backtest/rank-points.js";
import type { SweepResult } from "#backtest/sweep-json.js";
import { sweepPage } from "#backtest/sweep-page.js";
import { replaceFile } from "#core/atomic-file.js";
import {
  BROWSER_TIMEOUT,
  hasBrowser,
  openBrowser,
  openPage,
  skipNote,
} from "../../support/test-browser.js";
import { SweepStage } from "./sweep-stage.js";

const DOUBT = "btcusdc: its orders had <i>much</i>";

/** Sixty points whose profit is best in the middle of the range; one has no ratio. */
function made(): SweepResult {
  const path = "markets.btcusdc.params.riskAversion";
  const parameters = [
    { kind: "range", path, min: 0.01, max: 1, scale: "log", integer: false },
    { kind: "list", path: "fills.queue", values: ["risk-averse", "<b>power-2</b>"] },
  ] as const;
  const points = generatePoints(parameters, { kind: "sobol", count: 60 });
  const window = { name: "whole", fromUs: 1_767_614_400_000_000, toUs: 1_767_618_000_000_000 };
  const done = new Map(
    points.map(({ index, values }) => {
      const profit = (100 - 40 * Math.abs(Math.log10(Number(values[path])) + 1)).toFixed(6);
      const figures = {
        ...Object.fromEntries(FIGURE_NAMES.map((name) => [name, "0"])),
        profit,
        sharpe: null,
      } as unknown as Figures;
      // The fifth was halted, and the eighth has a warning.
      return [
        `whole-${index}`,
        {
          figures,
          ended: index === 4 ? ("halted" as const) : ("end-of-history" as const),
          doubts: index === 7 ? [DOUBT] : [],
        },
      ];
    }),
  );
  const ranked = rankedPoints(points, [window], done, { figure: "profit", goal: "maximise" });
  const span = {
    name: "whole",
    from: "2026-01-05T12:00:00.000000Z",
    to: "2026-01-05T13:00:00.000000Z",
  };
  return {
    format: "marketwright-sweep/3",
    name: "<script>alert(1)</script>",
    version: "1.2.3",
    fingerprint: "f".repeat(64),
    grade: "klines",
    isIndicative: true,
    method: { kind: "sobol", seed: null },
    objective: { figure: "profit", goal: "maximise" },
    parameters: [
      { path, scale: "log", values: [0.01, 1] },
      { path: "fills.queue", scale: "list", values: ["risk-averse", "<b>power-2</b>"] },
    ],
    windows: [span],
    points: ranked,
    best: ranked.findIndex(({ rank }) => rank === 1),
    walkForward: null,
    data: [
      {
        marketId: "btcusdc",
        kind: "klines-1M",
        file: "2026-01-05.parquet",
        rows: 60,
        sha256: "a".repeat(64),
      },
    ],
    gaps: ["btcusdc book: <img src=x onerror=alert(1)>"],
  };
}

/** The same with one window to choose on and one to judge by. */
function walked(figure: "profit" | "fills"): SweepResult {
  const result = made();
  const [train] = result.windows as [SweepResult["windows"][number]];
  const test = { name: "test0", from: train.to, to: "2026-01-05T14:00:00.000000Z" };
  const { values, runs } = result.points[result.best] as SweepResult["points"][number];
  const run = runs[0] as (typeof runs)[number];
  const split = { train, test, best: result.best, values, trained: run, tested: run };
  const walkForward = {
    splits: [split],
    tested: { profit: String(run.figures.profit), positive: 1 },
  };
  return { ...result, objective: { figure, goal: "maximise" }, walkForward };
}

describe("a sweep's page with test windows", () => {
  it("says in its head how far the last test goes, not only where choosing ended", () => {
    const [, span] =
      /<p class="sub">.*<\/span>(.* UTC)<\/p>/.exec(sweepPage(walked("profit"))) ?? [];
    expect(span).toBe("2026-01-05 12:00:00 to 2026-01-05 14:00:00 UTC");
  });

  it("says that an open position at the end of a window counts at the mark, without the cost of closing it", () => {
    expect(sweepPage(walked("profit"))).toContain(
      "A position at the end of a window counts at the mark price, without the cost of closing it",
    );
    expect(sweepPage(made())).not.toContain("without the cost of closing it");
  });

  it("has the profit of a test once, beside the objective's figure where that is another", () => {
    const heads = (page: string): string[] =>
      [...page.matchAll(/<th[^>]*>([^<]*, (?:train|test))</g)].map(([, head]) => head as string);
    expect(heads(sweepPage(walked("profit")))).toEqual(["profit, train", "profit, test"]);
    expect(heads(sweepPage(walked("fills")))).toEqual([
      "fills, train",
      "fills, test",
      "profit, test",
    ]);
  });
});

describe.skipIf(!hasBrowser)(`sweep.html in a browser${skipNote}`, () => {
  const stage = new SweepStage();
  const result = made();
  const path = join(stage.folder, "sweep.html");
  let browser: Browser;
  beforeAll(async () => {
    replaceFile(path, sweepPage(result));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(stage.folder, { recursive: true, force: true });
  });

  async function opened(
    colorScheme: "light" | "dark",
    width: number,
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, colorScheme, width);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(pathToFileURL(path).href);
    return { page, complaints };
  }

  it.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)(
    "is complete in %s at %i pixels: a line a point, the best one's row first, nothing beyond the edge, no console error",
    async (scheme, width) => {
      const { page, complaints } = await opened(scheme, width);
      await expect
        .poll(() => page.locator("#parallel path.point").count(), BROWSER_TIMEOUT)
        .toBe(result.points.length);
      await expect
        .poll(() => page.locator("#parallel path.point.chosen").count(), BROWSER_TIMEOUT)
        .toBe(1);
      await expect
        .poll(
          () => page.locator("#points-table tbody tr").first().locator("td").first().innerText(),
          BROWSER_TIMEOUT,
        )
        .toBe("1");
      await expect
        .poll(
          () => page.locator("#points-table tbody tr.chosen").getAttribute("data-index"),
          BROWSER_TIMEOUT,
        )
        .toBe(String(result.best));
      const beyond = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(beyond).toBeLessThanOrEqual(0);
      const strokes = (await page.evaluate(STROKES)) as string[];
      expect(new Set(strokes).size).toBeGreaterThan(10);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("says of a point that was halted that it was: its figures are not of the whole history", async () => {
    const { page } = await opened("light", 1280);
    await expect
      .poll(() => page.locator(".warning").allInnerTexts(), BROWSER_TIMEOUT)
      .toContain("1 of 60 points ended early in a window, or were refused; the table shows why.");
    const heads = await page.locator("#points-table thead th").allInnerTexts();
    const column = heads.indexOf("ended early");
    await page.locator("#points-table thead th").nth(column).locator("button").click();
    await page.locator("#points-table thead th").nth(column).locator("button").click();
    const first = page.locator("#points-table tbody tr").first();
    await expect.poll(() => first.getAttribute("data-index"), BROWSER_TIMEOUT).toBe("4");
    expect(await first.locator("td").nth(column).innerText()).toBe("halted");
    await page.close();
  });

  it("marks the line and the row of a point with warnings, and says why", async () => {
    const { page } = await opened("light", 1280);
    await expect
      .poll(() => page.locator("#parallel path.point.doubtful").count(), BROWSER_TIMEOUT)
      .toBe(1);
    const heads = await page.locator("#points-table thead th").allInnerTexts();
    const [mark, why] = ["warnings", "reasons"].map((head) => heads.indexOf(head)) as [
      number,
      number,
    ];
    for (const _ of ["up", "down"])
      await page.locator("#points-table thead th").nth(mark).locator("button").click();
    const first = page.locator("#points-table tbody tr").first();
    await expect.poll(() => first.getAttribute("data-index"), BROWSER_TIMEOUT).toBe("7");
    expect(await first.locator("td").nth(mark).innerText()).toBe("yes");
    expect(await first.locator("td").nth(why).innerText()).toBe(DOUBT);
    await page.close();
  });

  it("keeps its texts apart and in sight on a narrow screen", async () => {
    const { page } = await opened("dark", 390);
    const apart = (await page.evaluate(`(() => {
      const names = [...document.querySelectorAll("#parallel .axis-name")].map((name) => name.getBoundingClientRect());
      const svg = document.querySelector("#parallel svg").getBoundingClientRect();
      const cards = [...document.querySelectorAll(".card h2, .card .value")].map((head) => head.scrollWidth - head.clientWidth);
      return {
        least: Math.min(...names.slice(1).map(({ left }, at) => left - names[at].right)),
        inside: names.every(({ left, right }) => left >= svg.left && right <= svg.right),
        beyond: Math.max(...cards),
      };
    })()`)) as { least: number; inside: boolean; beyond: number };
    expect(apart.least).toBeGreaterThan(0);
    expect([apart.inside, apart.beyond]).toEqual([true, 0]);
    await page.close();
  });

  // A profit in rupiah lost its last digits, five times the same, and long names overlapped the
  // axis.
  it("tells values apart that differ in their last digits alone, and keeps long ones in sight", async () => {
    const parameters = [...result.parameters]
      .reverse()
      .map(({ values, ...more }) => ({ ...more, values: values.map((value) => value) }));
    const [queue] = parameters;
    const names = ["a-queue-model-with-a-long-name-1", "a-queue-model-with-a-long-name-2"];
    const points = result.points.map((point) => ({
      ...point,
      objective: String(1_540_000_000 + point.index),
      values: { ...point.values, [queue?.path ?? ""]: names[point.index % 2] as string },
    }));
    const other = join(stage.folder, "other.html");
    replaceFile(
      other,
      sweepPage({
        ...result,
        points,
        parameters: [
          { ...(queue as (typeof parameters)[number]), values: names },
          ...parameters.slice(1),
        ],
      }),
    );
    const page = await openPage(browser, "light", 1280);
    await page.goto(pathToFileURL(other).href);
    const shown = (await page.evaluate(`(() => {
      const texts = [...document.querySelectorAll("#parallel .axis-text")];
      const svg = document.querySelector("#parallel svg").getBoundingClientRect();
      const isInside = ({ left, right }) => left >= svg.left && right <= svg.right;
      return texts.map((text) => [text.firstChild.textContent, isInside(text.getBoundingClientRect())]);
    })()`)) as [text: string, isInside: boolean][];
    expect(shown.filter(([, isInside]) => !isInside)).toEqual([]);
    const texts = shown.map(([text]) => text);
    expect(texts.slice(0, 2)).toEqual(["a-queue-mo…ng-name-1", "a-queue-mo…ng-name-2"]);
    expect(new Set(texts.slice(-5)).size).toBe(5);
    await page.close();
  });

  it("sorts by any column, and shows the line of the row that is clicked", async () => {
    const { page } = await opened("light", 1280);
    const rows = page.locator("#points-table tbody tr");
    const heads = await page.locator("#points-table thead th").allInnerTexts();
    const column = heads.findIndex((head) => head.startsWith("profit"));
    await page.locator("#points-table thead th").nth(column).locator("button").click();
    const shown = Number(
      (await rows.first().locator("td").nth(column).innerText()).replace("−", "-"),
    );
    const least = Math.min(...result.points.map(({ objective }) => Number(objective)));
    expect(shown).toBeCloseTo(least, 6);
    await rows.nth(3).click();
    const index = await rows.nth(3).getAttribute("data-index");
    await expect
      .poll(
        () => page.locator("#points-table tr.chosen").getAttribute("data-index"),
        BROWSER_TIMEOUT,
      )
      .toBe(index);
    await page.close();
  });

  it("keeps the points that pass a stretch of an axis, and all again at a click", async () => {
    const { page } = await opened("light", 1280);
    const where = page.locator("#points-table .where");
    const axis = page.locator("#parallel .axis-hit").first();
    await axis.scrollIntoViewIfNeeded();
    const box = await axis.boundingBox();
    if (box === null) throw new Error("the axis has no place");
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(x, box.y + box.height / 2);
    await page.mouse.up();
    const kept = result.points.length - (await page.locator("#parallel path.point.out").count());
    expect(kept).toBeGreaterThan(20);
    expect(kept).toBeLessThan(40);
    await expect.poll(() => where.innerText(), BROWSER_TIMEOUT).toContain(`of ${kept}`);
    await page.mouse.click(x, box.y + 20);
    await expect
      .poll(() => page.locator("#parallel path.point.out").count(), BROWSER_TIMEOUT)
      .toBe(0);
    await expect
      .poll(() => where.innerText(), BROWSER_TIMEOUT)
      .toContain(`of ${result.points.length}`);
    await page.close();
  });

  it("goes from light to dark at a press", async () => {
    const { page } = await opened("light", 1280);
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.click("#theme");
    await expect.poll(background, BROWSER_TIMEOUT).not.toBe(light);
    await page.close();
  });

  it("asks for nothing, and holds what others wrote as text", () => {
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("<script>alert(1)");
    expect(text).not.toContain("<img src=x");
    expect(text).not.toMatch(/(src|href)="http/);
  });
});

const STROKES = `[...document.querySelectorAll("#parallel path.point")].map((line) => getComputedStyle(line).stroke)`;
