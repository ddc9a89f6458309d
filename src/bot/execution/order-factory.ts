import type { Hex, Ms } from "../../core/units.js";
import { isBelowWaiver } from "../../exchange/signing/gas-fee-waiver.js";
import { buildOrderStruct, infoExpirationSeconds } from "../../exchange/signing/order-building.js";
import { createTaggedNonce } from "../../exchange/signing/order-info.js";
import { OrderHasher } from "../../exchange/signing/order-signing.js";
import type {
  Action,
  BuildAction,
  CancelAction,
  CancelAllAction,
  PlaceAction,
} from "../../exchange/venue.js";
import type { PlannedPlace } from "../../executor/plan.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { QueuedPlace } from "./dispatcher.js";
import { scaledRate, signedRates } from "./signed-rates.js";

/**
 * Turns plans into actions: structures, nonces, hashes, timestamps. Signs nothing
 * (docs/ideas/design.md#one-event-at-a-time).
 */
export class OrderFactory {
  readonly #context: BotContext;
  readonly #built = new Map<Hex, { readonly action: PlaceAction; readonly waiting: QueuedPlace }>();
  readonly #nameOrder: (() => Hex) | undefined;
  #hasher: OrderHasher;

  /** @param nameOrder creates the name of an order if that is not its EIP-712 hash. */
  constructor(context: BotContext, nameOrder: (() => Hex) | undefined) {
    this.#context = context;
    this.#nameOrder = nameOrder;
    this.#hasher = new OrderHasher(context.rules.eip712.domainSeparator);
  }

  get hasher(): OrderHasher {
    return this.#hasher;
  }

  /** New rules were read. */
  rulesRead(): void {
    const { domainSeparator } = this.#context.rules.eip712;
    if (domainSeparator !== this.#hasher.separator) this.#hasher = new OrderHasher(domainSeparator);
  }

  /**
   * A quote or slice as an order that we build ourselves, its hash known before it is sent. @throws
   * FormatError
   */
  place(trader: MarketTrader, planned: PlannedPlace): PlaceAction {
    const { config, accountAddress, nonceTag, random } = this.#context;
    const timestampMs = this.#nowMs();
    const name = this.#nameOrder?.();
    const inputs = {
      rules: this.feesFor(trader),
      instrument: trader.instrument,
      side: planned.side,
      ticks: planned.ticks,
      lots: planned.lots,
      signer: accountAddress,
      expirationSeconds: infoExpirationSeconds(
        planned.timeInForce,
        timestampMs,
        planned.expirationMs,
      ),
      nonce: name === undefined ? createTaggedNonce(nonceTag, random) : 0n,
      buyRounding: config.exchange.buyRounding,
    };
    const order = buildOrderStruct(inputs, name);
    const hash = name ?? this.#hasher.hash(order);
    const { actionId, marketId, side, type, ticks, lots, timeInForce, expirationMs } = this.#common(
      trader,
      planned,
      timestampMs,
    );
    return {
      kind: "place",
      actionId,
      timestampMs,
      marketId,
      side,
      type,
      ticks,
      lots,
      timeInForce,
      expirationMs,
      order,
      hash,
    };
  }

  /** Keeps an order that the exchange built and that was checked, until its turn to be placed. */
  keepBuilt(action: PlaceAction, waiting: QueuedPlace): void {
    this.#built.set(action.hash, { action, waiting });
  }

  takeBuilt(
    hash: Hex,
  ): { readonly action: PlaceAction; readonly waiting: QueuedPlace } | undefined {
    const built = this.#built.get(hash);
    this.#built.delete(hash);
    return built;
  }

  /** A quote or slice as an order that the exchange builds. */
  build(trader: MarketTrader, planned: PlannedPlace): BuildAction {
    return { kind: "build", ...this.#common(trader, planned, this.#nowMs()) };
  }

  cancel(marketId: string, orderId: string, hash: string): CancelAction {
    return {
      kind: "cancel",
      actionId: this.#context.nextActionId(),
      timestampMs: this.#nowMs(),
      marketId,
      orderId,
      hash,
    };
  }

  cancelAll(marketId: string): CancelAllAction {
    return {
      kind: "cancel-all",
      actionId: this.#context.nextActionId(),
      timestampMs: this.#nowMs(),
      marketId,
    };
  }

  /** The action with a timestamp of now: it waited in the outbox. */
  withTimestamp<A extends Action>(action: A): A {
    return { ...action, timestampMs: this.#nowMs() };
  }

  #nowMs(): Ms {
    return this.#context.exchangeTime.nowMs();
  }

  #common(trader: MarketTrader, planned: PlannedPlace, timestampMs: Ms): Omit<BuildAction, "kind"> {
    return {
      actionId: this.#context.nextActionId(),
      timestampMs,
      marketId: trader.marketId,
      side: planned.side,
      type: "LIMIT",
      ticks: planned.ticks,
      lots: planned.lots,
      timeInForce: planned.timeInForce,
      // The exchange compares the parameter with the seconds inside `info`: whole seconds agree in
      // both.
      expirationMs:
        planned.timeInForce === "GTT" ? Math.floor(planned.expirationMs / 1000) * 1000 : 0,
    };
  }

  /**
   * True if the exchange has to build an order: the file requires it, or an order this small needs
   * the build's token.
   */
  isServerBuilt(trader: MarketTrader, order: Pick<PlannedPlace, "ticks" | "lots">): boolean {
    return this.#context.config.exchange.placement === "server" || this.#isSmall(trader, order);
  }

  /** Most that a build may add to both fee rates for the gas of a small order; 0 for any other. */
  maxFeeOffset(trader: MarketTrader, order: Pick<PlannedPlace, "ticks" | "lots">): bigint {
    return this.#isSmall(trader, order)
      ? (scaledRate(this.#context.config.exchange.maxGasFeeRate) ?? 0n)
      : 0n;
  }

  #isSmall(trader: MarketTrader, order: Pick<PlannedPlace, "ticks" | "lots">): boolean {
    return isBelowWaiver(
      this.#context.rules,
      trader.instrument,
      order,
      this.#context.config.exchange.waiverUnit,
    );
  }

  /** The market's fee rates, or those of a special agreement. */
  feesFor(
    trader: MarketTrader,
  ): Pick<MarketTrader["rules"], "perp" | "makerFeeRate" | "takerFeeRate"> {
    const { makerFeeRate, takerFeeRate } = signedRates(this.#context.config, trader.rules);
    return { perp: trader.rules.perp, makerFeeRate, takerFeeRate };
  }
}
