import { hexToBytes } from "../../core/crypto/hex.js";
import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { Random } from "../../core/runtime/runtime.js";
import type { Hex, Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import { type DecimalInput, decimalText, toDecimal } from "../protocol/decimal.js";
import { createInstruments } from "../protocol/decode-rules.js";
import { OPERATIONS } from "../protocol/operations.js";
import type { BuiltOrder, Order } from "../protocol/order.js";
import type { MarketRules, OrderStruct, VenueRules } from "../records.js";
import { type Call, validateParams } from "../rest/call-params.js";
import { checkBuiltOrder } from "../signing/built-order-check.js";
import { checkDomain } from "../signing/domain-check.js";
import { checkFilters } from "../signing/filters.js";
import { isBelowWaiver } from "../signing/gas-fee-waiver.js";
import { isValidGttLifetime } from "../signing/gtt-lifetime.js";
import { buildHashedOrder, infoExpirationSeconds } from "../signing/order-building.js";
import { OrderHasher } from "../signing/order-signing.js";
import type { OperationParams } from "./operation-params.js";
import { BuiltOrderError, DomainError, OrderFilterError } from "./order-errors.js";
import type { NewOrder, OrderSettings } from "./order-settings.js";
import { toCallParams } from "./to-call-params.js";

/** An order that is built, checked and signed, but not sent. Its hash identifies it. */
export interface PreparedOrder {
  readonly hash: Hex;
  readonly order: OrderStruct;
  readonly params: OperationParams<"placeOrder">;
}

/** Parts that place orders. */
export interface OrderPlacerDeps {
  readonly settings: OrderSettings;
  /** The trading account: the `signer` field of an order, also if its operator signs. */
  readonly account: () => Hex;
  readonly signer: Signer | undefined;
  readonly random: Random;
  readonly nowMs: () => Ms;
  /**
   * The current rules, including this market. @throws ConfigError when the exchange has no such
   * market
   */
  readonly rules: (marketId: MarketId) => Promise<VenueRules>;
  readonly build: (params: OperationParams<"buildOrder">) => Promise<BuiltOrder>;
  readonly place: (params: OperationParams<"placeOrder">) => Promise<Order>;
}

const FEE_RATE_DECIMALS = 18;
const DEFAULT_MAX_GAS_FEE_RATE = "0.01";

/** Parameters of an order: those of a build, with defaults optional. */
const ORDER: Call = {
  name: "an order",
  isPrivate: false,
  parameters: OPERATIONS.buildOrder.parameters.map((known) =>
    known.name === "orderType" ? { ...known, required: false } : known,
  ),
};

/** The rules, with objects derived from them. */
interface Known {
  readonly rules: VenueRules;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly hasher: OrderHasher;
}

interface FeeRates<Rate> {
  readonly makerFeeRate: Rate;
  readonly takerFeeRate: Rate;
}

interface Draft {
  readonly instrument: Instrument;
  readonly rules: Pick<MarketRules, "perp" | "makerFeeRate" | "takerFeeRate">;
  readonly hasher: OrderHasher;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly isSmall: boolean;
  readonly terms: OperationParams<"buildOrder"> &
    Required<Pick<NewOrder, "orderType" | "timeInForce">>;
}

/**
 * Places orders in both ways of the specification: built locally, or built by the exchange and
 * checked before signing.
 */
export class OrderPlacer {
  readonly #options: OrderPlacerDeps;
  #known: Known | undefined;

  constructor(options: OrderPlacerDeps) {
    this.#options = options;
  }

  /** Prepares an order and sends it. @throws as {@link prepare} and {@link send} */
  async place(order: NewOrder): Promise<Order> {
    return this.send(await this.prepare(order));
  }

  /**
   * Builds, checks and signs an order without sending it, so that the caller can store its hash
   * first. After a send without a response, the hash shows if the order exists.
   * @throws ConfigError for an unknown key, a value of the wrong type or an invalid lifetime,
   * FormatError off the market's grid, OrderFilterError for its filters, DomainError and
   * BuiltOrderError for what must not be signed.
   */
  async prepare(order: NewOrder): Promise<PreparedOrder> {
    const { settings } = this.#options;
    const draft = await this.#draft(order);
    return settings.placement === "server" || draft.isSmall
      ? this.#built(draft)
      : this.#local(draft);
  }

  /**
   * Sends a prepared order, once.
   * @returns the order as accepted, which is not a trade result.
   * @throws BuiltOrderError when the exchange returns an order with another hash; VenueError and
   * VenueRequestError, whose `mayHaveHappened` says if the order may exist anyway.
   */
  async send(prepared: PreparedOrder): Promise<Order> {
    const accepted = await this.#options.place(prepared.params);
    if (accepted.hash !== prepared.hash) {
      throw new BuiltOrderError("the exchange answered with a different order", [
        `hash is ${accepted.hash}, expected ${prepared.hash}`,
      ]);
    }
    return accepted;
  }

  async #draft(order: NewOrder): Promise<Draft> {
    const { settings, nowMs } = this.#options;
    // A silently ignored key could be the one that keeps the order from taking.
    validateParams(ORDER, toCallParams(order));
    const { marketId, side, orderType = "LIMIT", timeInForce = "GTC" } = order;
    const { rules, instruments, hasher } = this.#knownOf(await this.#options.rules(marketId));
    const market = rules.markets[marketId] as MarketRules;
    const instrument = instruments.get(marketId) as Instrument;
    const ticks = instrument.parsePrice(decimalText(order.price));
    const lots = instrument.parseAmount(decimalText(order.amount));
    const breaches = checkFilters(market, { type: orderType, ticks, lots });
    if (breaches.length > 0) throw new OrderFilterError(breaches);
    const expiration = timeInForce === "GTT" ? lifeOf(order.expiration, nowMs()) : undefined;
    return {
      instrument,
      hasher,
      ticks,
      lots,
      rules: { perp: market.perp, ...feeRatesOf(market, settings.feeRates?.[marketId]) },
      isSmall: isBelowWaiver(rules, instrument, { ticks, lots }, settings.waiverUnit ?? "quote"),
      terms: {
        marketId,
        side,
        orderType,
        amount: instrument.formatAmount(lots),
        price: instrument.formatPrice(ticks),
        timeInForce,
        ...(expiration === undefined ? {} : { expiration }),
      },
    };
  }

  #local({ terms, instrument, rules, hasher, ticks, lots }: Draft): PreparedOrder {
    const { settings, account, random, nowMs } = this.#options;
    const { order, hash, digest } = buildHashedOrder(hasher, {
      rules,
      instrument,
      side: terms.side,
      ticks,
      lots,
      signer: account(),
      expirationSeconds: infoExpirationSeconds(terms.timeInForce, nowMs(), terms.expiration ?? 0),
      nonce: random.uint64(),
      buyRounding: settings.buyRounding,
    });
    return {
      hash,
      order,
      params: { ...terms, info: order.info, orderSignature: this.#sign(digest) },
    };
  }

  async #built({
    terms,
    instrument,
    rules,
    hasher,
    ticks,
    lots,
    isSmall,
  }: Draft): Promise<PreparedOrder> {
    const { settings, account, nowMs } = this.#options;
    const built = await this.#options.build(terms);
    const { perp, signer, paperAmount, creditAmount, info } = built.order;
    const order: OrderStruct = { perp, signer, paperAmount, creditAmount, info };
    const wrong = checkBuiltOrder(
      hasher,
      { order, hash: built.orderHash },
      {
        rules,
        instrument,
        side: terms.side,
        ticks,
        lots,
        signer: account(),
        timeInForce: terms.timeInForce,
        expirationMs: terms.expiration ?? 0,
        nowMs: nowMs(),
        maxFeeOffset: isSmall
          ? rateOf(settings.maxGasFeeRate ?? DEFAULT_MAX_GAS_FEE_RATE, "maxGasFeeRate")
          : 0n,
      },
    );
    if (wrong.length > 0)
      throw new BuiltOrderError(
        "the exchange built an order that differs from the request: it is not signed",
        wrong,
      );
    const sendsToken =
      built.gasFeeQuotation !== "" && (isSmall || settings.gasFeeQuotation === "always");
    return {
      hash: built.orderHash,
      order,
      params: {
        ...terms,
        info,
        orderSignature: this.#sign(hexToBytes(built.orderHash, "orderHash")),
        ...(sendsToken ? { gasFeeQuotation: built.gasFeeQuotation } : {}),
      },
    };
  }

  #sign(digest: Uint8Array): Hex {
    const { signer } = this.#options;
    if (signer === undefined)
      throw new ConfigError("an order needs a key", { field: "key", expected: "a signing key" });
    return signer.sign(digest);
  }

  /** @throws DomainError */
  #knownOf(rules: VenueRules): Known {
    if (this.#known?.rules !== rules) {
      const differences = checkDomain(rules);
      if (differences.length > 0) throw new DomainError(differences);
      this.#known = {
        rules,
        instruments: createInstruments(rules),
        hasher: new OrderHasher(rules.eip712.domainSeparator),
      };
    }
    return this.#known;
  }
}

