import type { ChainMarket } from "../../chain/contracts/lens-results.js";
import { ConfigError } from "../../core/errors.js";
import type { Hex, PaperUnits } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import { maintenanceMargin } from "../../perpetual/margin.js";
import type { Confirmation } from "./candidate.js";
import { marginMarkets } from "./margin-markets.js";
import { computeNearness } from "./rank-candidates.js";

/** How often accounts are looked at, and how many are remembered. */
export interface AccountPollScheduleOptions {
  /** Accounts remembered; beyond, those furthest from the edge are forgotten. Default 20,000. */
  readonly maxAccounts?: number;
  /** The next look comes after as many blocks as a price takes that moves so fast toward the edge, basis points a block. Default 10. */
  readonly bpsPerBlock?: number;
  /** No account is left alone for longer. Default 300. */
  readonly maxBlocks?: number;
  /** An account whose views revert is tried again after so many. Default 3. */
  readonly unreadableBlocks?: number;
}

interface Market {
  readonly markPrice: bigint;
  readonly fundingRate: bigint;
  readonly maintenanceMarginRatio: bigint;
}

interface AccountPoll {
  /** Block of the last look that succeeded; -1 before the first. */
  readonly blockNumber: number;
  readonly nextBlock: number;
  readonly distanceBps: number;
  readonly slackCredit: bigint;
  readonly papers: ReadonlyMap<Hex, PaperUnits>;
  /** What prices and rates were when the slack was measured. */
  readonly markets: ReadonlyMap<Hex, Market>;
  /** It changed, or prices moved past its edge, since it was looked at. */
  readonly isUrgent: boolean;
}

const NEVER_POLLED: AccountPoll = {
  blockNumber: -1,
  nextBlock: -1,
  distanceBps: Number.POSITIVE_INFINITY,
  slackCredit: 0n,
  papers: new Map(),
  markets: new Map(),
  isUrgent: true,
};

/**
 * Who is looked at next. An account near the edge comes again soon, one far away seldom; one that changed on the chain, and every
 * one that the prices of now may have made unsafe, at once. Only a look that succeeded counts as one: what could not be read stays due.
 */
export class AccountPollSchedule {
  readonly #polls = new Map<Hex, AccountPoll>();
  readonly #maxAccounts: number;
  readonly #bpsPerBlock: number;
  readonly #maxBlocks: number;
  readonly #unreadableBlocks: number;

  /** @throws ConfigError for an option that is no positive number. */
  constructor({
    maxAccounts = 20_000,
    bpsPerBlock = 10,
    maxBlocks = 300,
    unreadableBlocks = 3,
  }: AccountPollScheduleOptions = {}) {
    for (const [field, value] of Object.entries({
      maxAccounts,
      bpsPerBlock,
      maxBlocks,
      unreadableBlocks,
    }))
      if (!(value > 0))
        throw new ConfigError("is no number to schedule by", {
          field,
          value,
          expected: "above zero",
        });
    this.#maxAccounts = maxAccounts;
    this.#bpsPerBlock = bpsPerBlock;
    this.#maxBlocks = maxBlocks;
    this.#unreadableBlocks = unreadableBlocks;
  }

  /** Accounts that are remembered. */
  get size(): number {
    return this.#polls.size;
  }

