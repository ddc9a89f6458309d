// Writes the report of a made-up run, to be looked at: npx tsx test/backtest/report/write-sample.ts
// DIR [DAYS]
import { ReportWriter } from "#backtest/report-writer.js";
import { BTC, DUST, tellSampleRun } from "../record/sample-run.js";
import { sampleMeta } from "./sample-meta.js";

const START_US = 1_722_470_400_000_000;
const [directory = "sample-report", days = "12"] = process.argv.slice(2);
const instruments = [BTC, DUST];
const writer = new ReportWriter(directory, sampleMeta(instruments, START_US), { replace: true });
const endUs = tellSampleRun(
  {
    seed: "7",
    startUs: START_US,
    seconds: Number(days) * 86_400,
    stepSeconds: 5,
    sampleSeconds: 60,
    instruments,
    startEquity: 50_000_000_000n,
  },
  writer.observer,
);
process.stdout.write(`${writer.finish({ endUs, ended: "end-of-history" }).html}\n`);
