import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReportPaths, ReportWriter } from "#backtest/report-writer.js";
import { canvasTexts, recordCanvasTexts } from "../../support/canvas-texts.js";
import {
  BROWSER_TIMEOUT,
  hasBrowser,
  openBrowser,
  openPage,
  skipNote,
} from "../../support/test-browser.js";
import { contrastsOfTexts } from "../../support/text-contrasts.js";
import { BTC, DUST, tellSampleRun } from "../record/sample-run.js";
import { sampleMeta } from "./sample-meta.js";

const START_US = 1_722_470_400_000_000;
const SAMPLE = {
  seed: "7",
  startUs: START_US,
  seconds: 2 * 3600,
  stepSeconds: 5,
  sampleSeconds: 60,
  startEquity: 50_000_000_000n,
};

describe.skipIf(!hasBrowser)(`report.html in a browser${skipNote}`, () => {
  let scratch: string;
  let browser: Browser;
  let paths: ReportPaths;

  beforeAll(async () => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-page-")));
    const instruments = [BTC, DUST];
    const meta = {
      ...sampleMeta(instruments, START_US, "klines"),
      name: "<script>alert(1)</script> & a name",
    };
    const writer = new ReportWriter(join(scratch, "report"), meta);
    const endUs = tellSampleRun({ ...SAMPLE, instruments }, writer.observer);
    writer.observer.note(START_US, "error", "<img src=x onerror=alert(1)>");
    writer.observer.note(START_US, "warn", "a warning");
    paths = writer.finish({
      endUs,
      ended: "halted",
      reason: "drawdown",
      alternatives: [
        {
          name: "O-L-H-C",
          ended: "liquidated",
          reason: "its margin & more",
          profit: "-1.25",
          maxDrawdown: "3",
          fills: 7,
        },
      ],
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  async function opened(
    colorScheme: "light" | "dark",
    width: number,
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, colorScheme, width);
    await recordCanvasTexts(page);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(pathToFileURL(paths.html).href);
    return { page, complaints };
  }

  /** The labels on the axes of the drawdown: they change with the visible time. */
  async function axesOfDrawdown(page: Page): Promise<string> {
    return (await canvasTexts(page, "#drawdown")).map(({ text }) => text).join();
  }

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)(
    "is complete in %s at %i pixels: every chart drawn, every text legible, nothing beyond the edge, no console error",
    async (scheme, width) => {
      const { page, complaints } = await opened(scheme, width);
      const drawn = await page.evaluate(chartsDrawn);
      // Equity, drawdown, parts, two budgets, and of the market in sight price, position, uptime,
      // distance and markouts.
      expect(drawn.filter(({ isShown }) => isShown)).toHaveLength(10);
      for (const { id, isShown, inked } of drawn)
        if (isShown) expect(inked, id).toBeGreaterThan(50);
      const texts = await page.evaluate(contrastsOfTexts);
      expect(texts.length).toBeGreaterThan(300);
      expect(texts.filter(({ isDrawn }) => isDrawn).length).toBeGreaterThan(60);
      expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      expect(
        await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        ),
      ).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("shows the alternative fees of ambiguous fills without a sideways scroll", async () => {
    const { page } = await opened("light", 1200);
    const table = page.getByRole("region", { name: "Ambiguous fills by kind of order" }).first();
    expect(await table.innerText()).toContain("fees otherwise");
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    );
    await page.close();
  });

  it("shows exact figures to the pointer and to the keyboard", async () => {
    const { page } = await opened("light", 1280);
    const chart = page.locator("#equity > .uplot");
    await chart.focus();
    await page.keyboard.press("End");
    const tip = page.locator("#equity > .tip");
    const digits = (text: string): string => text.replaceAll("\u202f", "").replaceAll(" ", "");
    await expect
      .poll(async () => digits(await tip.innerText()), BROWSER_TIMEOUT)
      .toContain(`${paths.report.equity.end}USDC`);
    await page.locator("[id=markouts-btcusdc] > .uplot").focus();
    await page.keyboard.press("ArrowRight");
    await expect
      .poll(() => page.locator("[id=markouts-btcusdc] > .tip").innerText(), BROWSER_TIMEOUT)
      .toMatch(/^0.1 s after the fill\n/);
    await page.locator("[id=position-btcusdc] > .uplot").hover();
    await expect
      .poll(() => page.locator("[id=position-btcusdc] > .tip").isVisible(), BROWSER_TIMEOUT)
      .toBe(true);
    await page.close();
  });

  it("shows a part of the time in every chart when one is dragged over, and the whole again", async () => {
    const { page } = await opened("light", 1280);
    const before = await axesOfDrawdown(page);
    const svg = page.locator("#equity > .uplot");
    await svg.scrollIntoViewIfNeeded();
    const box = await svg.boundingBox();
    if (box === null) throw new Error("the chart of the equity has no place");
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 80);
    await page.mouse.up();
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).not.toBe(before);
    await page.click("#whole-span");
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).toBe(before);
    await page.close();
  });

  it("shows a part of the time by the keyboard, tells figures in one chart and the instant in all", async () => {
    const { page } = await opened("light", 1280);
    const before = await axesOfDrawdown(page);
    const chart = page.locator("#equity > .uplot");
    await chart.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    const told = await page.locator("#equity > .tip").innerText();
    for (let times = 0; times < 14; times++) await page.keyboard.press("+");
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).not.toBe(before);
    await page.keyboard.press("Home");
    // Closer than the spacing of two values, one is still shown.
    await expect.poll(() => page.locator("#equity > .tip").innerText(), BROWSER_TIMEOUT).toBe(told);
    expect(await page.locator(".tip:visible").count()).toBe(1);
    const cursors = page.locator(".chart[id$=btcusdc] .u-cursor-x:not(.u-off):visible");
    expect(await cursors.count()).toBe(4);
    await page.keyboard.press("Escape");
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).toBe(before);
    await chart.blur();
    await expect.poll(() => page.locator(".tip:visible").count(), BROWSER_TIMEOUT).toBe(0);
    await page.close();
  });

  it("draws the markouts of the quote level that is chosen", async () => {
    const { page } = await opened("light", 1280);
    const first = async (): Promise<string> => {
      await page.locator("[id=markouts-btcusdc] > .uplot").focus();
      await page.keyboard.press("Home");
      return page.locator("[id=markouts-btcusdc] > .tip").innerText();
    };
    const all = await first();
    const levels = page.locator("figure:has([id=markouts-btcusdc]) select.levels");
    await levels.selectOption({ index: 1 });
    const one = await first();
    expect(one).not.toBe(all);
    expect(one).toMatch(/^0.1 s after the fill\n/);
    await levels.selectOption("ALL");
    expect(await first()).toBe(all);
    await page.close();
  });

  it("stretches the time between two fingers, each on the instant that it touched, and lets one finger read and scroll", async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await recordCanvasTexts(page);
    await page.goto(pathToFileURL(paths.html).href);
    const svg = page.locator("#equity > .uplot");
    await svg.scrollIntoViewIfNeeded();
    const box = await svg.boundingBox();
    if (box === null) throw new Error("the chart of the equity has no place");
    const touches = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...shares: readonly number[]) =>
      touches.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: shares.map((share, id) => ({
          id,
          x: Math.round(box.x + share * box.width),
          y: Math.round(box.y + 100),
        })),
      });
    const before = await axesOfDrawdown(page);
    await touch("touchStart", 0.5);
    await touch("touchEnd");
    await expect.poll(() => page.locator("#equity > .tip").isVisible(), BROWSER_TIMEOUT).toBe(true);
    expect(await page.locator("#whole-span").isVisible()).toBe(false);
    await touch("touchStart", 0.5);
    await touch("touchStart", 0.5, 0.7);
    await touch("touchMove", 0.3, 0.9);
    await touch("touchMove", 0.2, 0.95);
    await touch("touchEnd");
    await expect.poll(() => page.locator("#whole-span").isVisible(), BROWSER_TIMEOUT).toBe(true);
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).not.toBe(before);
    const shown = (await canvasTexts(page, "#equity")).map(({ text }) => text);
    const times = shown
      .filter((text) => /^\d\d:\d\d/.test(text))
      .map((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5)));
    expect(times.length).toBeGreaterThan(1);
    // Two hours were visible; the fingers spanned about 24 minutes of them, which now take three
    // quarters of the chart.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(60);
    await page.locator("#whole-span").click();
    await expect.poll(() => axesOfDrawdown(page), BROWSER_TIMEOUT).toBe(before);
    await context.close();
  });

  it("sorts and pages the fills, and shows the market that is chosen", async () => {
    const { page } = await opened("dark", 1280);
    const rows = page.locator("#fills-table tbody tr");
    await expect.poll(() => rows.count(), BROWSER_TIMEOUT).toBe(25);
    const heads = (await page.locator("#fills-table th").allInnerTexts()).map((text) =>
      text.replace(/ [↑↓]$/, ""),
    );
    const cell = async (row: number, name: string): Promise<string> =>
      (await rows.nth(row).locator("td").nth(heads.indexOf(name)).innerText()).replaceAll(
        "\u202f",
        "",
      );
    await page.click("#fills-table th:has-text('amount') button");
    await page.click("#fills-table th:has-text('amount') button");
    const csv = readFileSync(paths.fillsCsv, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    const amounts = csv.slice(1).map((fields) => Number(fields[csv[0]?.indexOf("amount") ?? 0]));
    expect(Number(await cell(0, "amount"))).toBe(Math.max(...amounts));
    await page.click("text=Last »");
    expect(Number(await cell((await rows.count()) - 1, "amount"))).toBe(Math.min(...amounts));
    await expect
      .poll(() => page.locator("[id=price-dustusdc]").isVisible(), BROWSER_TIMEOUT)
      .toBe(false);
    await page.selectOption("#market", "dustusdc");
    await expect
      .poll(async () => (await canvasTexts(page, "[id=price-dustusdc]")).length, BROWSER_TIMEOUT)
      .toBeGreaterThan(4);
    await expect
      .poll(() => page.locator("[id=price-btcusdc]").isVisible(), BROWSER_TIMEOUT)
      .toBe(false);
    await page.close();
  });

  it("groups the fills that may not have been makers', by the words of fills.csv", async () => {
    const { page } = await opened("light", 1280);
    await page.click("#fills-table th:has-text('doubt') button");
    await page.click("#fills-table th:has-text('doubt') button");
    const doubts = await page.locator("#fills-table tbody td:last-child").allInnerTexts();
    expect(doubts[0]).toBe("may-have-been-refused");
    expect(doubts).toEqual(doubts.toSorted().reverse());
    await page.close();
  });

  it("keeps hundreds of notes and gaps in windows of their own, and prints them whole", async () => {
    const many = Array.from({ length: 400 }, (_, at) => `gap ${at}`);
    const writer = new ReportWriter(join(scratch, "noted"), {
      ...sampleMeta([BTC], START_US, "klines"),
      gaps: many,
    });
    for (const [at] of many.entries()) writer.observer.note(START_US + at, "warn", `note ${at}`);
    const endUs = tellSampleRun({ ...SAMPLE, seconds: 600, instruments: [BTC] }, writer.observer);
    const noted = writer.finish({ endUs, ended: "end-of-history" });
    const page = await openPage(browser, "light", 1280);
    await page.goto(pathToFileURL(noted.html).href);
    for (const name of ["Notes", "Gaps of the history"]) {
      const region = page.getByRole("region", { name, exact: true });
      expect(await region.innerText()).toContain(`${name === "Notes" ? "note" : "gap"} 399`);
      expect((await region.boundingBox())?.height).toBeLessThan(500);
      await page.emulateMedia({ media: "print" });
      expect(
        await region.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
      ).toBe(0);
      await page.emulateMedia({ media: "screen" });
    }
    await page.close();
  });

  it("goes from light to dark at a press, and opens the table behind a chart", async () => {
    const { page } = await opened("light", 1280);
    const inks = async (): Promise<string> =>
      [...new Set((await canvasTexts(page, ".chart")).map(({ color }) => color))].join();
    const lightInks = await inks();
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.click("#theme");
    await expect.poll(background, BROWSER_TIMEOUT).not.toBe(light);
    await expect.poll(inks, BROWSER_TIMEOUT).not.toBe(lightInks);
    await page.click("#theme");
    await expect.poll(background, BROWSER_TIMEOUT).toBe(light);
    await expect.poll(inks, BROWSER_TIMEOUT).toBe(lightInks);
    const details = page.locator("figure:has(#equity) details");
    await details.locator("summary").click();
    // Its rows are made when it is opened; the page receives that event a moment later.
    await expect
      .poll(() => details.locator("tbody tr").count(), BROWSER_TIMEOUT)
      .toBe(paths.report.series.buckets);
    await page.close();
  });
});

/** Runs in the page: of each chart how many pixels have the colour of one of its lines. */
const chartsDrawn = `[...document.querySelectorAll(".chart")].map((chart) => {
  const canvas = chart.querySelector("canvas");
  if (canvas === null) return { id: chart.id, isShown: chart.getClientRects().length > 0, inked: 0 };
  const names = ["c-ink", "c-accent", "c-buy", "c-sell", "p-spread", "p-fees", "p-inventory"];
  const inks = names.map((name) => {
    const probe = chart.appendChild(document.createElement("i"));
    probe.className = name;
    const channels = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
    probe.remove();
    return channels;
  });
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && inks.some((ink) => [0, 1, 2].every((i) => Math.abs(data[at + i] - ink[i]) < 8))) inked++;
  return { id: chart.id, isShown: chart.getClientRects().length > 0, inked };
})` as unknown as () => { id: string; isShown: boolean; inked: number }[];