  /** An account may hold something: it is looked at if it is new. @param account in lower case. */
  add(account: Hex): void {
    if (this.#polls.has(account)) return;
    if (this.#polls.size >= this.#maxAccounts) this.#forgetFurthest();
    this.#polls.set(account, NEVER_POLLED);
  }

  /** An account changed on the chain, or is said to be unsafe: it is looked at at once. */
  markChanged(account: Hex): void {
    const look = this.#polls.get(account);
    if (look === undefined) this.add(account);
    else if (!look.isUrgent) this.#polls.set(account, { ...look, isUrgent: true });
  }

  /**
   * Prices and funding rates of now: every account that they may have made unsafe since it was looked at becomes due, moves of several
   * markets taken together. A market without a price is taken to stand still.
   * @returns how many became due.
   */
  onPrices(markets: ReadonlyMap<Hex, ChainMarket>): number {
    const now = marketsNow(markets);
    let broken = 0;
    for (const [account, look] of this.#polls) {
      if (look.isUrgent || look.slackCredit + slackChange(look, now) >= 0n) continue;
      this.#polls.set(account, { ...look, isUrgent: true });
      broken += 1;
    }
    return broken;
  }

  /**
   * The accounts to look at in this block, at most `budget`: first those that are unsafe, changed or may have broken, the longest
   * unseen first; then those whose time has come, by how late they are for their distance. Asking changes nothing.
   */
  due(blockNumber: number, budget: number): Hex[] {
    const due = [...this.#polls].filter(
      ([, look]) => look.isUrgent || look.nextBlock <= blockNumber,
    );
    const isFirst = (look: AccountPoll): boolean => look.isUrgent || look.distanceBps === 0;
    const lateness = (look: AccountPoll): number =>
      (blockNumber - look.blockNumber) / Math.max(1, look.nextBlock - look.blockNumber);
    due.sort(([, a], [, b]) => {
      if (isFirst(a) !== isFirst(b)) return isFirst(a) ? -1 : 1;
      return isFirst(a) ? a.blockNumber - b.blockNumber : lateness(b) - lateness(a);
    });
    return due.slice(0, budget).map(([account]) => account);
  }

  /** What was seen. Accounts that hold nothing leave; one that nobody had heard of is not taken up. */
  onPolled({
    blockNumber,
    accounts,
    markets,
  }: Pick<Confirmation, "blockNumber" | "accounts" | "markets">): void {
    const margins = marginMarkets(markets);
    const now = marketsNow(markets);
    for (const entry of accounts) {
      const { account } = entry;
      const last = this.#polls.get(account);
      if (last === undefined || last.blockNumber > blockNumber) continue;
      if (entry.kind === "unreadable") {
        this.#polls.set(account, {
          ...last,
          blockNumber,
          nextBlock: blockNumber + this.#unreadableBlocks,
          isUrgent: false,
        });
      } else if (entry.margin.papers.size === 0) {
        this.#polls.delete(account);
      } else {
        const { distanceBps, slackCredit } = computeNearness(entry.margin, margins);
        const nextBlock = blockNumber + this.#interval(distanceBps);
        this.#polls.set(account, {
          blockNumber,
          nextBlock,
          distanceBps,
          slackCredit,
          papers: entry.margin.papers,
          markets: now,
          isUrgent: false,
        });
      }
    }
  }

  #interval(distanceBps: number): number {
    return Math.min(this.#maxBlocks, Math.max(1, Math.floor(distanceBps / this.#bpsPerBlock)));
  }

  /** A sixteenth at a time, so that a flood of new accounts does not sort the rest for each. Accounts not yet seen count as far away. */
  #forgetFurthest(): void {
    const furthest = [...this.#polls].sort(([, a], [, b]) =>
      a.distanceBps === b.distanceBps ? 0 : b.distanceBps - a.distanceBps,
    );
    for (const [account] of furthest.slice(0, Math.ceil(this.#maxAccounts / 16)))
      this.#polls.delete(account);
  }
}

function marketsNow(markets: ReadonlyMap<Hex, ChainMarket>): Map<Hex, Market> {
  return new Map(
    [...markets.values()].flatMap(
      ({ perp, markPrice, fundingRate, maintenanceMarginRatio }): [Hex, Market][] =>
        markPrice.ok
          ? [[perp, { markPrice: markPrice.creditPerCoin, fundingRate, maintenanceMarginRatio }]]
          : [],
    ),
  );
}

/** How net value less maintenance margin has changed with prices and funding since the look. */
function slackChange({ papers, markets }: AccountPoll, now: ReadonlyMap<Hex, Market>): bigint {
  let change = 0n;
  for (const [perp, paper] of papers) {
    const [then, present] = [markets.get(perp), now.get(perp)];
    if (then !== undefined && present !== undefined && then !== present)
      change += slackOf(paper, present) - slackOf(paper, then);
  }
  return change;
}

function slackOf(
  paper: PaperUnits,
  { markPrice, fundingRate, maintenanceMarginRatio }: Market,
): bigint {
  const value = mulFixed(paper, markPrice);
  return value + mulFixed(paper, fundingRate) - maintenanceMargin(value, maintenanceMarginRatio);
}
