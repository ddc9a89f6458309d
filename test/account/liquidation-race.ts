import type { Takeover } from "#account/takeover.js";
import type { CreditUnits } from "#core/units.js";
import { MARKET } from "./exchange-story.js";
import { type Faults, Race } from "./race.js";

/** Chances out of 100, twenty times a second. */
const LIQUIDATIONS = 0.2;
/**
 * Maximum delay after the chain until the exchange applies a liquidation, and until its takeover is
 * recorded.
 */
const EXCHANGE_LAG_MS = 3000;
const RECEIPT_LAG_MS = 6000;

/**
 * A race of an account that is liquidated, or acquires positions in liquidations: positions move
 * without a trade, and are reported with a delay.
 */
export class LiquidationRace extends Race {
  readonly #kind: "LIQUIDATED" | "LIQUIDATE";
  #incomes = 0;

  constructor(seed: number, faults: Faults) {
    super(seed, faults);
    this.exchange.basePosition = 40;
    this.#kind = faults.takesOver === true ? "LIQUIDATE" : "LIQUIDATED";
  }

  protected override live(): void {
    super.live();
    if (!this.chance(LIQUIDATIONS)) return;
    if (this.#kind === "LIQUIDATED") this.#loses();
    else this.#takesOver();
  }

  /** Part or all of the contracts' position is lost, at once and together with its income. */
  #loses(): void {
    const held = this.exchange.position;
    if (held === 0) return;
    const lots = Math.sign(held) * Math.ceil(Math.abs(held) * this.uniform());
    this.exchange.basePosition -= lots;
    this.#tellIncome(BigInt(lots) * 58_000_000n);
  }

  /** The exchange follows the chain, and the receipt arrives, in any order. */
  #takesOver(): void {
    const lots = (this.chance(50) ? 1 : -1) * (1 + Math.floor(20 * this.uniform()));
    const credit = BigInt(-lots) * 57_000_000n - BigInt(Math.floor(1000 * this.uniform()));
    const takeover: Takeover = {
      id: `tx ${credit}`,
      marketId: MARKET,
      lots,
      credit,
      atMs: this.nowMs,
    };
    this.at(EXCHANGE_LAG_MS * this.uniform(), () => {
      this.exchange.basePosition += lots;
      this.#tellIncome(credit);
    });
    this.at(RECEIPT_LAG_MS * this.uniform(), () =>
      this.take(this.account.acquireTakeover(takeover, this.nowMs)),
    );
  }

  #tellIncome(amount: CreditUnits): void {
    this.#incomes += 1;
    const income = {
      id: String(this.#incomes),
      type: this.#kind,
      amount,
      timeMs: this.nowMs,
      marketId: MARKET,
    };
    this.exchange.incomes.push(income);
    this.tell(() =>
      this.account.onEvent(
        { type: "income-update", incomes: [income], timestampMs: this.nowMs } as never,
        this.nowMs,
      ),
    );
  }
}
