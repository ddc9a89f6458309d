import type { CreditUnits, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import { type ReportedLiquidation, ReportedLiquidations } from "./reported-liquidations.js";
import { subsetSums } from "./subset-sums.js";
import type { StoredTakeover, Takeover } from "./takeover.js";

/**
 * How long the exchange may take to report what the chain has reported. After that a difference is
 * a mismatch.
 */
const REPORTED_WITHIN_MS: Ms = 120_000;
/**
 * How far back the start queries liquidations. The exchange's position includes every earlier
 * takeover.
 */
export const LIQUIDATIONS_LOOKBACK_MS: Ms = 300_000;
/**
 * How long the exchange may take to follow a reorg that reverted a takeover. After that its
 * position shows that it never reverted.
 */
const REVERTED_WITHIN_MS: Ms = 60_000;
/**
 * How long before a takeover's own time the exchange may have reported its position. The clocks of
 * the chain and the exchange differ, and we see a revert later than the exchange does. An earlier
 * report is about something else.
 */
const REPORTED_BEFORE_MS: Ms = 600_000;
/**
 * How long an unclaimed liquidation awaits its takeover's record: longer than any outage of the
 * recorder.
 */
const UNCLAIMED_KEPT_MS: Ms = 86_400_000;
interface Entry {
  readonly takeover: Takeover;
  readonly recordedAtMs: Ms;
  /** True for the opposite of a reverted takeover. */
  readonly isRevert: boolean;
  /**
   * True if the ledger and the profit of this run include it, or the opening position that they
   * began from.
   */
  counted: boolean;
  /** True if the exchange's position includes it. */
  isPositionReported: boolean;
  /**
   * True if the exchange has reported its income. Another income of the same amount then belongs to
   * another takeover.
   */
  isIncomeReported: boolean;
}

/** A reported liquidation without a recorded takeover. */
interface UnclaimedLiquidation {
  readonly marketId: MarketId;
  lots: Lots;
  /**
   * The credits of its incomes; empty if the exchange reported the position alone. A takeover's
   * credit identifies it exactly.
   */
  readonly credits: CreditUnits[];
  readonly atMs: Ms;
}

/** The effect of recording a takeover. */
export type TakeoverEffect =
  /** New: its lots and credit have to be counted. */
  | "count"
  /** The exchange reported it first: it is already counted. */
  | "counted"
  /**
   * The exchange reported its position first, without its credit. The position is already counted
   * and is now attributed to the takeover.
   */
  | "rename"
  /** Already recorded, or counted later when the account is confirmed. */
  | "nothing";

/**
 * Takeovers change a position and its credit without a trade. Each is reported twice: by the bot,
 * from the chain's receipt, and by the exchange, as an income and a position. The first report is
 * counted, and the second is matched to it.
 */
export class TakeoverLedger {
  /** Reported liquidations that no takeover explains yet. */
  readonly liquidations = new ReportedLiquidations();
  readonly #entries = new Map<string, Entry>();
  /**
   * Reverted takeovers that the exchange's position may still include, since the report of the
   * reorg may be wrong.
   */
  readonly #pendingReverts = new Set<Entry>();
  /** Liquidations that the exchange's position included when this run began. */
  #earlier: { readonly marketId: MarketId; readonly amount: CreditUnits }[] = [];
  readonly #earlierIds = new Set<Int64Id>();
  #unclaimed: UnclaimedLiquidation[] = [];
  /** Exchange time of each market's last agreement between the exchange's position and ours. */
  readonly #agreedAtMs = new Map<MarketId, Ms>();
  #baseTimeMs = Number.NEGATIVE_INFINITY;
  #serial = 0;

  /** Restores the takeovers that an earlier run recorded. Recording one again changes nothing. */
  restore(takeovers: readonly StoredTakeover[]): void {
    for (const { isTold, ...takeover } of takeovers)
      this.#entries.set(takeover.id, {
        ...newEntry(takeover, takeover.atMs),
        isPositionReported: isTold,
      });
  }

  /**
   * Records a takeover. A reverted one that is recorded again counts again.
   * @param isBased true if the market's position is known
   */
  record(takeover: Takeover, isBased: boolean, nowMs: Ms): TakeoverEffect {
    const before = this.#entries.get(takeover.id);
    const undo = this.#entries.get(revertIdFor(takeover.id));
    if (before !== undefined && undo === undefined) return "nothing";
    const entry = newEntry(takeover, nowMs);
    this.#entries.set(takeover.id, entry);
    this.#serial += 1;
    if (before !== undefined && undo !== undefined) {
      this.#entries.delete(undo.takeover.id);
      this.#pendingReverts.delete(undo);
      // The exchange has not followed the revert: the income of the first takeover is also the
      // income of this one.
      if (!undo.isPositionReported) entry.isIncomeReported = before.isIncomeReported;
    }
    if (!isBased) return "nothing";
    entry.counted = true;
    if (undo !== undefined) {
      if (!undo.isPositionReported) return "count";
      return this.#claimUnclaimed(entry, nowMs) ?? "count";
    }
    if (entry.isRevert) this.#pendingReverts.add(entry);
    if (this.#isInBase(entry)) return "counted";
    const known = this.#claimUnclaimed(entry, nowMs);
    if (known !== undefined) return known;
    // Once the exchange has processed the takeover's block, an agreeing position includes it,
    // whatever else has changed the position.
    const isHad =
      (this.#agreedAtMs.get(takeover.marketId) ?? Number.NEGATIVE_INFINITY) >=
      takeover.atMs + REPORTED_WITHIN_MS;
    if (this.#claimIncome(entry) || isHad) this.#markReported(entry);
    return isHad ? "rename" : "count";
  }

  /**
   * Reverts a takeover by recording its opposite under a separate id. Undefined if it was never
   * recorded, or already reverted.
   */
  reversalFor(id: string, nowMs: Ms): Takeover | undefined {
    const entry = this.#entries.get(id);
    const undoneId = revertIdFor(id);
    if (entry === undefined || this.#entries.has(undoneId)) return undefined;
    const { marketId, lots, credit } = entry.takeover;
    return { id: undoneId, marketId, lots: -lots, credit: -credit, atMs: nowMs };
  }

  /** All recorded takeovers, including reverted ones, to be stored for the next run. */
  get recorded(): readonly StoredTakeover[] {
    return [...this.#entries.values()].map(({ takeover, isPositionReported }) => ({
      ...takeover,
      isTold: isPositionReported,
    }));
  }

  /** Grows with every change of `recorded`. */
  get serial(): number {
    return this.#serial;
  }

  /**
   * The takeovers to count once a market's opening position is set: those that the exchange had not
   * reported by then.
   */
  onBaseSet(marketId: MarketId, exchangeTimeMs: Ms): readonly Takeover[] {
    this.#baseTimeMs = exchangeTimeMs;
    // The exchange's position includes all liquidations that it has reported until now.
    this.#earlier.push(...this.liquidations.takeAll(marketId));
    const missing: Takeover[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.takeover.marketId !== marketId || entry.counted) continue;
      entry.counted = true;
      const wasReported = entry.isPositionReported;
      // Checked for reported takeovers too: their income belongs to no other takeover.
      if (this.#isInBase(entry) || wasReported) continue;
      if (entry.isRevert) this.#pendingReverts.add(entry);
      missing.push(entry.takeover);
    }
    return missing;
  }

  /** Records a liquidation from before this run, as queried at the start. Each is recorded once. */
  recordEarlier({ id, marketId, amount }: Pick<VenueIncome, "id" | "marketId" | "amount">): void {
    if (this.#earlierIds.has(id)) return;
    this.#earlierIds.add(id);
    this.#earlier.push({ marketId, amount });
  }

  /** Applies a new income of a liquidation. Returns true if a recorded takeover explains it. */
  applyIncome(income: ReportedLiquidation, nowMs: Ms): boolean {
    const { marketId, amount } = income;
    this.liquidations.recordReport(marketId);
    for (const entry of this.#entries.values()) {
      if (
        entry.isIncomeReported ||
        entry.takeover.marketId !== marketId ||
        entry.takeover.credit !== amount
      )
        continue;
      entry.isIncomeReported = true;
      this.#markReported(entry);
      return true;
    }
    this.liquidations.wait(income, nowMs);
    return false;
  }

  /**
   * Returns true if a takeover in this market was reverted and the exchange's position has not
   * shown the revert yet.
   */
  isRevertPending(marketId: MarketId): boolean {
    for (const { takeover } of this.#pendingReverts)
      if (takeover.marketId === marketId) return true;
    return false;
  }

  /**
   * The lots, signed, that the exchange's position may lack: 0 first, then every sum of unreported
   * takeovers. A reverted takeover is included for as long as the exchange may take to follow.
   */
  unreportedLots(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    return subsetSums(this.#unreported(marketId, nowMs).map(({ takeover }) => takeover.lots));
  }

  /** The same without reverted takeovers: the exchange may hold those for good. */
  certainlyUnreportedLots(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    const remaining = this.#unreported(marketId, nowMs).filter(
      ({ takeover, isRevert }) => !isRevert && !this.#entries.has(revertIdFor(takeover.id)),
    );
    return subsetSums(remaining.map(({ takeover }) => takeover.lots));
  }

  #unreported(marketId: MarketId, nowMs: Ms): readonly Entry[] {
    return [...this.#entries.values()].filter(
      ({ takeover, isPositionReported, isRevert, counted, recordedAtMs }) =>
        !isPositionReported &&
        counted &&
        takeover.marketId === marketId &&
        nowMs < recordedAtMs + (isRevert ? REVERTED_WITHIN_MS : REPORTED_WITHIN_MS),
    );
  }

  /**
   * Records that the exchange's present position, in its own time, equals ours with every recorded
   * takeover.
   */
  onPositionAgreed(marketId: MarketId, exchangeTimeMs: Ms): void {
    this.#agreedAtMs.set(marketId, exchangeTimeMs);
    for (const entry of this.#entries.values())
      if (entry.takeover.marketId === marketId && entry.counted) this.#markReported(entry);
  }

  /**
   * Ends all pending reverts of a market: the exchange's position has shown that it lacks the
   * reverted takeovers, or has replaced ours.
   */
  settleReverts(marketId: MarketId): void {
    for (const undo of this.#pendingReverts) {
      if (undo.takeover.marketId !== marketId) continue;
      this.#markReported(undo);
      const first = this.#entries.get(undo.takeover.id.slice(0, -REVERT_SUFFIX.length));
      if (first !== undefined) this.#markReported(first);
    }
  }

  /**
   * Claims the unexplained liquidations when the exchange's position replaces ours. Returns their
   * credit.
   */
  claimWaiting(marketId: MarketId, movedLots: Lots, nowMs: Ms): CreditUnits {
    const credits = this.liquidations.takeAll(marketId).map(({ amount }) => amount);
    if (movedLots !== 0 || credits.length > 0)
      this.#unclaimed.push({ marketId, lots: movedLots, credits, atMs: nowMs });
    return credits.reduce((sum, credit) => sum + credit, 0n);
  }

  /**
   * Returns true if the opening position of this run includes the takeover. Then no part of it
   * belongs to this run.
   */
  #isInBase(entry: Entry): boolean {
    const { marketId, credit, atMs } = entry.takeover;
    const found = this.#earlier.findIndex(
      (income) => income.marketId === marketId && income.amount === credit,
    );
    if (found >= 0) this.#earlier.splice(found, 1);
    else if (atMs >= this.#baseTimeMs - LIQUIDATIONS_LOOKBACK_MS) return false;
    this.#markReported(entry);
    entry.isIncomeReported = true;
    return true;
  }

  #markReported(entry: Entry): void {
    if (!entry.isPositionReported) this.#serial += 1;
    entry.isPositionReported = true;
    this.#pendingReverts.delete(entry);
  }

  #claimIncome(entry: Entry): boolean {
    const { marketId, credit } = entry.takeover;
    if (!this.liquidations.take(marketId, credit)) return false;
    entry.isIncomeReported = true;
    return true;
  }

  /**
   * Matches a recorded takeover to a liquidation that the exchange reported first, by its credit or
   * else by its lots.
   */
  #claimUnclaimed(entry: Entry, nowMs: Ms): "counted" | "rename" | undefined {
    const { marketId, lots, credit, atMs } = entry.takeover;
    this.#unclaimed = this.#unclaimed.filter(
      (one) => (one.lots !== 0 || one.credits.length > 0) && nowMs < one.atMs + UNCLAIMED_KEPT_MS,
    );
    const candidates = this.#unclaimed.filter(
      (one) => one.marketId === marketId && one.atMs >= atMs - REPORTED_BEFORE_MS,
    );
    const byCredit = candidates.find(({ credits }) => credits.includes(credit));
    const byLots = candidates.find(
      (one) =>
        one.credits.length === 0 &&
        Math.sign(one.lots) === Math.sign(lots) &&
        Math.abs(one.lots) >= Math.abs(lots),
    );
    const found = byCredit ?? byLots;
    if (found === undefined) return undefined;
    found.lots -= lots;
    this.#markReported(entry);
    if (found !== byCredit) {
      this.#claimIncome(entry);
      return "rename";
    }
    found.credits.splice(found.credits.indexOf(credit), 1);
    entry.isIncomeReported = true;
    return "counted";
  }
}

function newEntry(takeover: Takeover, recordedAtMs: Ms): Entry {
  const isRevert = takeover.id.endsWith(REVERT_SUFFIX);
  return {
    takeover,
    recordedAtMs: recordedAtMs,
    isRevert,
    counted: false,
    isPositionReported: false,
    isIncomeReported: false,
  };
}

/** The id of a takeover's opposite. */
function revertIdFor(id: string): string {
  return `${id}${REVERT_SUFFIX}`;
}

const REVERT_SUFFIX = " undone";
