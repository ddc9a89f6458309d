import type { CreditUnits, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import { type ReportedLiquidation, ReportedLiquidations } from "./reported-liquidations.js";
import { subsetSums } from "./subset-sums.js";
import type { StoredTakeover, Takeover } from "./takeover.js";

/** How long the exchange may take to tell what the chain has told: after that a difference is a difference. */
const REPORTED_WITHIN_MS: Ms = 120_000;
/** How far back the start asks for liquidations: a takeover from before then is in the exchange's position. */
export const LIQUIDATIONS_LOOKBACK_MS: Ms = 300_000;
/** How long the exchange may take to follow a reorganisation that has taken a takeover back: after that its position says that none has. */
const REVERTED_WITHIN_MS: Ms = 60_000;
/**
 * How long before a takeover's own time the exchange may have told its position: the clocks of the chain and the exchange are apart, and a
 * takeover is taken back by us later than by the exchange. What it told earlier than that is of something else.
 */
const REPORTED_BEFORE_MS: Ms = 600_000;
/** How long what the exchange told first waits for whoever took it over to say so: longer than anybody is away. */
const UNCLAIMED_KEPT_MS: Ms = 86_400_000;
interface Entry {
  readonly takeover: Takeover;
  readonly recordedAtMs: Ms;
  /** The opposite of one that was taken back. */
  readonly isRevert: boolean;
  /** In the ledger and the profit of this run, or in the base that they began from. */
  counted: boolean;
  /** The exchange's position has it. */
  isPositionReported: boolean;
  /** The exchange's income of it has come: another one of the same amount is of another takeover. */
  isIncomeReported: boolean;
}

/** A liquidation that the exchange has told and nobody has said. */
interface UnclaimedLiquidation {
  readonly marketId: MarketId;
  lots: Lots;
  /** The credits of its incomes; none where the exchange told the position alone. A credit is a takeover's own, to the unit. */
  readonly credits: CreditUnits[];
  readonly atMs: Ms;
}

/** What counting a takeover asks for. */
export type TakeoverEffect =
  /** New: its lots and credit are to be counted. */
  | "count"
  /** The exchange has told it first: it is counted already. */
  | "counted"
  /** The exchange has told its position first, and its credit not: the position counts as it does, but as a takeover. */
  | "rename"
  /** Said before, or to be counted when the account is confirmed. */
  | "nothing";

/**
 * Takeovers, which change a position and its credit without a trade, and are told twice: by whoever took over (the chain's receipt), and
 * by the exchange (an income of the credit, and its position). Whichever comes first counts, the other explains itself by it.
 */
export class TakeoverLedger {
  /** Those that the exchange has reported, and that no takeover explains yet. */
  readonly liquidations = new ReportedLiquidations();
  readonly #entries = new Map<string, Entry>();
  /** Those that were taken back, and that the exchange's position may still have: whoever said so may be wrong. */
  readonly #pendingReverts = new Set<Entry>();
  /** Liquidations that were in the exchange's position when this run began. */
  #earlier: { readonly marketId: MarketId; readonly amount: CreditUnits }[] = [];
  readonly #earlierIds = new Set<Int64Id>();
  #unclaimed: UnclaimedLiquidation[] = [];
  /** Of each market, when the exchange's position was last ours, exchange time. */
  readonly #agreedAtMs = new Map<MarketId, Ms>();
  #baseTimeMs = Number.NEGATIVE_INFINITY;
  #serial = 0;

  /** Takes over what an earlier run had said: what is told of it again changes nothing. */
  restore(takeovers: readonly StoredTakeover[]): void {
    for (const { isTold, ...takeover } of takeovers)
      this.#entries.set(takeover.id, {
        ...newEntry(takeover, takeover.atMs),
        isPositionReported: isTold,
      });
  }

  /** A takeover is said. `isBased`: the market's position is known. One that was taken back and is said again counts again. */
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
      // Nothing of the exchange has followed the undoing: its income was the first one's, and is this one's.
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
    // Once the exchange has followed the chain past its block, a position that agrees has it, whatever else has moved it.
    const isHad =
      (this.#agreedAtMs.get(takeover.marketId) ?? Number.NEGATIVE_INFINITY) >=
      takeover.atMs + REPORTED_WITHIN_MS;
    if (this.#claimIncome(entry) || isHad) this.#markReported(entry);
    return isHad ? "rename" : "count";
  }

  /** Takes a takeover back: the opposite one, said under a name of its own. Undefined when it was never said, or taken back before. */
  reversalFor(id: string, nowMs: Ms): Takeover | undefined {
    const entry = this.#entries.get(id);
    const undoneId = revertIdFor(id);
    if (entry === undefined || this.#entries.has(undoneId)) return undefined;
    const { marketId, lots, credit } = entry.takeover;
    return { id: undoneId, marketId, lots: -lots, credit: -credit, atMs: nowMs };
  }

  /** All that were said, what was taken back among them: to be remembered for the next run. */
  get recorded(): readonly StoredTakeover[] {
    return [...this.#entries.values()].map(({ takeover, isPositionReported: isPositionTold }) => ({
      ...takeover,
      isTold: isPositionTold,
    }));
  }

  /** Grows with every change of `recorded`. */
  get serial(): number {
    return this.#serial;
  }

  /** The takeovers to count once a market's base is set: those that the exchange had not told by then. */
  onBaseSet(marketId: MarketId, exchangeTimeMs: Ms): readonly Takeover[] {
    this.#baseTimeMs = exchangeTimeMs;
    // What the exchange has told until now is in the position that it gave.
    this.#earlier.push(...this.liquidations.takeAll(marketId));
    const missing: Takeover[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.takeover.marketId !== marketId || entry.counted) continue;
      entry.counted = true;
      const wasTold = entry.isPositionReported;
      // Asked of one that was told before too: the income of it is no other's.
      if (this.#isInBase(entry) || wasTold) continue;
      if (entry.isRevert) this.#pendingReverts.add(entry);
      missing.push(entry.takeover);
    }
    return missing;
  }

  /** A liquidation from before this run, as the start asks for them. Each is noted once. */
  recordEarlier({ id, marketId, amount }: Pick<VenueIncome, "id" | "marketId" | "amount">): void {
    if (this.#earlierIds.has(id)) return;
    this.#earlierIds.add(id);
    this.#earlier.push({ marketId, amount });
  }

  /** A new income of a liquidation. True when a takeover that was said explains it. */
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

  /** Whether a takeover was taken back in this market, and the exchange's position has not shown yet that it does not hold it. */
  isRevertPending(marketId: MarketId): boolean {
    for (const { takeover } of this.#pendingReverts)
      if (takeover.marketId === marketId) return true;
    return false;
  }

  /**
   * What the exchange's position may lack, signed: every sum of takeovers that it has not told yet; 0 first. One that was taken back is among them for
   * as long as the exchange may take to follow.
   */
  unreportedLots(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    return subsetSums(this.#unreported(marketId, nowMs).map(({ takeover }) => takeover.lots));
  }

  /** The same without those that were taken back: the exchange may hold them for good. */
  certainlyUnreportedLots(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    const untold = this.#unreported(marketId, nowMs).filter(
      ({ takeover, isRevert: isUndo }) => !isUndo && !this.#entries.has(revertIdFor(takeover.id)),
    );
    return subsetSums(untold.map(({ takeover }) => takeover.lots));
  }

  #unreported(marketId: MarketId, nowMs: Ms): readonly Entry[] {
    return [...this.#entries.values()].filter(
      ({
        takeover,
        isPositionReported: isPositionTold,
        isRevert: isUndo,
        counted,
        recordedAtMs: saidAtMs,
      }) =>
        !isPositionTold &&
        counted &&
        takeover.marketId === marketId &&
        nowMs < saidAtMs + (isUndo ? REVERTED_WITHIN_MS : REPORTED_WITHIN_MS),
    );
  }

  /** The exchange's position of this moment, in its own time, is ours, with everything that was said. */
  onPositionAgreed(marketId: MarketId, exchangeTimeMs: Ms): void {
    this.#agreedAtMs.set(marketId, exchangeTimeMs);
    for (const entry of this.#entries.values())
      if (entry.takeover.marketId === marketId && entry.counted) this.#markReported(entry);
  }

  /** The exchange's position has shown that it does not hold what was taken back, or has replaced ours: nothing of that is open any more. */
  settleReverts(marketId: MarketId): void {
    for (const undo of this.#pendingReverts) {
      if (undo.takeover.marketId !== marketId) continue;
      this.#markReported(undo);
      const first = this.#entries.get(undo.takeover.id.slice(0, -REVERT_SUFFIX.length));
      if (first !== undefined) this.#markReported(first);
    }
  }

  /** The exchange's position was taken over, for whatever reason. Returns the credit of the liquidations that it is explained by. */
  claimWaiting(marketId: MarketId, movedLots: Lots, nowMs: Ms): CreditUnits {
    const credits = this.liquidations.takeAll(marketId).map(({ amount }) => amount);
    if (movedLots !== 0 || credits.length > 0)
      this.#unclaimed.push({ marketId, lots: movedLots, credits, atMs: nowMs });
    return credits.reduce((sum, credit) => sum + credit, 0n);
  }

  /** Whether the position that this run began from has it: then nothing of it is this run's. */
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

  /** What the exchange told first and a takeover that is said now explains: found by its credit, else by its lots. */
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

function newEntry(takeover: Takeover, saidAtMs: Ms): Entry {
  const isUndo = takeover.id.endsWith(REVERT_SUFFIX);
  return {
    takeover,
    recordedAtMs: saidAtMs,
    isRevert: isUndo,
    counted: false,
    isPositionReported: false,
    isIncomeReported: false,
  };
}

/** What the opposite of a takeover is called. */
function revertIdFor(id: string): string {
  return `${id}${REVERT_SUFFIX}`;
}

const REVERT_SUFFIX = " undone";
