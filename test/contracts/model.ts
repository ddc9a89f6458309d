/**
 * The expected behaviour of the contracts, from the published formulas alone and in another
 * language: margins, funding, settlement of balances, trades, liquidations and withdrawals, each
 * refusal with its reason in its place. Nothing here asks a chain.
 */

const ONE = 10n ** 18n;

/** Why the model refuses. */
class Refusal extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** A market as the model knows it. Ratios are 1e18. */
export class ModelMarket {
  price = 0n;
  isStale = false;
  funding = 0n;
  readonly balances = new Map<string, { paper: bigint; reduced: bigint }>();

  constructor(
    readonly perp: string,
    readonly maintenance: bigint,
    readonly initial: bigint,
    readonly discount: bigint,
    readonly insuranceFee: bigint,
  ) {}

  markPrice(): bigint {
    if (this.isStale) throw new Refusal("ORACLE_HEARTBEAT_FAILED");
    return this.price;
  }

  /** Paper, and credit with the funding up to now. */
  balanceOf(trader: string): [bigint, bigint] {
    const { paper, reduced } = this.balances.get(trader) ?? { paper: 0n, reduced: 0n };
    return [paper, mul(paper, this.funding) + reduced];
  }
}

/** Credit of one account, and the markets that it holds positions in. */
export interface ModelAccount {
  primary: bigint;
  secondary: bigint;
  positions: ModelMarket[];
}

/** One order of a match: its whole size, and the paper that trades. */
export interface ModelOrder {
  readonly trader: string;
  readonly paper: bigint;
  readonly credit: bigint;
  readonly makerFeeRate: bigint;
  readonly takerFeeRate: bigint;
  readonly amount: bigint;
}

export interface Risk {
  readonly netValue: bigint;
  readonly exposure: bigint;
  readonly initial: bigint;
  readonly maintenance: bigint;
}

export class Model {
  readonly #accounts = new Map<string, ModelAccount>();
  badDebts = 0;

  constructor(
    readonly sender: string,
    readonly insurance: string,
    readonly maxPositions: number,
  ) {}

  account(trader: string): ModelAccount {
    let account = this.#accounts.get(trader);
    if (account === undefined) {
      account = { primary: 0n, secondary: 0n, positions: [] };
      this.#accounts.set(trader, account);
    }
    return account;
  }

  risk(trader: string): Risk {
    const account = this.account(trader);
    let netValue = account.primary + account.secondary;
    let [exposure, initial, maintenance] = [0n, 0n, 0n];
    for (const market of account.positions) {
      const [paper, credit] = market.balanceOf(trader);
      const value = mul(paper, market.markPrice());
      netValue += value + credit;
      exposure += abs(value);
      initial += mul(abs(value), market.initial);
      maintenance += mul(abs(value), market.maintenance);
    }
    return { netValue, exposure, initial, maintenance };
  }

  isSafe(trader: string): boolean {
    const { netValue, maintenance } = this.risk(trader);
    return netValue >= maintenance;
  }

