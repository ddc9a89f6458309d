import type { Clock } from "../../core/runtime/runtime.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { LostRace } from "../plan/suggest-tip.js";
import type { LedgerCounts } from "./ledger-counts.js";
import { decodeLedger, encodeOpportunity } from "./ledger-lines.js";
import { LedgerTally } from "./ledger-tally.js";
import type { Opportunity, OpportunityOutcome, OpportunityStage } from "./opportunity.js";

/** The ledger's file in the state directory. */
export const LIQUIDATIONS_FILE = "liquidations.jsonl";

/** Storage of the ledger's lines. */
export interface LedgerFile {
  /** Returns the whole text, or undefined if nothing was written. */
  read(): string | undefined;
  /** Appends a line durably: it survives a crash of this process. */
  append(line: string): void;
}

/** A change in the ledger. */
export interface LedgerChange {
  readonly opportunity: Opportunity;
  /** The stage that was reached now, and the seconds since the one before it. */
  readonly stage?: { readonly name: OpportunityStage; readonly seconds: number };
  /** Set when the opportunity ends now. */
  readonly outcome?: OpportunityOutcome;
}

/** Ended opportunities that are kept in memory; the file has all. */
const MOST_ENDED = 500;
/**
 * Open opportunities that are kept in memory. Beyond it, the oldest without a transaction is
 * dropped.
 */
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
 * Every opportunity with its outcome. Each change is in the file before any listener is called. A
 * line holds the whole opportunity, so the last line of an id is its state.
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

  /**
   * Loads what an earlier run wrote, and counts only what is still open. @throws FormatError when a
   * line cannot be read.
   */
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

  /** Calls the listener with every change, until the returned function is called. */
  listen(listener: (note: LedgerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Open opportunities, oldest first. */
  get open(): readonly Opportunity[] {
    return [...this.#open.values()];
  }

  /** The last ended opportunities, newest last. @param most the maximum number. */
  ended(most: number): readonly Opportunity[] {
    return [...this.#ended.values()].slice(-most);
  }

  /** The newest opportunities, open ones last. @param most the maximum number. */
  recent(most: number): readonly Opportunity[] {
    return [...this.#ended.values(), ...this.#open.values()].slice(-most);
  }

  /** Returns the opportunity of an id, if it is in memory. */
  get(id: string): Opportunity | undefined {
    return this.#open.get(id) ?? this.#ended.get(id);
  }

  /** The open opportunity of a position. */
  findOpen(victim: Hex, perp: Hex): Opportunity | undefined {
    const id = this.#byPosition.get(`${victim}/${perp}`);
    return id === undefined ? undefined : this.#open.get(id);
  }

  /** The opportunity of a transaction. */
  findByJob(jobId: string): Opportunity | undefined {
    const id = this.#byJob.get(jobId);
    return id === undefined ? undefined : this.get(id);
  }

  /** The opportunity of a takeover. */
  findByTakeover(takeoverId: string): Opportunity | undefined {
    for (const held of [this.#open, this.#ended])
      for (const opportunity of held.values())
        if (opportunity.takenOver?.id === takeoverId) return opportunity;
    return undefined;
  }

  /**
   * Records a reported position: opens a new opportunity, or returns the open one. @param seenBlock
   * the newest known block.
   */
  recordSeen(victim: Hex, perp: Hex, marketId: MarketId, seenBlock?: number): Opportunity {
    const known = this.findOpen(victim, perp);
    if (known !== undefined) return known;
    const nowMs = this.#clock.nowMs();
    const id = `${victim}/${perp}@${nowMs}.${this.#tally.seen()}`;
    this.#makeRoom();
    const opened = { id, victim, perp, marketId, outcome: "open" as const, atMs: { seen: nowMs } };
    return this.#put(seenBlock === undefined ? opened : { ...opened, seenBlock }, {
      stage: { name: "seen", seconds: 0 },
    });
  }

  /** Changes transient fields. They reach listeners and the file with the next lasting change. */
  revise(
    id: string,
    change: Pick<Opportunity, "shortOfQuote" | "reason" | "isWaiting" | "assessed" | "skippedFor">,
  ): void {
    const before = this.#open.get(id);
    if (before !== undefined) this.#open.set(id, { ...before, ...change });
  }

  /**
   * Records the progress of selling an acquired position. Listeners are called at once; the file is
   * written when the state changes.
   */
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

  /**
   * Changes an opportunity, and records a stage that it has reached. A stage keeps its first time.
   */
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

  /** Ends an opportunity. If it has already ended, the later outcome counts. */
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

  /**
   * Reopens an opportunity whose outcome a reorg removed. Its cost and its rival are unknown again.
   * An open opportunity stays open.
   */
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

  /** Counts of this run. */
  counts(): LedgerCounts {
    return this.#tally.counts(this.open);
  }

  /** Lost races that are in memory: the basis of the suggested tip. */
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
    // A reopened opportunity may exist beside a newer one. The first holds the position until it
    // has ended.
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
        reason: "dropped: more opportunities are open than the ledger keeps",
      });
    }
  }
}

/**
 * Gas of a lost race: a liquidation of one position by an account of few, for which
 * docs/reference/protocol.md#gas measures 224,000 to 303,000.
 */
export const RACE_GAS = 260_000n;

function withProfit(opportunity: Opportunity): Opportunity {
  const { takenOver, unwound, gasQuote } = opportunity;
  // Less than a lot cannot be sold.
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
