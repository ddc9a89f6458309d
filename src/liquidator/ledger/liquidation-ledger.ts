import type { Clock } from "../../core/runtime/seam.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { LostRace } from "../plan/suggest-tip.js";
import type { LedgerCounts } from "./ledger-counts.js";
import { decodeLedger, encodeOpportunity } from "./ledger-lines.js";
import { LedgerTally } from "./ledger-tally.js";
import type { Opportunity, OpportunityOutcome, OpportunityStage } from "./opportunity.js";

/** The ledger's file in the state directory. */
export const LIQUIDATIONS_FILE = "liquidations.jsonl";

/** Where the ledger's lines are kept. */
export interface LedgerFile {
  /** Everything that was written, or undefined. */
  read(): string | undefined;
  /** Adds a line that no end of this process loses. */
  append(line: string): void;
}

/** Something in the ledger has changed. */
export interface LedgerChange {
  readonly opportunity: Opportunity;
  /** A stage that was reached now, and the seconds since the one before it. */
  readonly stage?: { readonly name: OpportunityStage; readonly seconds: number };
  /** Set when it has come to its end now. */
  readonly outcome?: OpportunityOutcome;
}

/** Opportunities that have ended and are kept at hand; the file has all. */
const MOST_ENDED = 500;
/** Open ones that are kept at hand: beyond, the oldest that nothing was sent for is let go. */
const MOST_OPEN = 5000;

const ORDER: readonly OpportunityStage[] = [
  "seen",
  "confirmed",
  "planned",
  "simulated",
  "sent",
  "mined",
  "final",
  "unwound",
];

/**
 * Every opportunity with what became of it. Each change is in the file before anybody hears of it; a line holds the whole opportunity, so
 * that the last one of an id says all.
 */
export class LiquidationLedger {
  readonly #file: LedgerFile;
  readonly #clock: Clock;
  readonly #open = new Map<string, Opportunity>();
  readonly #ended = new Map<string, Opportunity>();
  readonly #byJob = new Map<string, string>();
  /** Ids of open ones by position. */
  readonly #byPosition = new Map<string, string>();
  readonly #listeners = new Set<(note: LedgerChange) => void>();
  readonly #tally = new LedgerTally();

