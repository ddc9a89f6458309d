import { scaledToDecimal } from "../../../core/instrument.js";
import type { LedgerChange } from "../../../liquidator/ledger/liquidation-ledger.js";
import type { LiquidatorLog } from "../../../liquidator/takeover-deps.js";
import type { Metrics } from "../../../monitoring/metrics.js";
import type { Bot } from "../../engine/bot.js";
import type { RunningLiquidator } from "../run-liquidator.js";
import type { RunLog } from "./run-log.js";

/** Opportunities whose gas is remembered as counted. */
const MOST_GAS = 500;

/** Turns the events of a liquidator and its ledger into metrics and log lines. */
export class LiquidationMonitor {
  readonly #metrics: Metrics;
  readonly #runLog: RunLog;
  readonly #bot: () => Bot | undefined;
  /** By opportunity, newest last. */
  readonly #gasCounted = new Map<string, bigint>();
  #running: RunningLiquidator | undefined;

  constructor(metrics: Metrics, voice: RunLog, bot: () => Bot | undefined) {
    this.#metrics = metrics;
    this.#runLog = voice;
    this.#bot = bot;
  }

  /** The liquidator of a bot that has one. */
  get running(): RunningLiquidator | undefined {
    return this.#running;
  }

  attach(running: RunningLiquidator): void {
    this.#running = running;
  }

  /** Log of the liquidator; it throttles repeated messages. */
  readonly log: LiquidatorLog = (level, text, fields) => {
    if (level === "info") this.#runLog.write(level, text, fields);
    else this.#runLog.writeThrottled(level, text, fields);
  };

  /** The liquidator's ledger has changed. */
  onLedgerChange({ opportunity, stage, outcome }: LedgerChange): void {
    const { marketId, victim, reason, lostTo, shortOfQuote, profitQuote, gasWei } = opportunity;
    if (stage !== undefined)
      this.#metrics.liquidationStage(
        marketId,
        stage.name,
        stage.name === "seen" ? undefined : stage.seconds,
      );
    if (stage?.name === "confirmed")
      this.#runLog.write("info", "an account can be liquidated", { marketId, victim });
    const quote = (units: bigint | undefined): string | undefined =>
      units === undefined ? undefined : scaledToDecimal(units, this.#creditDecimals);
    if (stage?.name === "unwound") {
      const { state, remainingLots = 0, restBy } = opportunity.unwound ?? {};
      const remainingBase = this.#bot()
        ?.context.traders.get(marketId)
        ?.instrument.formatAmount(remainingLots);
      const fields = {
        marketId,
        victim,
        state,
        remainingBase,
        restBy,
        profitQuote: quote(profitQuote),
      };
      const isLeft = state === "expired" && remainingLots !== 0;
      if (isLeft) this.#runLog.write("warn", "the acquired position was not sold in time", fields);
      else
        this.#runLog.write(
          "info",
          state === "laid-off"
            ? "the acquired position is laid off: the market's own position has it"
            : "the acquired position is sold",
          fields,
        );
    }
    this.#spent(gasWei, opportunity.id);
    if (outcome === undefined) return;
    this.#metrics.liquidation(marketId, outcome);
    this.#runLog.write(outcome === "reverted" ? "warn" : "info", `liquidation ${outcome}`, {
      marketId,
      victim,
      reason,
      lostTo: lostTo?.winner,
      blocksBefore: lostTo?.blocksBefore,
      shortOfQuote: quote(shortOfQuote),
      profitQuote: quote(profitQuote),
    });
  }

  /** Sets the gauges of a liquidator and of its chain: at each scrape and each screen. */
  setGauges(): void {
    if (this.#running === undefined) return;
    const { liquidator, ledger, rpc } = this.#running;
    const { watched, inFlight } = liquidator.view();
    const profitQuote = Number(ledger.counts().profitQuote) / 10 ** this.#creditDecimals;
    this.#metrics.setLiquidator({ profitQuote, candidates: watched, inFlight: inFlight.length });
    for (const { name, headAgeMs, distrustReason } of rpc.report())
      this.#metrics.setRpc(
        name,
        distrustReason === undefined,
        headAgeMs === undefined ? undefined : headAgeMs / 1000,
      );
  }

  get #creditDecimals(): number {
    return this.#bot()?.context.rules.creditDecimals ?? 0;
  }

  /**
   * Gas counts when its receipt arrives, whatever the result of the opportunity. Gas of a reverted
   * takeover was counted, and counts again.
   */
  #spent(gasWei: bigint | undefined, opportunityId: string): void {
    if (gasWei === undefined) this.#gasCounted.delete(opportunityId);
    if (gasWei === undefined || this.#gasCounted.get(opportunityId) === gasWei) return;
    const moreWei = gasWei - (this.#gasCounted.get(opportunityId) ?? 0n);
    // A counter only grows: another receipt of the same opportunity may name less.
    if (moreWei > 0n) this.#metrics.liquidationGas(Number(moreWei) / 1e18);
    this.#gasCounted.set(opportunityId, gasWei);
    const [oldest] = this.#gasCounted.keys();
    if (this.#gasCounted.size > MOST_GAS && oldest !== undefined) this.#gasCounted.delete(oldest);
  }
}
