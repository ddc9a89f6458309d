/**
 * Price-time matching with accounts in its simplest form: one sorted array of resting orders,
 * loops, and every figure computed from amounts and prices as decimal integers. It shares no code
 * with the exchange, so that tests can compare the two.
 */

export type NaiveSide = "BUY" | "SELL";
export type NaiveLife = "GTC" | "IOC" | "FOK" | "POST_ONLY" | "MARKET";

export interface NaiveOrder {
  readonly number: number;
  readonly owner: number;
  readonly side: NaiveSide;
  readonly ticks: number;
  readonly lots: number;
  open: number;
}

export interface NaiveFill {
  readonly takerSide: NaiveSide;
  readonly ticks: number;
  readonly lots: number;
}

/**
 * The contracts' two numbers of a position, and the credit that closed positions gave to the
 * primary credit.
 */
export interface NaiveAccount {
  lots: number;
  credit: bigint;
  primary: bigint;
}

/** One tick is 0.1, one lot 0.001, credit has six decimals: a lot at a tick is worth 100 units. */
const UNITS_PER_TICK_LOT = 100n;
/** Maker and taker fee in hundred-thousandths; a negative maker fee is a rebate. */
export interface NaiveFees {
  readonly maker: bigint;
  readonly taker: bigint;
}
const FEE_ONE = 100_000n;

export class NaiveExchange {
  resting: NaiveOrder[] = [];
  readonly fills: NaiveFill[] = [];
  readonly accounts: NaiveAccount[];
  feesTaken = 0n;

  constructor(
    owners: number,
    private readonly fees: NaiveFees,
    private readonly startCredit: bigint,
  ) {
    this.accounts = Array.from({ length: owners }, () => ({
      lots: 0,
      credit: 0n,
      primary: this.startCredit,
    }));
  }

  place(
    number: number,
    owner: number,
    side: NaiveSide,
    ticks: number,
    lots: number,
    life: NaiveLife,
  ): void {
    const order: NaiveOrder = { number, owner, side, ticks, lots, open: lots };
    const reachable = this.resting.filter(
      (other) =>
        other.side !== side && (side === "BUY" ? other.ticks <= ticks : other.ticks >= ticks),
    );
    if (life === "POST_ONLY" && reachable.length > 0) return;
    const foreign = reachable
      .filter((other) => other.owner !== owner)
      .reduce((sum, other) => sum + other.open, 0);
    if (life === "FOK" && foreign < lots) return;
    for (const maker of reachable) {
      if (order.open === 0) break;
      if (maker.owner === owner) {
        this.cancel(maker.number);
        continue;
      }
      this.#trade(order, maker, Math.min(order.open, maker.open));
    }
    if (order.open > 0 && (life === "GTC" || life === "POST_ONLY")) this.#rest(order);
  }

  cancel(number: number): void {
    this.resting = this.resting.filter((order) => order.number !== number);
  }

  cancelAll(owner: number): void {
    this.resting = this.resting.filter((order) => order.owner !== owner);
  }

  levels(side: NaiveSide): [number, number][] {
    const sums: [number, number][] = [];
    for (const order of this.resting.filter((each) => each.side === side)) {
      const last = sums.at(-1);
      if (last !== undefined && last[0] === order.ticks) last[1] += order.open;
      else sums.push([order.ticks, order.open]);
    }
    return sums;
  }

  /** Sorted so that on each side the best price, then the oldest order, comes first. */
  #rest(order: NaiveOrder): void {
    const isBehind = (other: NaiveOrder) =>
      other.side === order.side &&
      (order.side === "BUY" ? other.ticks < order.ticks : other.ticks > order.ticks);
    const place = this.resting.findIndex(isBehind);
    if (place === -1) this.resting.push(order);
    else this.resting.splice(place, 0, order);
  }

  #trade(taker: NaiveOrder, maker: NaiveOrder, lots: number): void {
    this.fills.push({ takerSide: taker.side, ticks: maker.ticks, lots });
    taker.open -= lots;
    maker.open -= lots;
    if (maker.open === 0) this.cancel(maker.number);
    const quote = UNITS_PER_TICK_LOT * BigInt(maker.ticks) * BigInt(lots);
    this.#book(taker, lots, quote, (quote * this.fees.taker) / FEE_ONE);
    this.#book(maker, lots, quote, (quote * this.fees.maker) / FEE_ONE);
  }

  #book(order: NaiveOrder, lots: number, quote: bigint, fee: bigint): void {
    const account = this.accounts[order.owner] as NaiveAccount;
    account.lots += order.side === "BUY" ? lots : -lots;
    account.credit += (order.side === "BUY" ? -quote : quote) - fee;
    if (account.lots === 0) {
      account.primary += account.credit;
      account.credit = 0n;
    }
    this.feesTaken += fee;
  }
}
