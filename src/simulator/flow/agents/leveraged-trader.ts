import type { Random } from "../../../core/runtime/runtime.js";
import type { Lots, MarketId, Ms, PaperUnits } from "../../../core/units.js";
import type { FlowAccount, FlowAccountMarket } from "../flow-accounts.js";
import { sampleArrivalMs } from "./sampling.js";
import { takeTowards } from "./take-towards.js";

/** One market of a trader: its position there and its target. */
export interface TraderMarket {
  readonly id: MarketId;
  readonly market: FlowAccountMarket;
  /** Bounds of the leverage that it draws. */
  readonly leverage: { readonly min: number; readonly max: number };
}

/** Parameters of a trader besides its markets. */
export interface TraderParams {
  /** Its first deposit, and its credit after a liquidation. */
  readonly creditQuote: number;
  readonly holdMs: Ms;
  readonly pauseMs: Ms;
  readonly looksPerSecond: number;
}

/** The fraction of position changes that turn it round; the others draw another size. */
const TURN_SHARE = 0.25;
/** Below this fraction of its credit a trader deposits before it opens a position. */
const ENOUGH_CREDIT = 0.9;
/** A deposit that has not arrived after this time is requested again. */
const DEPOSIT_PATIENCE_MS = 30_000;
/** The delay after a refusal, such as of a suspended market. */
const RETRY_MS = 10_000;

interface Leg extends TraderMarket {
  /** The position after its own trades; any other was caused by others. */
  knownPaper: PaperUnits;
  /** null: it keeps its position. */
  targetLots: Lots | null;
  side: 1 | -1;
}

/**
 * A trader near its highest leverage. It opens a position with all of its credit, holds it for a
 * while, changes its size or turns it round, and does nothing while it is below maintenance margin.
 * A position that changed without a trade of its own was liquidated, or its settlement failed. Then
 * the trader waits, deposits the lost credit, and begins again.
 */
export class LeveragedTrader {
  readonly #account: FlowAccount;
  readonly #params: TraderParams;
  readonly #random: Random;
  readonly #legs: readonly Leg[];
  /** It does nothing before. */
  #restUntilMs: Ms;
  /** True until it has deposited and chosen its positions. */
  #isBeginning: boolean;
  #depositDueMs: Ms = 0;
  #changeDueMs: Ms = Number.POSITIVE_INFINITY;

  /**
   * @param firstSide of its first position in its first market; sides alternate in the others.
   * @param openAtMs on the clock that {@link act} is given.
   */
  constructor(
    account: FlowAccount,
    markets: readonly TraderMarket[],
    params: TraderParams,
    random: Random,
    { firstSide, openAtMs }: { readonly firstSide: 1 | -1; readonly openAtMs: Ms },
  ) {
    this.#account = account;
    this.#params = params;
    this.#random = random;
    this.#restUntilMs = openAtMs;
    this.#legs = markets.map((market, index) => {
      const knownPaper = account.paper(market.id);
      const side = index % 2 === 0 ? firstSide : firstSide === 1 ? -1 : 1;
      return {
        ...market,
        knownPaper,
        targetLots: null,
        side: knownPaper === 0n ? side : knownPaper > 0n ? 1 : -1,
      };
    });
    // A resumed exchange returns the positions that it held.
    this.#isBeginning = this.#legs.every(({ knownPaper }) => knownPaper === 0n);
    if (!this.#isBeginning) {
      this.#changeDueMs = openAtMs + this.#holdMs();
    }
  }

  /**
   * Acts.
   * @returns the delay until it acts again, at least 1.
   */
  act(nowMs: Ms): Ms {
    const waitMs = sampleArrivalMs(this.#random, this.#params.looksPerSecond);
    if (this.#detectExternalChange()) {
      this.#restUntilMs = nowMs + this.#params.pauseMs;
      this.#isBeginning = true;
    }
    // A position in danger is left too: the market restores its margin, or another account acquires
    // it.
    if (nowMs < this.#restUntilMs || !this.#account.isSafe) {
      return waitMs;
    }
    if (this.#isBeginning) {
      this.#begin(nowMs);
    } else if (nowMs >= this.#changeDueMs) {
      this.#change(nowMs);
    }
    this.#trade(nowMs);
    return waitMs;
  }

  #detectExternalChange(): boolean {
    let wasTouched = false;
    for (const leg of this.#legs) {
      const paper = this.#account.paper(leg.id);
      if (paper !== leg.knownPaper) {
        wasTouched = true;
        leg.knownPaper = paper;
        leg.targetLots = null;
        if (paper === 0n) {
          leg.side = this.#random.uniform() < 0.5 ? 1 : -1;
        }
      }
    }
    return wasTouched;
  }

  #begin(nowMs: Ms): void {
    const missingQuote = this.#params.creditQuote - this.#account.netValueQuote;
    if (missingQuote > (1 - ENOUGH_CREDIT) * this.#params.creditQuote) {
      if (nowMs >= this.#depositDueMs) {
        this.#depositDueMs = nowMs + DEPOSIT_PATIENCE_MS;
        this.#account.deposit(missingQuote);
      }
      return;
    }
    if (this.#legs.some(({ market }) => market.markQuote === 0)) {
      return;
    }
    this.#depositDueMs = 0;
    this.#isBeginning = false;
    this.#choose(nowMs);
  }

  #change(nowMs: Ms): void {
    for (const leg of this.#legs) {
      if (this.#random.uniform() < TURN_SHARE) {
        leg.side = leg.side === 1 ? -1 : 1;
      }
    }
    this.#choose(nowMs);
  }

  /**
   * Draws its position in every market: an equal part of the net value each, at its own leverage.
   */
  #choose(nowMs: Ms): void {
    const partQuote = Math.max(0, this.#account.netValueQuote) / this.#legs.length;
    for (const leg of this.#legs) {
      const { min, max } = leg.leverage;
      const leverage = min + this.#random.uniform() * (max - min);
      const { markQuote, instrument } = leg.market;
      leg.targetLots =
        leg.side * Math.floor((leverage * partQuote) / (markQuote * instrument.lotBase));
    }
    this.#changeDueMs = nowMs + this.#holdMs();
  }

  #trade(nowMs: Ms): void {
    for (const leg of this.#legs) {
      if (leg.targetLots === null) {
        continue;
      }
      const taken = takeTowards(this.#account, leg, leg.targetLots);
      leg.knownPaper = this.#account.paper(leg.id);
      if (taken === "done") {
        leg.targetLots = null;
      } else if (taken === "refused") {
        this.#restUntilMs = nowMs + RETRY_MS;
      }
      if (!this.#account.isSafe) {
        return;
      }
    }
  }

  #holdMs(): Ms {
    return sampleArrivalMs(
      this.#random,
      this.#params.holdMs === 0 ? 0 : 1_000 / this.#params.holdMs,
    );
  }
}
