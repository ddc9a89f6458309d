import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { VenueBalances, VenuePosition } from "../../exchange/records.js";
import type { AccountProfit } from "./account-profit.js";
import { inferMarkPrices, type MarkInForce } from "./infer-mark-prices.js";

/** Balances and the time of their report. */
export interface ReportedBalances {
  readonly balances: VenueBalances;
  readonly atMs: Ms;
}

/** Maximum delay between a mark and the balances computed with it, which arrive separately. */
const MAX_DELAY_MS: Ms = 5_000;

/** A mark, and when it was received, exchange time. */
interface ReceivedMark {
  readonly mark: CreditUnits;
  readonly atMs: Ms;
}

/** The net value of the account: the last reported one, moved by the marks since. */
export class NetValue {
  readonly #profit: AccountProfit;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  /**
   * The newest mark of each market, and the earlier ones that balances in transit may be computed
   * with; newest first.
   */
  readonly #marks = new Map<MarketId, readonly ReceivedMark[]>();
  #reported: (ReportedBalances & { readonly positions: readonly VenuePosition[] }) | undefined;
  /** The marks that the last reported net value is assumed to be computed with. */
  #marksThen: Map<MarketId, CreditUnits> = new Map();
  /** True if no simultaneous marks received so far give the reported value. The next marks may. */
  #isOpen = false;
  #serial = 0;
  #known:
    | { readonly serial: number; readonly reported: ReportedBalances; readonly value: CreditUnits }
    | undefined;

  constructor(profit: AccountProfit, instruments: ReadonlyMap<MarketId, Instrument>) {
    this.#profit = profit;
    this.#instruments = instruments;
  }

  /** The last reported balances; undefined before the first. */
  get reported(): ReportedBalances | undefined {
    return this.#reported;
  }

  /** Grows with every report, and whenever the marks of the report are inferred. */
  get serial(): number {
    return this.#serial;
  }

  /** Net value in credit units; undefined before the first report. */
  get now(): CreditUnits | undefined {
    if (this.#reported === undefined) return undefined;
    // Every view and every pre-trade check reads it, and little changes between two reads.
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
   * Applies reported balances. The report does not state its marks, and may be older than a mark
   * that was received before it. The net value then has to be moved by that mark although no mark
   * followed. The reported exposure reveals the marks.
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
    // A mark is current until the next one.
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

  /** Infers the marks of the balances, if they are among the received ones. */
  #close(): void {
    if (this.#reported === undefined) return;
    const { balances, positions } = this.#reported;
    const marksInForce = (marketId: MarketId): readonly MarkInForce[] =>
      (this.#marks.get(marketId) ?? []).map(({ mark, atMs }, at, all) => {
        // The newest mark is still current. An index below 0 would be looked up by name, far more
        // slowly than an element.
        return {
          mark,
          fromMs: atMs,
          untilMs: at === 0 ? Infinity : (all[at - 1] as ReceivedMark).atMs,
        };
      });
    const found = inferMarkPrices(
      { exposure: balances.exposure, positions },
      marksInForce,
      this.#instruments,
    );
    if (found === undefined) return;
    this.#serial += 1;
    this.#isOpen = !found.wereTogether;
    for (const [marketId, mark] of found.marks) this.#marksThen.set(marketId, mark);
  }

  /**
   * The value of the positions at the present marks less their value at the marks of the reported
   * net value.
   */
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
