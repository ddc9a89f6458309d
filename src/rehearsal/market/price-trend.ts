import type { CreditUnits, MarketId } from "../../core/units.js";

/** A price moves at least so much in a second, even while the account holds nothing. */
const LEAST_BPS_A_SECOND = 1;
/** And at most so much: a crash. */
const MOST_BPS_A_SECOND = 25;
/** And at most so much at once, as prices gap over a night. */
const MOST_GAP_BPS = 1_000;
/** A quarter of the price within minutes is as far as a rehearsal goes. */
const MOST_BPS = 2_500;
/** The share of its time in which the trend means to bring the highest loss. */
const GOAL_SHARE = 0.75;
/** The trend goes beyond the highest rung by this factor, so that the bot sees it passed. */
const BEYOND = 1.15;

/** A trend turns after so long on the side of the account. */
const TURNS_AFTER_SECONDS = 5;

/** The state of a run that its trend follows. */
export interface TrendState {
  /** The loss since the start of the run, in credit units: never above the one from the peak. */
  readonly loss: CreditUnits;
  /** The highest loss that a rung of the file names. */
  readonly highestLoss: CreditUnits;
  /**
   * The next loss that a rung names, while one that reduces the position has already shown that it
   * works; undefined otherwise.
   */
  readonly gapToLoss: CreditUnits | undefined;
  /** Signed value of the position in each market, in credit units. */
  readonly held: ReadonlyMap<MarketId, CreditUnits>;
}

/**
 * A lasting move of all prices against the position of the account. Its speed follows what the
 * account holds on the wrong side, so that the loss passes one rung of the file after the other
 * within the run. It turns once the account has gained by it for some time: otherwise a bot that
 * happens to hold the right side would never reach a rung. Once the position is being reduced, the
 * price gaps: otherwise no rung above would ever be reached.
 */
export class PriceTrend {
  #movedBps = 0;
  #sign: 1 | -1;
  /** Steps since the account came onto the right side. */
  #gainingSteps = 0;
  readonly #steps: number;
  readonly #stepsASecond: number;
  #step = 0;

  /** @param sign 1 for prices that rise while the account holds nothing */
  constructor(sign: 1 | -1, steps: number, stepsASecond: number) {
    this.#sign = sign;
    this.#steps = steps;
    this.#stepsASecond = stepsASecond;
  }

  /** The next move in basis points; undefined once the trend is over. */
  next({ loss, highestLoss, gapToLoss, held }: TrendState): number | undefined {
    if (this.#step >= this.#steps || Math.abs(this.#movedBps) >= MOST_BPS) return undefined;
    this.#step += 1;
    const exposed = this.#exposed(held);
    const missing = Number(highestLoss) * BEYOND - Number(loss);
    if (missing <= 0) return undefined;
    if (gapToLoss !== undefined && exposed > 0n) {
      const gapBps = ((Number(gapToLoss) * BEYOND - Number(loss)) / Number(exposed)) * 10_000;
      return this.#move(Math.min(MOST_GAP_BPS, gapBps));
    }
    const stepsLeft = Math.max(this.#stepsASecond, this.#steps * GOAL_SHARE - this.#step);
    const wanted = exposed > 0n ? ((missing / Number(exposed)) * 10_000) / stepsLeft : 0;
    const least = LEAST_BPS_A_SECOND / this.#stepsASecond;
    return this.#move(Math.min(MOST_BPS_A_SECOND / this.#stepsASecond, Math.max(least, wanted)));
  }

  /** Turns the trend if it must. Returns the value on its wrong side, below 0 on its right one. */
  #exposed(held: TrendState["held"]): bigint {
    let value = 0n;
    for (const of of held.values()) value += of;
    const exposed = -value * BigInt(this.#sign);
    this.#gainingSteps = exposed < 0n ? this.#gainingSteps + 1 : 0;
    const isFirst = this.#step === 1 && exposed < 0n;
    if (!isFirst && this.#gainingSteps < TURNS_AFTER_SECONDS * this.#stepsASecond) return exposed;
    this.#sign = this.#sign === 1 ? -1 : 1;
    this.#gainingSteps = 0;
    return -exposed;
  }

  #move(bps: number): number {
    this.#movedBps += this.#sign * bps;
    return this.#sign * bps;
  }
}
