import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { VenueBalances, VenuePosition } from "../../exchange/records.js";
import type { AccountProfit } from "./account-profit.js";
import { inferMarkPrices, type MarkInForce } from "./infer-mark-prices.js";

/** Balances and when they were told. */
export interface ReportedBalances {
  readonly balances: VenueBalances;
  readonly atMs: Ms;
}

/** Marks and balances come on ways of their own: by how much one may be later than the other. */
const MAX_DELAY_MS: Ms = 5_000;

/** A mark, and when it was heard, exchange time. */
interface ReceivedMark {
  readonly mark: CreditUnits;
  readonly atMs: Ms;
}

/** What the account is worth: the net value that the exchange told last, moved by the marks since. */
export class NetValue {
  readonly #profit: AccountProfit;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  /** Of each market the newest, and those before it that balances on their way may have been made at; the newest first. */
  readonly #marks = new Map<MarketId, readonly ReceivedMark[]>();
  #reported: (ReportedBalances & { readonly positions: readonly VenuePosition[] }) | undefined;
  /** The marks that the net value last told is taken to be made at. */
  #marksThen: Map<MarketId, CreditUnits> = new Map();
  /** Whether none that were heard by now and were in force together give what was told: the next ones may. */
  #isOpen = false;
  #serial = 0;
  #known:
    | { readonly serial: number; readonly reported: ReportedBalances; readonly value: CreditUnits }
    | undefined;

  constructor(profit: AccountProfit, instruments: ReadonlyMap<MarketId, Instrument>) {
    this.#profit = profit;
    this.#instruments = instruments;
  }

  /** The balances last told; undefined before the first. */
  get told(): ReportedBalances | undefined {
    return this.#reported;
  }

  /** Grows with all that is told of it, and with the marks that this is found to be of. */
  get serial(): number {
    return this.#serial;
  }

  /** Credit units; undefined before the exchange has told any. */
  get now(): CreditUnits | undefined {
    if (this.#reported === undefined) return undefined;
    // Every view and every order on its way out asks, and little of it changes between two of them.
    const { valuesSerial } = this.#profit;
    if (this.#known?.serial !== valuesSerial || this.#known.reported !== this.#reported) {
      this.#known = {
        serial: valuesSerial,
        reported: this.#reported,
        value: this.#reported.balances.netValue + this.#moved(),
      };
    }
    return this.#known.value;
  }

  /** A market's mark, in credit units per whole base unit; undefined before the first. */
  markOf(marketId: MarketId): CreditUnits | undefined {
    return this.#marks.get(marketId)?.[0]?.mark;
  }

  /**
   * Takes in what the exchange told. It does not say at which marks, and a mark that was heard before may be younger: then the position has moved
   * since, though nothing was heard since. The exposure that it told gives it away.
   */
  applyBalances(balances: VenueBalances, positions: readonly VenuePosition[], atMs: Ms): void {
    this.#serial += 1;
    this.#reported = { balances, positions, atMs };
    this.#marksThen = new Map();
    for (const [marketId, [newest]] of this.#marks)
      if (newest !== undefined) this.#marksThen.set(marketId, newest.mark);
    this.#isOpen = true;
    this.#close();
  }

  mark(marketId: MarketId, mark: CreditUnits, nowMs: Ms): void {
    const before = this.#marks.get(marketId) ?? [];
    // One is no longer in force from the next one on.
    const kept = before.filter(
      (_, at) => at === 0 || (before[at - 1] as ReceivedMark).atMs >= nowMs - MAX_DELAY_MS,
    );
    this.#marks.set(marketId, [{ mark, atMs: nowMs }, ...kept]);
    if (!this.#marksThen.has(marketId)) this.#marksThen.set(marketId, mark);
    this.#profit.mark(marketId, mark);
    if (this.#reported === undefined || !this.#isOpen) return;
    if (nowMs > this.#reported.atMs + MAX_DELAY_MS) this.#isOpen = false;
    else this.#close();
  }

  /** Finds the marks that the balances were made at, if they are among those that were heard. */
  #close(): void {
    if (this.#reported === undefined) return;
    const { balances, positions } = this.#reported;
    const heard = (marketId: MarketId): readonly MarkInForce[] =>
      (this.#marks.get(marketId) ?? []).map(({ mark, atMs }, at, all) => {
        // The newest is in force still. A place before the first is looked for as a name, far more slowly than in the list.
        return {
          mark,
          fromMs: atMs,
          untilMs: at === 0 ? Infinity : (all[at - 1] as ReceivedMark).atMs,
        };
      });
    const found = inferMarkPrices(
      { exposure: balances.exposure, positions },
      heard,
      this.#instruments,
    );
    if (found === undefined) return;
    this.#serial += 1;
    this.#isOpen = !found.wereTogether;
    for (const [marketId, mark] of found.marks) this.#marksThen.set(marketId, mark);
  }

  /** What the positions are worth at our marks now, less what they were worth at those of the net value that was told. */
  #moved(): CreditUnits {
    let moved = 0n;
    for (const [marketId, [newest]] of this.#marks) {
      const mark = (newest as ReceivedMark).mark;
      const then = this.#marksThen.get(marketId) ?? mark;
      if (then !== mark)
        moved +=
          this.#profit.positionValue(marketId, mark) - this.#profit.positionValue(marketId, then);
    }
    return moved;
  }
}