/** A GTT order's expiration in whole seconds, as in `info`. @throws ConfigError */
function lifeOf(expiration: Ms | undefined, nowMs: Ms): Ms {
  const wholeMs = Math.floor(Number(expiration ?? 0) / 1000) * 1000;
  if (!isValidGttLifetime(wholeMs - nowMs)) {
    const expected = "an instant more than 1 minute and less than 7 days ahead";
    throw new ConfigError("a GTT order needs an end", {
      field: "expiration",
      value: expiration,
      expected,
    });
  }
  return wholeMs;
}

/** The fee rates of an order: the market's, unless special ones are agreed. */
function feeRatesOf(
  { makerFeeRate, takerFeeRate }: FeeRates<bigint>,
  agreed: FeeRates<DecimalInput> | undefined,
): FeeRates<bigint> {
  return agreed === undefined
    ? { makerFeeRate, takerFeeRate }
    : {
        makerFeeRate: rateOf(agreed.makerFeeRate, "makerFeeRate"),
        takerFeeRate: rateOf(agreed.takerFeeRate, "takerFeeRate"),
      };
}

function rateOf(rate: DecimalInput, field: string): bigint {
  return decimalToScaled(decimalText(toDecimal(rate, field)), FEE_RATE_DECIMALS, field);
}
