import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  hasRecordedRates,
  RECORDED_EXCHANGES,
  type RecordedCarry,
  recordedRates,
  walkCarry,
} from "./recorded-carry.js";

const PAGE = "docs/reference/funding-carry.md";

/** Whole basis points, without a sign before 0. */
const whole = (bps: number): string => String(Math.round(bps) + 0);

const row = (here: string, there: string, carry: RecordedCarry): string =>
  `| ${here}, ${there} | ${carry.years.toFixed(1)} | ${carry.trades} | ${(100 * carry.shareIn).toFixed(0)} % | ${whole(carry.carryBps)} | ${whole(carry.alwaysInBps)} | ${whole(carry.drawdownBps)} | ${(100 * carry.belowWorst).toFixed(1)} % of ${carry.times} |`;

describe.skipIf(!hasRecordedRates())("the carry trade on recorded rates", () => {
  it("earns what the page says, and loses more than its worst case as often as the page says", () => {
    const rates = new Map(RECORDED_EXCHANGES.map((name) => [name, recordedRates(name)]));
    const rows: string[] = [];
    for (const [at, here] of RECORDED_EXCHANGES.entries())
      for (const there of RECORDED_EXCHANGES.slice(at + 1)) {
        const carry = walkCarry(rates.get(here) ?? [], rates.get(there) ?? []);
        rows.push(row(here, there, carry));
      }
    process.stdout.write(`${rows.join("\n")}\n`);
    const page = readFileSync(PAGE, "utf8");
    for (const line of rows) expect(page).toContain(line);
  }, 300_000);
});
