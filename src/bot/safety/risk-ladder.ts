import { scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { toUtcDay } from "../../risk/day-loss.js";
import type { HaltRequest } from "../../risk/halt.js";
import {
  advanceTrack,
  createLadderTrack,
  findActiveRung,
  hasReachedLatch,
  type LadderTrack,
  replaceRungs,
} from "../../risk/ladder-track.js";
import { type MarkoutOptions, MarkoutWindow } from "../../risk/markout-window.js";
import {
  type ActiveRung,
  appliesToMarket,
  type LadderEffect,
  type LadderMeasure,
  ladderEffectFor,
  NO_EFFECT,
  type Rung,
  severityFor,
  toHaltRequests,
} from "../../risk/risk-ladder.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { LossReading } from "./equity-monitor.js";
import { type LadderRungs, ladderRungsFor, markoutOptionsFor } from "./ladder-rungs.js";
import { actionText } from "./ladder-text.js";
import { PersistentLatches } from "./persistent-latches.js";

/** Losses that an operator accepts by resuming. */
export interface AcceptedLosses {
  readonly drawdown: boolean;
  readonly dailyLoss: boolean;
}

/** A market whose inventory or markout is measured. */
interface WatchedMarket {
  readonly trader: MarketTrader;
  readonly inventory: LadderTrack | undefined;
  readonly markout: LadderTrack | undefined;
  readonly window: MarkoutWindow | undefined;
}

/**
 * The graded response to losses: each measure has rungs that warn, widen the quotes, let only
 * reducing orders rest, halt, or sell the position. Measures of the account apply to every market,
 * the others to their own. If several act, the most severe action and the widest factor apply.
 */
export class RiskLadder {
  readonly #context: BotContext;
  readonly #latches: PersistentLatches;
  readonly #drawdown: LadderTrack;
  readonly #dailyLoss: LadderTrack;
  #tracks: LadderTrack[];
  #markets: readonly WatchedMarket[];
  #markoutOptions: MarkoutOptions;
  #isConfiguring = false;
  #acting: readonly ActiveRung[] = [];
  #demands: readonly HaltRequest[] = [];
  readonly #effects = new Map<MarketId, LadderEffect>();

  /** @throws CorruptStateError if the file is corrupt, or another account's. */
  constructor(context: BotContext) {
    this.#context = context;
    const rungs = ladderRungsFor(context.config, context.rules.creditDecimals);
    this.#latches = new PersistentLatches(context);
    this.#drawdown = createLadderTrack("drawdown", undefined, rungs.drawdown);
    this.#dailyLoss = createLadderTrack("daily-loss", undefined, rungs.dailyLoss);
    this.#markoutOptions = markoutOptionsFor(context.config);
    this.#markets = this.#watch(rungs);
    this.#tracks = this.#listTracks();
    this.#latches.restore(this.#tracks);
    for (const track of this.#tracks) track.acting = findActiveRung(track);
    this.#act();
  }

  /**
   * Applies the configuration in force to the measures as they are. Latched and accepted rungs
   * stay; a markout whose own settings change is measured anew.
   * @param losses the newest reading of the account
   */
  configure(losses: LossReading | undefined): void {
    const { config, rules } = this.#context;
    const rungs = ladderRungsFor(config, rules.creditDecimals);
    replaceRungs(this.#drawdown, rungs.drawdown);
    replaceRungs(this.#dailyLoss, rungs.dailyLoss);
    const options = markoutOptionsFor(config);
    const before = isSameMarkout(options, this.#markoutOptions) ? this.#markets : NO_MARKETS;
    this.#markoutOptions = options;
    this.#markets = this.#watch(rungs, before, this.#markets);
    this.#tracks = this.#listTracks();
    // One comparison with what acted before, once every measure has its new rungs.
    this.#isConfiguring = true;
    if (losses !== undefined) this.losses(losses);
    this.evaluate();
    this.#isConfiguring = false;
    this.#changed();
  }

  /** The markets to measure. Those from before keep their state, and their windows of fills. */
  #watch(
    rungs: LadderRungs,
    windows: readonly WatchedMarket[] = NO_MARKETS,
    before: readonly WatchedMarket[] = NO_MARKETS,
  ): readonly WatchedMarket[] {
    return this.#context.traderList.flatMap((trader): WatchedMarket[] => {
      const { marketId, hasStrategy, maxPositionLots } = trader;
      const known = before.find((market) => market.trader === trader);
      const isLimited = hasStrategy && Number.isFinite(maxPositionLots);
      const inventory = trackFor("inventory", marketId, {
        rungs: isLimited ? rungs.inventory : NO_RUNGS,
        before: known?.inventory,
      });
      const markout = trackFor("markout", marketId, {
        rungs: hasStrategy ? rungs.markout : NO_RUNGS,
        before: known?.markout,
      });
      if (inventory === undefined && markout === undefined) return [];
      const window = windows.find((market) => market.trader === trader)?.window;
      return [
        {
          trader,
          inventory,
          markout,
          window:
            markout === undefined ? undefined : (window ?? new MarkoutWindow(this.#markoutOptions)),
        },
      ];
    });
  }

  #listTracks(): LadderTrack[] {
    const tracks = this.#markets.flatMap(({ inventory, markout }) => [inventory, markout]);
    return [this.#drawdown, this.#dailyLoss, ...tracks.filter((track) => track !== undefined)];
  }

  /** The rungs that act now, the account's first. */
  get acting(): readonly ActiveRung[] {
    return this.#acting;
  }

  /**
   * Why the newest change of the latched rungs is not in the state directory; undefined if it is.
   */
  get writeError(): string | undefined {
    return this.#latches.writeError;
  }

  /** The halts that the ladder requests. */
  get demands(): readonly HaltRequest[] {
    return this.#demands;
  }

  /** Every measure in use, with the rung that acts for it. */
  get measures(): readonly {
    readonly measure: LadderMeasure;
    readonly marketId: MarketId | undefined;
    readonly severity: number;
  }[] {
    return this.#tracks
      .filter(({ rungs, latch }) => rungs.length > 0 || latch !== undefined)
      .map(({ measure, marketId, acting }) => ({
        measure,
        marketId,
        severity: severityFor(acting?.action),
      }));
  }

  /** Every measure in use, with its rungs and its newest value. */
  get tracks(): readonly Readonly<LadderTrack>[] {
    return this.#tracks;
  }

  /** Effect on the quotes of a market: the same object as long as the effect is the same. */
  effectOn(marketId: MarketId): LadderEffect {
    return this.#effects.get(marketId) ?? NO_EFFECT;
  }

  /** True if the position of a market has to be sold. */
  isFlattening(marketId: MarketId): boolean {
    return this.#acting.some(
      (rung) => rung.action === "flatten" && appliesToMarket(rung, marketId),
    );
  }

  /**
   * Why a market does not quote everything that its strategy wants, in words; halts have their own.
   */
  reasonsFor(marketId: MarketId): readonly string[] {
    return this.#acting.flatMap((rung) =>
      (rung.action === "widen" || rung.action === "reduce") && appliesToMarket(rung, marketId)
        ? [`${rung.measure}: ${actionText(rung)}: ${rung.why}`]
        : [],
    );
  }

  /** The run begins, with the latched rungs of an earlier one. */
  begin(): void {
    for (const { latch } of this.#tracks) {
      if (latch === undefined) continue;
      const { measure, marketId, action, why, atMs } = latch;
      const message =
        action === "flatten"
          ? "a limit was passed in an earlier run: the bot sells the rest of the position, and quotes nothing until an operator resumes"
          : "a limit was passed in an earlier run: it acts until an operator resumes";
      const fields = { measure, marketId, action, why, atMs, command: "marketwright resume" };
      this.#context.notify({ kind: "log", level: "warn", message, fields });
      this.#context.notify({
        kind: "rung",
        measure,
        marketId,
        action,
        widenFactor: undefined,
        why,
      });
    }
  }

  /**
   * Losses that an operator accepted while no bot ran: they are counted from here. Returned once.
   */
  takeAccepted(): AcceptedLosses {
    const accepted = {
      drawdown: this.#drawdown.accepted !== undefined,
      dailyLoss: this.#dailyLoss.accepted !== undefined,
    };
    if (!accepted.drawdown && !accepted.dailyLoss) return accepted;
    this.#drawdown.accepted = undefined;
    this.#dailyLoss.accepted = undefined;
    this.#latches.update(this.#tracks);
    return accepted;
  }

  /** Applies a check of the account's losses. */
  losses({ equity, peak, drawdown, day, dayStart, dailyLoss }: LossReading): void {
    const quote = (units: CreditUnits): string =>
      scaledToDecimal(units, this.#context.rules.creditDecimals);
    this.#endDay(day);
    this.#advance(
      this.#drawdown,
      drawdown,
      (rung) =>
        `net value ${quote(equity)} is ${quote(drawdown)} quote below its peak ${quote(peak)}, ${this.#boundText(rung)}`,
    );
    if (this.#dailyLoss.rungs.length === 0) return;
    this.#advance(
      this.#dailyLoss,
      dailyLoss,
      (rung) =>
        `net value ${quote(equity)} is ${quote(dailyLoss)} quote below ${quote(dayStart)}, where the day began (UTC), ${this.#boundText(rung)}`,
    );
  }

  /** An own trade was reported. */
  filled({ marketId, isMaker, side, ticks, lots, timeMs }: VenueTrade): void {
    if (!isMaker) return;
    const market = this.#markets.find(({ trader }) => trader.marketId === marketId);
    market?.window?.fill({ atMs: timeMs, side, ticks, lots }, this.#context.exchangeTime.nowMs());
  }

  /**
   * Checks every market's inventory and markout; call it after each turn that may have changed any.
   */
  evaluate(): void {
    if (this.#markets.length === 0) return;
    const { account, exchangeTime, hedges } = this.#context;
    for (const { trader, inventory, markout, window } of this.#markets) {
      if (inventory !== undefined) {
        const { marketId } = trader;
        const positionLots = hedges.netLots(marketId) ?? account.positionLots(marketId);
        const share = Math.abs(positionLots) / trader.maxPositionLots;
        this.#advance(
          inventory,
          share,
          (rung) => `the position is ${percent(share)} of its limit, from ${rung.text} on`,
        );
        // Before the account is confirmed, a smaller position is not certain.
        if (inventory.accepted !== undefined && account.confirmed && !hasReachedLatch(inventory)) {
          inventory.accepted = undefined;
          this.#changed();
        }
      }
      if (markout === undefined || window === undefined) continue;
      window.settle(exchangeTime.nowMs(), trader.netMidTicks);
      const lossBps = window.lossBps;
      this.#advance(
        markout,
        lossBps,
        (rung) =>
          `the newest fills lost ${lossBps?.toFixed(2)} bps by their horizon, from ${rung.text} on`,
      );
    }
  }

  /**
   * An operator resumes: the latched rungs of the account, or of one market, end.
   * @returns the losses that are accepted: they are counted from here.
   */
  resume(marketId: MarketId | undefined): AcceptedLosses {
    const accepted = { drawdown: false, dailyLoss: false };
    for (const track of this.#tracks) {
      if (marketId !== undefined && track.marketId !== marketId) continue;
      if (track.measure === "drawdown") accepted.drawdown = track.latch !== undefined;
      if (track.measure === "daily-loss") accepted.dailyLoss = track.latch !== undefined;
      // An unchanged position is accepted too, by later runs as well: its rung acts again once the
      // position fell below it and reaches it again.
      if (track.latch !== undefined && track.measure === "inventory") track.accepted = track.latch;
      else if (track.latch !== undefined) track.reached = 0;
      if (track.latch !== undefined)
        this.#markets.find(({ markout }) => markout === track)?.window?.clear();
      track.latch = undefined;
    }
    this.#latches.removeUnmatched(marketId);
    this.#changed();
    return accepted;
  }

  /** Retries a write that failed. */
  retry(): void {
    this.#latches.retry();
  }

  #advance<Value extends bigint | number>(
    track: LadderTrack,
    value: Value | undefined,
    why: (rung: Rung) => string,
  ): void {
    if (advanceTrack(track, value, why, this.#context.exchangeTime.nowMs())) this.#changed();
  }

  /** The daily loss acts until its day is over, but a position that is being sold is sold first. */
  #endDay(day: number): void {
    const { latch } = this.#dailyLoss;
    if (
      latch === undefined ||
      toUtcDay(latch.atMs) >= day ||
      (latch.action === "flatten" && !this.#isFlat)
    )
      return;
    this.#dailyLoss.latch = undefined;
    this.#dailyLoss.reached = 0;
    this.#changed();
  }

  get #isFlat(): boolean {
    const { account, traderList } = this.#context;
    return traderList.every(
      ({ marketId, rules }) => Math.abs(account.positionLots(marketId)) < rules.minLots,
    );
  }

  /** Applies any change of the acting rungs, and reports it. */
  #changed(): void {
    if (this.#isConfiguring) return;
    const { notify } = this.#context;
    for (const track of this.#tracks) {
      const before = track.acting;
      track.acting = findActiveRung(track);
      const { measure, marketId } = track;
      if (
        track.acting?.action === before?.action &&
        track.acting?.widenFactor === before?.widenFactor
      ) {
        // The operator has to see the reading that triggered the rung, not later values of the
        // measure.
        track.acting = before;
        continue;
      }
      const why = track.acting?.why ?? before?.why ?? "";
      notify({
        kind: "rung",
        measure,
        marketId,
        action: track.acting?.action,
        widenFactor: track.acting?.widenFactor,
        why,
      });
    }
    this.#act();
    // Latched rungs are persisted before anything follows from them.
    this.#latches.update(this.#tracks);
  }

  #act(): void {
    this.#acting = this.#tracks.flatMap(({ acting }) => (acting === undefined ? [] : [acting]));
    this.#demands = toHaltRequests(this.#acting);
    for (const trader of this.#context.traderList) {
      this.#effects.set(trader.marketId, ladderEffectFor(this.#acting, trader.marketId));
      trader.markDirty();
    }
  }

  #boundText({ text, latches }: Rung): string {
    return latches ? `allowed ${text.replace(/ quote$/, "")}` : `from ${text} on`;
  }
}

const NO_MARKETS: readonly WatchedMarket[] = [];
const NO_RUNGS: readonly Rung[] = [];

/**
 * The track of a measure: the one from before with other rungs, or a new one. Undefined without
 * rungs, unless one from before acts or is latched.
 */
function trackFor(
  measure: LadderMeasure,
  marketId: MarketId,
  { rungs, before }: { readonly rungs: readonly Rung[]; readonly before: LadderTrack | undefined },
): LadderTrack | undefined {
  if (before === undefined)
    return rungs.length === 0 ? undefined : createLadderTrack(measure, marketId, rungs);
  replaceRungs(before, rungs);
  const isHeld = [before.latch, before.accepted, before.acting].some((held) => held !== undefined);
  return rungs.length === 0 && !isHeld ? undefined : before;
}

function isSameMarkout(a: MarkoutOptions, b: MarkoutOptions): boolean {
  return a.horizonMs === b.horizonMs && a.fills === b.fills && a.minFills === b.minFills;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
