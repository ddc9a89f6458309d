import type { ChainMarket } from "../../chain/contracts/lens-results.js";
import { ConfigError } from "../../core/errors.js";
import type { Hex, PaperUnits } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import { maintenanceMargin } from "../../perpetual/margin.js";
import type { Confirmation } from "./candidate.js";
import { marginMarkets } from "./margin-markets.js";
import { computeNearness } from "./rank-candidates.js";

/** Poll rates, and the number of accounts to track. */
export interface AccountPollScheduleOptions {
  /** Accounts to track; beyond it, those furthest from liquidation are dropped. Default 20,000. */
  readonly maxAccounts?: number;
  /**
   * Assumed speed of the price towards liquidation, basis points a block: it sets the number of
   * blocks until the next poll. Default 10.
   */
  readonly bpsPerBlock?: number;
  /** Longest time between polls of an account, blocks. Default 300. */
  readonly maxBlocks?: number;
  /** Blocks until an account whose views revert is polled again. Default 3. */
  readonly unreadableBlocks?: number;
}

interface Market {
  readonly markPrice: bigint;
  readonly fundingRate: bigint;
  readonly maintenanceMarginRatio: bigint;
}

interface AccountPoll {
  /** Block of the last successful poll; -1 before the first. */
  readonly blockNumber: number;
  readonly nextBlock: number;
  readonly distanceBps: number;
  readonly slackCredit: bigint;
  readonly papers: ReadonlyMap<Hex, PaperUnits>;
  /** Prices and rates at the time when the slack was measured. */
  readonly markets: ReadonlyMap<Hex, Market>;
  /** True if it changed, or prices moved past its liquidation price, since its last poll. */
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
 * Decides which accounts to poll next. An account near liquidation is polled often, a distant one
 * seldom. One that changed on the chain, or that current prices may have made unsafe, is polled at
 * once. Only a successful poll counts: an account that could not be read stays due.
 */
export class AccountPollSchedule {
  readonly #polls = new Map<Hex, AccountPoll>();
  readonly #maxAccounts: number;
  readonly #bpsPerBlock: number;
  readonly #maxBlocks: number;
  readonly #unreadableBlocks: number;

  /** @throws ConfigError for an option that is not a positive number. */
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
        throw new ConfigError("is not a number above zero", {
          field,
          value,
          expected: "above zero",
        });
    this.#maxAccounts = maxAccounts;
    this.#bpsPerBlock = bpsPerBlock;
    this.#maxBlocks = maxBlocks;
    this.#unreadableBlocks = unreadableBlocks;
  }

  /** Number of tracked accounts. */
  get size(): number {
    return this.#polls.size;
  }

  /**
   * Adds an account that may hold a position; a new one is due for a poll. @param account in lower
   * case.
   */
  add(account: Hex): void {
    if (this.#polls.has(account)) return;
    if (this.#polls.size >= this.#maxAccounts) this.#forgetFurthest();
    this.#polls.set(account, NEVER_POLLED);
  }

  /** Marks an account that changed on the chain, or is reported unsafe: it is due at once. */
  markChanged(account: Hex): void {
    const look = this.#polls.get(account);
    if (look === undefined) this.add(account);
    else if (!look.isUrgent) this.#polls.set(account, { ...look, isUrgent: true });
  }

  /**
   * Applies current prices and funding rates. Every account that they may have made unsafe since
   * its last poll becomes due; moves of several markets count together. A market without a price is
   * assumed unchanged.
   * @returns the number of accounts that became due.
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
   * Returns the accounts to poll in this block, at most `budget`. First come those that are unsafe,
   * changed or possibly unsafe, longest unpolled first; then those whose time has come, by how late
   * they are for their distance. Calling it changes nothing.
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

  /**
   * Applies poll results. Accounts that hold nothing are dropped; unknown accounts are not added.
   */
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

  /**
   * Drops a sixteenth at a time, so that a flood of new accounts does not sort the rest for each.
   * Accounts not polled yet count as distant.
   */
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

/** Change of net value less maintenance margin since the poll, from prices and funding. */
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