  /** Takes up what an earlier run wrote; of it only what is still open is counted. @throws FormatError when the file holds what it cannot. */
  constructor(file: LedgerFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    for (const opportunity of decodeLedger(file.read() ?? "")) {
      if (opportunity.intended !== undefined)
        this.#byJob.set(opportunity.intended.jobId, opportunity.id);
      this.#keep(opportunity);
    }
    for (const opportunity of this.#open.values()) this.#tally.takenUp(opportunity);
  }

  /** Hears of every change, until the returned function is called. */
  listen(listener: (note: LedgerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Those that have not come to their end, oldest first. */
  get open(): readonly Opportunity[] {
    return [...this.#open.values()];
  }

  /** The last that have come to their end, newest last. @param most how many. */
  ended(most: number): readonly Opportunity[] {
    return [...this.#ended.values()].slice(-most);
  }

  /** The newest, open ones last. @param most how many. */
  recent(most: number): readonly Opportunity[] {
    return [...this.#ended.values(), ...this.#open.values()].slice(-most);
  }

  /** What is known of an id, as far as it is kept at hand. */
  get(id: string): Opportunity | undefined {
    return this.#open.get(id) ?? this.#ended.get(id);
  }

  /** The open opportunity of a position. */
  findOpen(victim: Hex, perp: Hex): Opportunity | undefined {
    const id = this.#byPosition.get(`${victim}/${perp}`);
    return id === undefined ? undefined : this.#open.get(id);
  }

  /** The opportunity that a transaction was sent for. */
  findByJob(jobId: string): Opportunity | undefined {
    const id = this.#byJob.get(jobId);
    return id === undefined ? undefined : this.get(id);
  }

  /** The opportunity that a takeover came from. */
  findByTakeover(takeoverId: string): Opportunity | undefined {
    for (const held of [this.#open, this.#ended])
      for (const opportunity of held.values())
        if (opportunity.takenOver?.id === takeoverId) return opportunity;
    return undefined;
  }

  /** The position is heard of: a new opportunity, or the one that is open. @param seenBlock the newest that is known. */
  recordSeen(victim: Hex, perp: Hex, marketId: MarketId, seenBlock?: number): Opportunity {
    const known = this.findOpen(victim, perp);
    if (known !== undefined) return known;
    const nowMs = this.#clock.nowMs();
    const id = `${victim}/${perp}@${nowMs}.${this.#tally.seen()}`;
    this.#makeRoom();
    const heard = { id, victim, perp, marketId, outcome: "open" as const, atMs: { seen: nowMs } };
    return this.#put(seenBlock === undefined ? heard : { ...heard, seenBlock }, {
      stage: { name: "seen", seconds: 0 },
    });
  }

  /** Changes what is only of interest while it lasts: it is told and in the file with the next change that stays. */
  revise(id: string, change: Pick<Opportunity, "shortOfQuote" | "reason" | "isWaiting">): void {
    const before = this.#open.get(id);
    if (before !== undefined) this.#open.set(id, { ...before, ...change });
  }

  /** What became of the position that was taken over: told, and in the file when its state has changed. */
  recordUnwound(takeoverId: string, unwound: NonNullable<Opportunity["unwound"]>): void {
    const before = this.findByTakeover(takeoverId);
    if (before === undefined) return;
    if (before.unwound?.state !== unwound.state) {
      this.update(before.id, { unwound }, unwound.state === "open" ? undefined : "unwound");
      return;
    }
    const after = withProfit({ ...before, unwound });
    this.#tally.money(before, after);
    (this.#open.has(after.id) ? this.#open : this.#ended).set(after.id, after);
  }

  /** Changes an opportunity, and notes a stage that it has reached; a stage keeps its first instant. */
  update(
    id: string,
    change: Partial<Omit<Opportunity, "id" | "atMs" | "outcome">>,
    stage?: OpportunityStage,
  ): Opportunity | undefined {
    const before = this.get(id);
    if (before === undefined) return undefined;
    const isNew = stage !== undefined && before.atMs[stage] === undefined;
    const nowMs = this.#clock.nowMs();
    if (isNew && stage === "confirmed") this.#tally.confirmed();
    if (change.intended !== undefined) this.#byJob.set(change.intended.jobId, id);
    const after = withProfit({
      ...before,
      ...change,
      atMs: isNew ? { ...before.atMs, [stage]: nowMs } : before.atMs,
    });
    this.#tally.money(before, after);
    return this.#put(
      after,
      isNew ? { stage: { name: stage, seconds: (nowMs - lastStageMs(before)) / 1000 } } : {},
    );
  }

  /** It has come to its end. Said again of one that has, it is the end that counts. */
  end(
    id: string,
    outcome: Exclude<OpportunityOutcome, "open">,
    change: Partial<Omit<Opportunity, "id" | "atMs" | "outcome">> = {},
  ): void {
    const before = this.get(id);
    if (before === undefined) return;
    this.#tally.ended(before, outcome);
    const after = withProfit({ ...before, ...change, outcome });
    this.#tally.money(before, after);
    this.#forget(before);
    this.#put(after, { outcome });
  }

  /** Its end was none: the chain took it back. What it cost and whom it was lost to is not known any more. One that is open stays so. */
  reopen(id: string): void {
    const before = this.get(id);
    if (before === undefined || before.outcome === "open") return;
    this.#tally.reopened(before);
    this.#ended.delete(id);
    const { gasWei: _wei, gasQuote: _quote, lostTo: _rival, reason: _why, ...rest } = before;
    const after = withProfit({ ...rest, outcome: "open" });
    this.#tally.money(before, after);
    this.#put(after, {});
  }

  /** Of this run. */
  counts(): LedgerCounts {
    return this.#tally.counts(this.open);
  }

  /** Races that were lost and are kept at hand: what a tip is suggested from. */
  lostRaces(): LostRace[] {
    return [...this.#ended.values()].flatMap(
      ({ outcome, victim, perp, lostTo, tipWei, intended }): LostRace[] => {
        if (outcome !== "lost" || lostTo === undefined || intended === undefined) return [];
        const { winner, blocksBefore, tipWei: winnerTipWei } = lostTo;
        const gas = RACE_GAS;
        return [
          {
            victim,
            perp,
            winner,
            blocksBefore,
            winnerTipWei,
            ourTipWei: tipWei ?? 0n,
            gas,
            missedProfitCredit: intended.expectedProfitQuote,
          },
        ];
      },
    );
  }

  #put(opportunity: Opportunity, note: Omit<LedgerChange, "opportunity">): Opportunity {
    this.#file.append(encodeOpportunity(opportunity));
    this.#keep(opportunity);
    for (const listener of this.#listeners) listener({ opportunity, ...note });
    return opportunity;
  }

  #keep(opportunity: Opportunity): void {
    if (opportunity.outcome !== "open") return this.#keepEnded(opportunity);
    const { id, victim, perp } = opportunity;
    this.#open.set(id, opportunity);
    // One that was reopened may stand beside a newer one: the first is the position's until it has ended.
    if (!this.#byPosition.has(`${victim}/${perp}`)) this.#byPosition.set(`${victim}/${perp}`, id);
  }

  #forget({ id, victim, perp }: Opportunity): void {
    this.#open.delete(id);
    const position = `${victim}/${perp}`;
    if (this.#byPosition.get(position) !== id) return;
    this.#byPosition.delete(position);
    for (const other of this.#open.values())
      if (other.victim === victim && other.perp === perp) this.#byPosition.set(position, other.id);
  }

  #keepEnded(opportunity: Opportunity): void {
    this.#ended.set(opportunity.id, opportunity);
    if (this.#ended.size <= MOST_ENDED) return;
    const [oldest] = this.#ended.values();
    if (oldest === undefined) return;
    this.#ended.delete(oldest.id);
    this.#tally.forget(oldest.id);
    if (oldest.intended !== undefined) this.#byJob.delete(oldest.intended.jobId);
  }

  #makeRoom(): void {
    if (this.#open.size < MOST_OPEN) return;
    for (const opportunity of this.#open.values()) {
      if (opportunity.intended !== undefined) continue;
      return this.end(opportunity.id, "refused", {
        reason: "let go: more are open than are kept at hand",
      });
    }
  }
}

/**
 * Gas of a liquidation of one position by an account of few: docs/reference/protocol.md#gas
 * measures 224,000 to 303,000.
 */
const RACE_GAS = 260_000n;

function withProfit(opportunity: Opportunity): Opportunity {
  const { takenOver, unwound, gasQuote } = opportunity;
  // Of less than a lot nothing is sold.
  const earned = takenOver?.lots === 0 ? takenOver.credit : unwound?.earnedCredit;
  if (earned === undefined && gasQuote === undefined) {
    const { profitQuote: _undone, ...rest } = opportunity;
    return rest;
  }
  const kept = earned === undefined ? 0n : (takenOver?.odd?.markCredit ?? 0n);
  return { ...opportunity, profitQuote: (earned ?? 0n) + kept - (gasQuote ?? 0n) };
}

function lastStageMs({ atMs }: Opportunity): number {
  return Math.max(...ORDER.flatMap((stage) => atMs[stage] ?? []));
}
