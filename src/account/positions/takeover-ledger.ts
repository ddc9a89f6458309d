import type { CreditUnits, Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import { type ReportedLiquidation, ReportedLiquidations } from "./reported-liquidations.js";
import { partSums } from "./subset-sums.js";
import type { SaidTakeover, Takeover } from "./takeover.js";

/** How long the exchange may take to tell what the chain has told: after that a difference is a difference. */
const TOLD_WITHIN_MS: Ms = 120_000;
/** How far back the start asks for liquidations: a takeover from before then is in the exchange's position. */
export const LIQUIDATIONS_LOOKBACK_MS: Ms = 300_000;
/** How long the exchange may take to follow a reorganisation that has taken a takeover back: after that its position says that none has. */
const UNDONE_WITHIN_MS: Ms = 60_000;
/**
 * How long before a takeover's own time the exchange may have told its position: the clocks of the chain and the exchange are apart, and a
 * takeover is taken back by us later than by the exchange. What it told earlier than that is of something else.
 */
const TOLD_BEFORE_MS: Ms = 600_000;
/** How long what the exchange told first waits for whoever took it over to say so: longer than anybody is away. */
const UNSAID_KEPT_MS: Ms = 86_400_000;
interface Entry {
  readonly takeover: Takeover;
  readonly saidAtMs: Ms;
  /** The opposite of one that was taken back. */
  readonly isUndo: boolean;
  /** In the ledger and the profit of this run, or in the base that they began from. */
  counted: boolean;
  /** The exchange's position has it. */
  isPositionTold: boolean;
  /** The exchange's income of it has come: another one of the same amount is of another takeover. */
  isIncomeTold: boolean;
}

/** A liquidation that the exchange has told and nobody has said. */
interface Unsaid {
  readonly marketId: MarketId;
  lots: Lots;
  /** The credits of its incomes; none where the exchange told the position alone. A credit is a takeover's own, to the unit. */
  readonly credits: CreditUnits[];
  readonly atMs: Ms;
}

/** What counting a takeover asks for. */
export type Said =
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
export class Takeovers {
  /** Those that the exchange has reported, and that no takeover explains yet. */
  readonly liquidations = new ReportedLiquidations();
  readonly #entries = new Map<string, Entry>();
  /** Those that were taken back, and that the exchange's position may still have: whoever said so may be wrong. */
  readonly #takenBack = new Set<Entry>();
  /** Liquidations that were in the exchange's position when this run began. */
  #earlier: { readonly marketId: MarketId; readonly amount: CreditUnits }[] = [];
  readonly #earlierIds = new Set<Int64Id>();
  #unsaid: Unsaid[] = [];
  /** Of each market, when the exchange's position was last ours, exchange time. */
  readonly #agreedAtMs = new Map<MarketId, Ms>();
  #baseTimeMs = Number.NEGATIVE_INFINITY;
  #serial = 0;

  /** Takes over what an earlier run had said: what is told of it again changes nothing. */
  restore(takeovers: readonly SaidTakeover[]): void {
    for (const { isTold, ...takeover } of takeovers)
      this.#entries.set(takeover.id, {
        ...newEntry(takeover, takeover.atMs),
        isPositionTold: isTold,
      });
  }

  /** A takeover is said. `isBased`: the market's position is known. One that was taken back and is said again counts again. */
  say(takeover: Takeover, isBased: boolean, nowMs: Ms): Said {
    const before = this.#entries.get(takeover.id);
    const undo = this.#entries.get(undoneIdOf(takeover.id));
    if (before !== undefined && undo === undefined) return "nothing";
    const entry = newEntry(takeover, nowMs);
    this.#entries.set(takeover.id, entry);
    this.#serial += 1;
    if (before !== undefined && undo !== undefined) {
      this.#entries.delete(undo.takeover.id);
      this.#takenBack.delete(undo);
      // Nothing of the exchange has followed the undoing: its income was the first one's, and is this one's.
      if (!undo.isPositionTold) entry.isIncomeTold = before.isIncomeTold;
    }
    if (!isBased) return "nothing";
    entry.counted = true;
    if (undo !== undefined) {
      if (!undo.isPositionTold) return "count";
      return this.#takeUnsaid(entry, nowMs) ?? "count";
    }
    if (entry.isUndo) this.#takenBack.add(entry);
    if (this.#isInBase(entry)) return "counted";
    const known = this.#takeUnsaid(entry, nowMs);
    if (known !== undefined) return known;
    // Once the exchange has followed the chain past its block, a position that agrees has it, whatever else has moved it.
    const isHad =
      (this.#agreedAtMs.get(takeover.marketId) ?? Number.NEGATIVE_INFINITY) >=
      takeover.atMs + TOLD_WITHIN_MS;
    if (this.#takeIncome(entry) || isHad) this.#told(entry);
    return isHad ? "rename" : "count";
  }

  /** Takes a takeover back: the opposite one, said under a name of its own. Undefined when it was never said, or taken back before. */
  opposite(id: string, nowMs: Ms): Takeover | undefined {
    const entry = this.#entries.get(id);
    const undoneId = undoneIdOf(id);
    if (entry === undefined || this.#entries.has(undoneId)) return undefined;
    const { marketId, lots, credit } = entry.takeover;
    return { id: undoneId, marketId, lots: -lots, credit: -credit, atMs: nowMs };
  }

  /** All that were said, what was taken back among them: to be remembered for the next run. */
  get said(): readonly SaidTakeover[] {
    return [...this.#entries.values()].map(({ takeover, isPositionTold }) => ({
      ...takeover,
      isTold: isPositionTold,
    }));
  }

  /** Grows with every change of `said`. */
  get serial(): number {
    return this.#serial;
  }

  /** The takeovers to count once a market's base is set: those that the exchange had not told by then. */
  based(marketId: MarketId, exchangeTimeMs: Ms): readonly Takeover[] {
    this.#baseTimeMs = exchangeTimeMs;
    // What the exchange has told until now is in the position that it gave.
    this.#earlier.push(...this.liquidations.takeAll(marketId));
    const missing: Takeover[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.takeover.marketId !== marketId || entry.counted) continue;
      entry.counted = true;
      const wasTold = entry.isPositionTold;
      // Asked of one that was told before too: the income of it is no other's.
      if (this.#isInBase(entry) || wasTold) continue;
      if (entry.isUndo) this.#takenBack.add(entry);
      missing.push(entry.takeover);
    }
    return missing;
  }

  /** A liquidation from before this run, as the start asks for them. Each is noted once. */
  noteEarlier({ id, marketId, amount }: Pick<VenueIncome, "id" | "marketId" | "amount">): void {
    if (this.#earlierIds.has(id)) return;
    this.#earlierIds.add(id);
    this.#earlier.push({ marketId, amount });
  }

  /** A new income of a liquidation. True when a takeover that was said explains it. */
  income(income: ReportedLiquidation, nowMs: Ms): boolean {
    const { marketId, amount } = income;
    this.liquidations.hear(marketId);
    for (const entry of this.#entries.values()) {
      if (
        entry.isIncomeTold ||
        entry.takeover.marketId !== marketId ||
        entry.takeover.credit !== amount
      )
        continue;
      entry.isIncomeTold = true;
      this.#told(entry);
      return true;
    }
    this.liquidations.wait(income, nowMs);
    return false;
  }

  /** Whether a takeover was taken back in this market, and the exchange's position has not shown yet that it does not hold it. */
  isTakingBack(marketId: MarketId): boolean {
    for (const { takeover } of this.#takenBack) if (takeover.marketId === marketId) return true;
    return false;
  }

  /**
   * What the exchange's position may lack, signed: every sum of takeovers that it has not told yet; 0 first. One that was taken back is among them for
   * as long as the exchange may take to follow.
   */
  untoldLots(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    return partSums(this.#untold(marketId, nowMs).map(({ takeover }) => takeover.lots));
  }

  /** The same without those that were taken back: the exchange may hold them for good. */
  untoldForCertain(marketId: MarketId, nowMs: Ms): readonly Lots[] {
    const untold = this.#untold(marketId, nowMs).filter(
      ({ takeover, isUndo }) => !isUndo && !this.#entries.has(undoneIdOf(takeover.id)),
    );
    return partSums(untold.map(({ takeover }) => takeover.lots));
  }

  #untold(marketId: MarketId, nowMs: Ms): readonly Entry[] {
    return [...this.#entries.values()].filter(
      ({ takeover, isPositionTold, isUndo, counted, saidAtMs }) =>
        !isPositionTold &&
        counted &&
        takeover.marketId === marketId &&
        nowMs < saidAtMs + (isUndo ? UNDONE_WITHIN_MS : TOLD_WITHIN_MS),
    );
  }

  /** The exchange's position of this moment, in its own time, is ours, with everything that was said. */
  agreed(marketId: MarketId, exchangeTimeMs: Ms): void {
    this.#agreedAtMs.set(marketId, exchangeTimeMs);
    for (const entry of this.#entries.values())
      if (entry.takeover.marketId === marketId && entry.counted) this.#told(entry);
  }

  /** The exchange's position has shown that it does not hold what was taken back, or has replaced ours: nothing of that is open any more. */
  settleTakenBack(marketId: MarketId): void {
    for (const undo of this.#takenBack) {
      if (undo.takeover.marketId !== marketId) continue;
      this.#told(undo);
      const first = this.#entries.get(undo.takeover.id.slice(0, -UNDONE.length));
      if (first !== undefined) this.#told(first);
    }
  }

  /** The exchange's position was taken over, for whatever reason. Returns the credit of the liquidations that it is explained by. */
  moved(marketId: MarketId, movedLots: Lots, nowMs: Ms): CreditUnits {
    const credits = this.liquidations.takeAll(marketId).map(({ amount }) => amount);
    if (movedLots !== 0 || credits.length > 0)
      this.#unsaid.push({ marketId, lots: movedLots, credits, atMs: nowMs });
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
    this.#told(entry);
    entry.isIncomeTold = true;
    return true;
  }

  #told(entry: Entry): void {
    if (!entry.isPositionTold) this.#serial += 1;
    entry.isPositionTold = true;
    this.#takenBack.delete(entry);
  }

  #takeIncome(entry: Entry): boolean {
    const { marketId, credit } = entry.takeover;
    if (!this.liquidations.take(marketId, credit)) return false;
    entry.isIncomeTold = true;
    return true;
  }

  /** What the exchange told first and a takeover that is said now explains: found by its credit, else by its lots. */
  #takeUnsaid(entry: Entry, nowMs: Ms): "counted" | "rename" | undefined {
    const { marketId, lots, credit, atMs } = entry.takeover;
    this.#unsaid = this.#unsaid.filter(
      (one) => (one.lots !== 0 || one.credits.length > 0) && nowMs < one.atMs + UNSAID_KEPT_MS,
    );
    const candidates = this.#unsaid.filter(
      (one) => one.marketId === marketId && one.atMs >= atMs - TOLD_BEFORE_MS,
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
    this.#told(entry);
    if (found !== byCredit) {
      this.#takeIncome(entry);
      return "rename";
    }
    found.credits.splice(found.credits.indexOf(credit), 1);
    entry.isIncomeTold = true;
    return "counted";
  }
}

function newEntry(takeover: Takeover, saidAtMs: Ms): Entry {
  const isUndo = takeover.id.endsWith(UNDONE);
  return { takeover, saidAtMs, isUndo, counted: false, isPositionTold: false, isIncomeTold: false };
}

/** What the opposite of a takeover is called. */
function undoneIdOf(id: string): string {
  return `${id}${UNDONE}`;
}

const UNDONE = " undone";
