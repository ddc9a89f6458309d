import { describe, expect, it } from "vitest";
import { makeReport } from "#backtest/make-report.js";
import { signalHtml } from "#backtest/page-signal.js";
import { type Report, reportSchema } from "#backtest/report-schema.js";
import type { RunObserver } from "#backtest/run-observer.js";
import { RunRecorder } from "#backtest/run-recorder.js";
import { signalLines } from "#cli/signal-lines.js";
import { BTC, DUST, tellSampleRun } from "../record/sample-run.js";
import { sampleMeta } from "./sample-meta.js";

const START_US = 1_722_470_400_000_000;

/** A run of two hours on two markets, whose strategy of the first one predicts each mid. */
function reportOf(seconds: number): Report {
  const instruments = [BTC, DUST];
  const meta = sampleMeta(instruments, START_US);
  const recorder = new RunRecorder({
    startUs: START_US,
    instruments: meta.instruments,
    adverseSelectionMs: 10_000,
  });
  const observer: RunObserver = {
    touch: (marketId, atUs, bidTicks, askTicks) => {
      // Of the warm-up: it does not count.
      if (atUs === START_US) recorder.prediction(BTC.marketId, START_US - 1, 5);
      else if (marketId === BTC.marketId) recorder.prediction(marketId, atUs - 5000, 0.5);
      recorder.touch(marketId, atUs, bidTicks, askTicks);
    },
    fill: (fill) => recorder.fill(fill),
    equity: (sample) => recorder.equity(sample),
    quote: (...quote) => recorder.quote(...quote),
    action: (...action) => recorder.action(...action),
    prediction: (...prediction) => recorder.prediction(...prediction),
    funding: (payment) => recorder.funding(payment),
    note: (...note) => recorder.note(...note),
  };
  const endUs = tellSampleRun(
    {
      seed: "7",
      startUs: START_US,
      seconds,
      stepSeconds: 5,
      sampleSeconds: 60,
      instruments,
      startEquity: 50_000_000_000n,
    },
    observer,
  );
  return makeReport(meta, recorder, recorder.end(endUs), { endUs, ended: "end-of-history" });
}

describe("the worth of a signal in a report", () => {
  const report = reportOf(7200);
  const [predicting, other] = report.markets as [Report["markets"][0], Report["markets"][0]];

  it("is there for a market whose strategy predicts, by horizon, and absent from the others", () => {
    expect(reportSchema.parse(report)).toEqual(report);
    expect(predicting.signal?.map(({ seconds }) => seconds)).toEqual([0.1, 0.3, 1, 3, 10]);
    expect(predicting.signal?.[0]?.predictions).toBeGreaterThan(1000);
    expect(predicting.signal?.[0]?.figures?.predictedBps).toBeGreaterThan(0);
    expect(other).not.toHaveProperty("signal");
    expect(signalHtml(other)).toBe("");
    expect(signalLines(other)).toEqual([]);
  });

  it("reads a report of an older version, which has none", () => {
    const { signal, ...older } = predicting;
    expect(signal).toBeDefined();
    const parsed = reportSchema.parse({ ...report, markets: [older] });
    expect(parsed.markets).toEqual([older]);
  });

  it("is a table on the page and in the terminal, where a short run is too short to tell", () => {
    const html = signalHtml(predicting);
    expect(html).toContain("What the signal was worth");
    expect(html).not.toContain("<td>too short to tell");
    expect(html.match(/<tr>/g)).toHaveLength(6);
    const [head, ...rows] = signalLines(predicting);
    expect(head).toContain("btcusdc");
    expect(rows).toHaveLength(6);
    expect(rows[1]).toMatch(/^ *0\.1 s +\d+ +\d+ +-?\d\.\d{3} \[-?\d/);
    const short = reportOf(300).markets[0] as Report["markets"][0];
    expect(short.signal?.map(({ figures }) => figures)).toEqual([null, null, null, null, null]);
    expect(signalHtml(short).match(/<td>too short to tell<\/td>/g)).toHaveLength(5);
    for (const row of signalLines(short).slice(2)) expect(row).toMatch(/too short to tell$/);
    expect(JSON.stringify(short.signal)).not.toMatch(/slope|hitRate/);
  });
});
