import { FormatError } from "../../core/errors.js";
import type { CreditUnits, Hex, MarketId } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import { divFixed } from "../../perpetual/fixed-point.js";
import type { ExchangeAccount } from "../accounts/account.js";
import { recordIncomes } from "../accounts/record-incomes.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import type { ChainTransaction } from "./chain-block.js";
import type {
  BadDebtEvent,
  BalanceEvent,
  ChainEvent,
  FundingEvent,
  FundsEvent,
  LiquidatedEvent,
  LiquidateEvent,
  OperatorEvent,
  OrderFilledEvent,
  TransferEvent,
} from "./chain-events.js";

/** Dependencies of {@link ChainAccounts}. */
export interface ChainAccountsDeps {
  /** The state with its markets. */
  readonly state: ExchangeState;
  /** Each market's price source, in lower case. */
  readonly sources: ReadonlyMap<MarketId, Hex>;
  /**
   * An operator's permission changed on chain.
   * @param operator in lower case
   */
  onOperator(account: ExchangeAccount, operator: Hex, isValid: boolean): void;
  /** The price source of the market has a new price: credit units per whole unit of paper. */
  onMark(market: Market, price: CreditUnits, updatedAtSeconds: number): void;
  /** Credit or positions of accounts have changed. */
  onChanged(accounts: readonly ExchangeAccount[]): void;
}

/** Facts about a transaction besides its events. */
export interface EventContext {
  /** The income type of a deposit. */
  readonly depositType?: IncomeType;
  /** The rate of a funding, scaled by 10^18; derived from the event when left out. */
  readonly fundingRate?: bigint;
}

/**
 * An account's changes in a market within a transaction, until its balance event reports the sum.
 */
interface Part {
  /** Fees of trades and liquidations that the balance change includes. */
  fee: CreditUnits;
  tradeFee: CreditUnits | null;
  readonly incomes: (readonly [IncomeType, CreditUnits])[];
}

/** A transaction while its events are applied. */
interface Run {
  readonly terms: EventContext;
  readonly parts: Map<string, Part>;
  /** The sender of the trade whose fills follow. */
  orderSender: Hex | null;
  /**
   * True after the trade's first balance event with a trade fee. That event is the taker's; later
   * ones are the makers'.
   */
  hasTaker: boolean;
}

/**
 * Applies the contracts' events to the exchange's accounts. The settled part of each account equals
 * the chain's figures to the unit, and unsettled matches are added to it. An unregistered account
 * is kept too, and has everything once it registers.
 */
export class ChainAccounts {
  readonly #parts: ChainAccountsDeps;
  readonly #perps = new Map<Hex, Market>();
  readonly #houses = new Map<Hex, ExchangeAccount>();
  readonly #sources = new Map<Hex, Market>();

  constructor(parts: ChainAccountsDeps) {
    this.#parts = parts;
    for (const market of parts.state.markets.values()) {
      this.#perps.set(lower(market.rules.perp), market);
      const { house } = parts.state.accountsFor(market);
      this.#houses.set(lower(house.address), house);
      const source = parts.sources.get(market.id);
      if (source !== undefined) this.#sources.set(source, market);
    }
  }

  /** The account of an address: registered, a house, or only on the chain. */
  account(address: Hex): ExchangeAccount {
    return this.#houses.get(address) ?? this.#parts.state.findOrCreateAccount(address);
  }

  /** Applies a transaction's events; within a turn. */
  apply({ events }: Pick<ChainTransaction, "events">, terms: EventContext = {}): void {
    const touched = new Set<ExchangeAccount>();
    const run: Run = { terms, parts: new Map(), orderSender: null, hasTaker: false };
    for (const event of events) {
      const account = this.#applyOne(event, run);
      if (account !== null) touched.add(account);
    }
    for (const account of touched) this.#parts.state.listener.onAccount(account);
    this.#parts.onChanged([...touched]);
  }

