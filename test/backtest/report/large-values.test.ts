import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReportPaths, ReportWriter } from "#backtest/report-writer.js";
import { Instrument } from "#core/instrument.js";
import { canvasTexts, recordCanvasTexts } from "../../support/canvas-texts.js";
import { hasBrowser, openBrowser, openPage, skipNote } from "../../support/test-browser.js";
import { tellSampleRun } from "../record/sample-run.js";
import { sampleMeta } from "./sample-meta.js";

const START_US = 1_722_470_400_000_000;
/** A bitcoin in rupiah: some 1,541,000,000. */
const RUPIAH = new Instrument({
  marketId: "btcidr",
  tickSize: "2500",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

describe.skipIf(!hasBrowser)(`a report of prices and balances in billions${skipNote}`, () => {
  let scratch: string;
  let browser: Browser;
  let paths: ReportPaths;

  beforeAll(async () => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-page-")));
    const writer = new ReportWriter(
      join(scratch, "report"),
      sampleMeta([RUPIAH], START_US, "klines"),
    );
    const times = { startUs: START_US, seconds: 3600, stepSeconds: 5, sampleSeconds: 60 };
    const run = {
      ...times,
      seed: "7",
      instruments: [RUPIAH],
      startEquity: 100_000_000_000_000_000n,
    };
    paths = writer.finish({
      endUs: tellSampleRun(run, writer.observer),
      ended: "end-of-history",
      reason: "",
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  // 1,541,480,000 was cut to 541,480,000 at the edge of its chart, and 100 billions of net value to
  // one of some millions.
  it.each([1280, 390])("shows every value of its axes whole, at %i pixels", async (width) => {
    const page = await openPage(browser, "light", width);
    await recordCanvasTexts(page);
    await page.goto(pathToFileURL(paths.html).href);
    const labels = await canvasTexts(page, ".chart");
    expect(labels.some(({ text }) => /^1.54\d.\d{3}.\d{3}$/.test(text))).toBe(true);
    expect(labels.some(({ text }) => /^(99|100).\d{3}.\d{3}.\d{3}/.test(text))).toBe(true);
    expect(labels.filter(({ cut }) => cut > 0)).toEqual([]);
    await page.close();
  });
});
