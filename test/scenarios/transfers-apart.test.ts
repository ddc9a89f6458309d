import { expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { buildRunSummary } from "#bot/run-summary.js";
import { decimalToScaled } from "#core/instrument.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { ASK, BID, Stage } from "./stage.js";

const DECIMALS = 18;
const scaled = (quote: string | null | undefined): bigint =>
  decimalToScaled(quote ?? "not known", DECIMALS);

/** A run with a fill, a deposit and a withdrawal; the net value then, and the one at its start. */
async function runWithTransfers() {
  const stage = new Stage();
  await stage.botStarts();
  const startCredit = stage.netValue();
  stage.counterparty.sells(4, BID);
  await stage.passes(2_000);
  stage.exchange.deposit(stage.address, "2500.000001");
  await stage.passes(1_000);
  stage.owner.withdraws("1000.25");
  await stage.passes(1_000);
  stage.counterparty.buys(1, ASK);
  await stage.passes(10_000);
  return { stage, startCredit };
}

const TRANSFERS = scaled("1499.750001");

it("counts neither the deposit nor the withdrawal of a run as its profit, to the last unit", async () => {
  const { stage, startCredit } = await runWithTransfers();
  const status = buildBotStatus(stage.rig.bot);
  await stage.botStops();
  const monitor = new RunMonitor(new Metrics(), silentLog, stage.clock, () => {});
  const summary = buildRunSummary(stage.rig.bot, monitor, null);
  const unit = 10n ** BigInt(DECIMALS - stage.rig.rules.creditDecimals);
  const profit = (stage.netValue() - startCredit) * unit - TRANSFERS;
  expect(profit, "the fills have earned or lost something").not.toBe(0n);

  expect(summary.transfersQuote).toBe("1499.750001");
  expect(scaled(summary.equityChangeQuote)).toBe(profit);
  expect(summary.equityChangeQuote).toBe(summary.pnlQuote.total);
  expect(summary.pnlQuote.transfers).toBe(summary.transfersQuote);
  expect(scaled(summary.equityQuote)).toBe(stage.netValue() * unit);
  expect(summary.underWayQuote).toBe("0");

  // One figure for `status`, the screen and the summary.
  expect(status.transfersQuote).toBe(summary.transfersQuote);
  expect(scaled(status.equityChangeQuote)).toBe(profit);
  expect(status.earnedQuote).toBe(status.equityChangeQuote);
});