  /** @returns the account whose credit changed, if any; those of a funding are reported at once. */
  #applyOne(event: ChainEvent, run: Run): ExchangeAccount | null {
    const { terms, parts } = run;
    switch (event.kind) {
      case "deposit":
      case "withdraw":
        return this.#fund(event, terms);
      case "transfer-in":
      case "transfer-out":
        return this.#transfer(event);
      case "waiting-withdrawal": {
        const account = this.account(event.account);
        account.lockedPrimaryWithdrawal = event.primary;
        account.lockedSecondaryWithdrawal = event.secondary;
        return account;
      }
      case "operator":
        return this.#operator(event);
      case "trade":
        run.orderSender = event.orderSender;
        run.hasTaker = false;
        return null;
      case "order-filled":
        return this.#filled(event, run);
      case "liquidated":
      case "liquidate":
        this.#liquidation(event, parts);
        return null;
      case "insurance-fee":
        partOf(parts, event).fee += event.fee;
        this.#parts.state.insuranceCredit += event.fee;
        return null;
      case "bad-debt":
        return this.#badDebt(event);
      case "balance":
        return this.#balance(event, run);
      case "funding":
        this.#funding(event, terms);
        return null;
      case "mark": {
        const market = this.#sources.get(event.priceSource);
        if (market !== undefined) this.#parts.onMark(market, event.price, event.updatedAtSeconds);
        return null;
      }
      case "insurance":
        this.#parts.state.insuranceAddress = event.account;
        return null;
    }
  }

  #fund(
    { kind, account: address, primary, secondary }: FundsEvent,
    { depositType = "DEPOSIT" }: EventContext,
  ): ExchangeAccount {
    const { state } = this.#parts;
    const sign = kind === "deposit" ? 1n : -1n;
    if (kind === "deposit") state.depositedCredit += primary;
    else state.withdrawnCredit += primary;
    return this.#credit(
      address,
      sign * primary,
      sign * secondary,
      kind === "deposit" ? depositType : "WITHDRAWAL",
    );
  }

  #transfer({ kind, account, primary, secondary }: TransferEvent): ExchangeAccount {
    return kind === "transfer-in"
      ? this.#credit(account, primary, secondary, "DEPOSIT")
      : this.#credit(account, -primary, -secondary, "WITHDRAWAL");
  }

  #credit(
    address: Hex,
    primary: CreditUnits,
    secondary: CreditUnits,
    type: IncomeType,
  ): ExchangeAccount {
    const { state } = this.#parts;
    const account = this.account(address);
    account.secondaryCredit += secondary;
    if (address === state.insuranceAddress) {
      state.insuranceCredit += primary;
      return account;
    }
    account.deposits += primary;
    if (primary !== 0n) recordIncomes(state, account, "", [[type, primary]]);
    return account;
  }

  #operator({ account: address, operator, isValid }: OperatorEvent): ExchangeAccount {
    const account = this.account(address);
    this.#parts.onOperator(account, operator, isValid);
    return account;
  }

  /**
   * Applies a fill of a trade that another sender sent and has the fee of.
   * @throws FormatError if no trade event came before it
   */
  #filled(event: OrderFilledEvent, { parts, orderSender }: Run): ExchangeAccount {
    if (orderSender === null)
      throw new FormatError("a fill has no trade", {
        field: "orderHash",
        value: event.orderHash,
      });
    const part = partOf(parts, event);
    part.fee += event.fee;
    part.tradeFee = (part.tradeFee ?? 0n) + event.fee;
    part.incomes.push([event.paper > 0n ? "BUY" : "SELL", event.credit]);
    return this.#credit(orderSender, event.fee, 0n, "COMMISSION");
  }

  #liquidation(event: LiquidatedEvent | LiquidateEvent, parts: Map<string, Part>): void {
    partOf(parts, event).incomes.push([
      event.kind === "liquidated" ? "LIQUIDATED" : "LIQUIDATE",
      event.credit,
    ]);
  }

  #badDebt({ account: address, primary, secondary }: BadDebtEvent): ExchangeAccount {
    const { state } = this.#parts;
    const account = this.account(address);
    account.insuredCredit -= primary;
    account.secondaryCredit -= secondary;
    state.insuranceCredit += primary;
    if (state.insuranceAddress !== "")
      this.account(state.insuranceAddress).secondaryCredit += secondary;
    recordIncomes(state, account, "", [["SYSTEM", -primary]]);
    return account;
  }

  #balance(
    { account: address, perp, paper, credit }: BalanceEvent,
    run: Run,
  ): ExchangeAccount | null {
    const market = this.#perps.get(perp);
    if (market === undefined) return null;
    const { state } = this.#parts;
    const account = this.account(address);
    const { fee, tradeFee, incomes } = partOf(run.parts, { account: address, perp });
    run.parts.delete(keyOf(address, perp));
    const gross = credit + fee;
    const change = { paper, quote: paper > 0n ? -gross : gross, fee, timeMs: state.nowMs() };
    state
      .accountsFor(market)
      .change(account, () => account.inMarket(market.id).position.applySettled(change));
    state.listener.onPosition(account, market);
    if (tradeFee !== null) {
      incomes.push([run.hasTaker ? "MAKER_FEE" : "TAKER_FEE", -tradeFee]);
      run.hasTaker = true;
    }
    if (incomes.length > 0) recordIncomes(state, account, market.id, incomes);
    return account;
  }

  /**
   * Pays funding: every settled position gains the change of dMul(paper, rate)
   * (docs/reference/protocol.md#funding).
   */
  #funding({ perp, oldRate, newRate }: FundingEvent, { fundingRate }: EventContext): void {
    const { state } = this.#parts;
    const market = this.#perps.get(perp);
    if (market === undefined) return;
    const timeMs = state.nowMs();
    const rate = fundingRate ?? rateOf(oldRate - newRate, market.prices.mark);
    market.cumulativeFunding = newRate;
    market.fundings.add({ rate, timeMs });
    const holders: ExchangeAccount[] = [];
    const accounts = state.accountsFor(market);
    for (const account of [
      accounts.house,
      ...state.accounts.values(),
      ...state.unregisteredAccounts.values(),
    ]) {
      const position = account.markets.get(market.id)?.position;
      if (position === undefined || position.settled.paper === 0n) continue;
      const { paper } = position.settled;
      const { instrument } = market;
      const funding = instrument.markValue(paper, newRate) - instrument.markValue(paper, oldRate);
      accounts.change(account, () => position.applySettled({ funding, timeMs }));
      state.dustCredit -= funding;
      state.listener.onPosition(account, market);
      if (!account.isHouse) recordIncomes(state, account, market.id, [["FUNDING_FEE", funding]]);
      state.listener.onAccount(account);
      holders.push(account);
    }
    state.listener.onMarket(market);
    this.#parts.onChanged(holders);
  }
}

/** Derives a funding's rate from the fall of the cumulative one, scaled by 10^18. */
function rateOf(loss: CreditUnits, mark: CreditUnits): bigint {
  return mark === 0n ? 0n : divFixed(loss, mark);
}

function partOf(
  parts: Map<string, Part>,
  { account, perp }: { readonly account: Hex; readonly perp: Hex },
): Part {
  const key = keyOf(account, perp);
  const part: Part = parts.get(key) ?? { fee: 0n, tradeFee: null, incomes: [] };
  parts.set(key, part);
  return part;
}

function keyOf(account: Hex, perp: Hex): string {
  return `${account} ${perp}`;
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
