import { absolute } from "../../core/bigints.js";
import { hexToBytes } from "../../core/crypto/hex.js";
import type { SignatureScheme, Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type {
  CreditUnits,
  Hex,
  Lots,
  MarketId,
  PaperUnits,
  Side,
  Ticks,
} from "../../core/units.js";
import type { WireBuildResult } from "../../exchange/protocol/order.js";
import { isSafe } from "../../perpetual/margin.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import { computeCapacity, computeMargin } from "../accounts/margin.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import { ApiError } from "../rest/api-error.js";
import type { AccountEndpoints } from "../rest/endpoints/account-endpoints.js";
import type { OrderEntry } from "../rest/endpoints/order-entry.js";
import type { FlowAccount, FlowAccountMarket, FlowExchange, FlowTake } from "./flow-accounts.js";
import type { FlowLevel } from "./flow-market.js";

/** Dependencies of {@link AccountFlowPort}. */
export interface AccountFlowPortDeps {
  readonly state: ExchangeState;
  readonly clearing: Clearing;
  readonly accounts: AccountEndpoints;
  readonly orders: OrderEntry;
  readonly scheme: SignatureScheme;
  /** Runs a change as one event of the exchange. */
  turn<Result>(run: () => Result): Result;
}

/**
 * The exchange as an `AccountFlow` uses it. Orders go through the same entry as REST orders,
 * without the requests around them.
 */
export class AccountFlowPort implements FlowExchange {
  readonly #parts: AccountFlowPortDeps;

  constructor(parts: AccountFlowPortDeps) {
    this.#parts = parts;
  }

  market(marketId: MarketId): FlowAccountMarket {
    const market = this.#parts.state.markets.get(marketId);
    if (market === undefined) {
      throw new RunError("is not a market of this exchange", {
        field: "marketId",
        value: marketId,
        expected: "a market of the exchange",
      });
    }
    return new MarketOfAccounts(market);
  }

  account(privateKey: Hex): FlowAccount {
    const { state, accounts, scheme, turn } = this.#parts;
    const signer = scheme.signer(privateKey);
    const account = state.account(signer.address);
    if (account === undefined && state.accounts.size >= state.config.maxAccounts) {
      throw new RunError("the exchange accepts no more accounts", {
        field: "maxAccounts",
        value: state.config.maxAccounts,
        expected: "a maxAccounts that includes the accounts of the order flow",
      });
    }
    return new SigningAccount(
      this.#parts,
      account ?? turn(() => accounts.open(signer.address, 0n)),
      signer,
    );
  }
}

class MarketOfAccounts implements FlowAccountMarket {
  readonly instrument: Market["instrument"];
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
    this.instrument = market.instrument;
  }

  get minLots(): Lots {
    return this.#market.rules.minLots;
  }

  get maxLots(): Lots {
    return this.#market.rules.maxLots;
  }

  get markQuote(): number {
    return Number(this.#market.prices.mark) / 10 ** this.instrument.creditDecimals;
  }

  levels(side: Side, count: number): readonly FlowLevel[] {
    return this.#market.levels(side, count);
  }
}

class SigningAccount implements FlowAccount {
  readonly address: Hex;
  readonly #parts: AccountFlowPortDeps;
  readonly #account: ExchangeAccount;
  readonly #signer: Signer;

  constructor(parts: AccountFlowPortDeps, account: ExchangeAccount, signer: Signer) {
    this.#parts = parts;
    this.#account = account;
    this.#signer = signer;
    this.address = account.address;
  }

  get isSafe(): boolean {
    const { markets } = this.#parts.state;
    return (
      isSafe(computeMargin(this.#account, markets)) &&
      isSafe(computeMargin(this.#account, markets, "settled"))
    );
  }

  get netValueQuote(): number {
    return this.#quoteOf(computeMargin(this.#account, this.#parts.state.markets).netValueCredit);
  }

  paper(marketId: MarketId): PaperUnits {
    return this.#account.markets.get(marketId)?.position.matched.paper ?? 0n;
  }

  capacityQuote(marketId: MarketId, side: Side): number {
    const { markets } = this.#parts.state;
    const { buy, sell } = computeCapacity(markets.get(marketId) as Market, this.#account, markets);
    return this.#quoteOf(side === "BUY" ? buy : sell);
  }

  deposit(amountQuote: number): void {
    const { clearing, state, turn } = this.#parts;
    const amount = BigInt(Math.round(amountQuote * 10 ** state.config.creditDecimals));
    if (amount > 0n) {
      turn(() => clearing.credit.deposit(this.#account, amount));
    }
  }

  take(marketId: MarketId, side: Side, ticks: Ticks, lots: Lots): FlowTake {
    const { orders, state, turn } = this.#parts;
    const market = state.markets.get(marketId) as Market;
    const { instrument } = market;
    const terms = {
      marketId,
      side,
      orderType: "LIMIT",
      timeInForce: "IOC",
      price: instrument.formatPrice(market.orderTicks(side, ticks)),
      amount: instrument.formatAmount(market.orderLots(lots)),
    };
    const before = this.paper(marketId);
    try {
      turn(() => {
        const built: WireBuildResult = JSON.parse(
          orders.build(this.#account, new Map(Object.entries(terms))),
        );
        const { order, orderHash, gasFeeQuotation } = built;
        const orderSignature = this.#signer.sign(hexToBytes(orderHash, "orderHash"));
        orders.place(
          this.#account,
          new Map(Object.entries({ ...terms, info: order.info, orderSignature, gasFeeQuotation })),
        );
      });
    } catch (error) {
      if (error instanceof ApiError) {
        return { refused: error.code };
      }
      throw error;
    }
    const traded = this.paper(marketId) - before;
    return { tradedLots: Number(absolute(traded) / instrument.paperPerLot) };
  }

  #quoteOf(credit: CreditUnits): number {
    return Number(credit) / 10 ** this.#parts.state.config.creditDecimals;
  }
}