  /** True when primary credit may leave the account. */
  #isSolid(trader: string): boolean {
    const { netValue, initial } = this.risk(trader);
    return netValue >= initial && netValue - this.account(trader).secondary >= 0n;
  }

  liquidationPrice(trader: string, market: ModelMarket): bigint {
    const [paper, credit] = market.balanceOf(trader);
    if (paper === 0n) return 0n;
    const account = this.account(trader);
    let missing = -(account.primary + account.secondary) - credit;
    for (const other of account.positions) {
      if (other === market) continue;
      const [otherPaper, otherCredit] = other.balanceOf(trader);
      const value = mul(otherPaper, other.markPrice());
      missing += mul(abs(value), other.maintenance) - value - otherCredit;
    }
    const price = div(
      div(missing, paper),
      paper > 0n ? ONE - market.maintenance : ONE + market.maintenance,
    );
    return price > 0n ? price : 0n;
  }

  trade(market: ModelMarket, taker: ModelOrder, makers: readonly ModelOrder[]): void {
    for (const [i, { trader, amount, paper }] of [taker, ...makers].entries()) {
      if (i > 0 && trader === taker.trader) throw new Refusal("JOJO_ORDER_SELF_MATCH");
      if (amount > abs(paper)) throw new Refusal("JOJO_ORDER_FILLED_OVERFLOW");
    }
    if (makers.reduce((sum, { amount }) => sum + amount, 0n) !== taker.amount)
      throw new Refusal("JOJO_TAKER_TRADE_AMOUNT_WRONG");
    for (const maker of makers) {
      const opposite = maker.paper > 0n !== taker.paper > 0n;
      const [left, right] = [maker.credit * taker.paper, taker.credit * maker.paper];
      if (!opposite || (taker.paper > 0n ? left > right : left < right))
        throw new Refusal("JOJO_ORDER_PRICE_NOT_MATCH");
    }
    const changes = new Map<string, [bigint, bigint]>([[taker.trader, [0n, 0n]]]);
    const add = (trader: string, paper: bigint, credit: bigint) => {
      const [oldPaper, oldCredit] = changes.get(trader) ?? [0n, 0n];
      changes.set(trader, [oldPaper + paper, oldCredit + credit]);
    };
    let fees = 0n;
    let takerCredit = 0n;
    for (const maker of makers) {
      const paper = maker.paper > 0n ? maker.amount : -maker.amount;
      const credit = (paper * maker.credit) / maker.paper;
      const fee = mul(abs(credit), maker.makerFeeRate);
      add(maker.trader, paper, credit - fee);
      add(taker.trader, -paper, -credit);
      takerCredit -= credit;
      fees += fee;
    }
    const takerFee = mul(abs(takerCredit), taker.takerFeeRate);
    add(taker.trader, 0n, -takerFee);
    fees += takerFee;
    this.account(this.sender).primary += fees;
    if (fees < 0n && !this.#isSolid(this.sender)) throw new Refusal("JOJO_ORDER_SENDER_NOT_SAFE");
    for (const [trader, [paper, credit]] of changes) this.#settle(market, trader, paper, credit);
    for (const trader of changes.keys())
      if (!this.isSafe(trader)) throw new Refusal("TRADER_NOT_SAFE");
  }

  /** The amounts that a liquidator gets: paper, credit, and the victim's payment on top. */
  cost(market: ModelMarket, victim: string, request: bigint): [bigint, bigint, bigint] {
    if (this.isSafe(victim)) throw new Refusal("JOJO_ACCOUNT_IS_SAFE");
    const [position] = market.balanceOf(victim);
    if (position === 0n) throw new Refusal("JOJO_TRADER_HAS_NO_POSITION");
    if (request * position <= 0n) throw new Refusal("JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG");
    const paper = abs(request) > abs(position) ? position : request;
    const off = (market.price * market.discount) / ONE;
    const price = position > 0n ? market.price - off : market.price + off;
    const credit = -mul(paper, price);
    return [paper, credit, mul(abs(credit), market.insuranceFee)];
  }

  liquidate(
    market: ModelMarket,
    liquidator: string,
    victim: string,
    request: bigint,
    expectCredit: bigint,
  ): void {
    if (liquidator === victim) throw new Refusal("JOJO_SELF_LIQUIDATION_NOT_ALLOWED");
    const [paper, credit, fee] = this.cost(market, victim, request);
    this.account(this.insurance).primary += fee;
    const [offered, worst] = [credit * request, expectCredit * paper];
    if (paper > 0n ? offered < worst : offered > worst)
      throw new Refusal("LIQUIDATION_PRICE_PROTECTION");
    this.#settle(market, victim, -paper, -credit - fee);
    this.#settle(market, liquidator, paper, credit);
    if (!this.isSafe(liquidator)) throw new Refusal("LIQUIDATOR_NOT_SAFE");
    if (market.balanceOf(victim)[0] === 0n) this.handleBadDebt(victim);
  }

  handleBadDebt(trader: string): void {
    const account = this.account(trader);
    if (account.positions.length > 0 || account.primary + account.secondary >= 0n) return;
    const { primary, secondary } = account;
    account.primary = 0n;
    account.secondary = 0n;
    this.account(this.insurance).primary += primary;
    this.account(this.insurance).secondary += secondary;
    this.badDebts += 1;
  }

  withdraw(
    from: string,
    to: string,
    primary: bigint,
    secondary: bigint,
    isInternal: boolean,
  ): void {
    const account = this.account(from);
    account.primary -= primary;
    if (secondary > account.secondary) throw new Refusal("panic 0x11");
    account.secondary -= secondary;
    if (isInternal) {
      this.account(to).primary += primary;
      this.account(to).secondary += secondary;
    }
    const { netValue, initial } = this.risk(from);
    if (primary > 0n ? !this.#isSolid(from) : netValue < initial)
      throw new Refusal("JOJO_ACCOUNT_NOT_SAFE");
  }

  #settle(market: ModelMarket, trader: string, dPaper: bigint, dCredit: bigint): void {
    const account = this.account(trader);
    const [paper, oldCredit] = market.balanceOf(trader);
    const credit = oldCredit + dCredit;
    const next = { paper: paper + dPaper, reduced: credit - mul(paper + dPaper, market.funding) };
    if (paper === 0n) {
      if (account.positions.length >= this.maxPositions)
        throw new Refusal("JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT");
      account.positions.push(market);
    }
    if (next.paper === 0n) {
      account.primary += next.reduced;
      next.reduced = 0n;
      const last = account.positions.pop();
      const place = account.positions.indexOf(market);
      if (place >= 0 && last !== undefined) account.positions[place] = last;
    }
    market.balances.set(trader, next);
  }

  /** Does all of `action`, or, when it is refused, nothing. @returns The reason, or null. */
  attempt(markets: readonly ModelMarket[], action: () => void): string | null {
    const accounts = [...this.#accounts].map(([trader, account]): [string, ModelAccount] => [
      trader,
      { ...account, positions: [...account.positions] },
    ]);
    const balances = markets.map((market) => [...market.balances]);
    const { badDebts } = this;
    try {
      action();
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#accounts.clear();
      for (const [trader, account] of accounts) this.#accounts.set(trader, account);
      for (const [i, market] of markets.entries()) {
        market.balances.clear();
        for (const [trader, balance] of balances[i] ?? []) market.balances.set(trader, balance);
      }
      this.badDebts = badDebts;
      return error.reason;
    }
  }
}

/** Fixed-point product, cut off toward zero. */
function mul(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

function div(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
