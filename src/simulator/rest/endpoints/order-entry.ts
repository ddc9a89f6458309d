import { larger } from "../../../core/bigints.js";
import { bytesToHex, hexToBytes } from "../../../core/crypto/hex.js";
import type { CreditUnits, Hex, Ms } from "../../../core/units.js";
import type { WireBuildResult } from "../../../exchange/protocol/order.js";
import { isOnlyReducingSize } from "../../../perpetual/margin.js";
import { type ExchangeAccount, Order, type OrderTerms } from "../../accounts/account.js";
import type { CreditLedger } from "../../accounts/credit-ledger.js";
import { computeCapacity } from "../../accounts/margin.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";
import type { OrderManager } from "../../matching/order-manager.js";
import { VenueOrderHasher, venueDomainSeparator } from "../../signing/order-hash.js";
import { readOrderInfo, type SignedOrderInfo, writeOrderInfo } from "../../signing/order-info.js";
import { ApiError } from "../api-error.js";
import type { Authentication } from "../authentication.js";
import { required } from "../parameters.js";
import { readHex } from "../read-hex.js";
import { incomingNote } from "../records/incoming-note.js";
import { orderRecord, orderStructRecord, signedAmounts } from "../records/order-record.js";
import { writeRecord } from "../records/write-json.js";
import { OrderFees } from "./order-fees.js";
import { isAcceptedGttLife, type RequestedOrder, requestedOrder } from "./order-terms.js";

const TEN_YEARS_SECONDS = 315_360_000;
const TWENTY_YEARS_SECONDS = 2 * TEN_YEARS_SECONDS;
const RESTING = new Set(["GTC", "GTT", "POST_ONLY"]);
/**
 * The last byte of an order's signature, 27 or 28; contracts refuse any other
 * (docs/reference/protocol.md#order-signatures).
 */
const RECOVERY_BYTE = /(1b|1c)$/;
const SIGNATURE_BYTES = 65;
const INFO_BYTES = 32;

/** Builds orders for clients, and checks and accepts the signed ones. */
export class OrderEntry {
  readonly #state: ExchangeState;
  readonly #orderManager: OrderManager;
  readonly #authentication: Authentication;
  readonly #credit: Pick<CreditLedger, "hasPendingDeposit">;
  readonly #hasher: VenueOrderHasher;
  readonly #fees: OrderFees;
  readonly #addressBytes = new Map<Hex, Uint8Array>();

  /** @throws ConfigError for an invalid fee agreement */
  constructor(
    state: ExchangeState,
    desk: OrderManager,
    authentication: Authentication,
    credit: Pick<CreditLedger, "hasPendingDeposit">,
  ) {
    this.#state = state;
    this.#credit = credit;
    this.#orderManager = desk;
    this.#authentication = authentication;
    this.#hasher = new VenueOrderHasher(venueDomainSeparator(state.config.domain));
    this.#fees = new OrderFees(state);
  }

  /** POST /v1/order/build. @throws ApiError 1111, 1112, 2013 to 2016, 4010, 4011 */
  build(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const requested = requestedOrder(this.#state, parameters);
    const { market, timeInForce } = requested;
    const nowMs = this.#state.runtime.clock.nowMs();
    const expirationMs =
      timeInForce !== "GTT"
        ? nowMs + TWENTY_YEARS_SECONDS * 1000
        : requested.expirationMs || nowMs + this.#state.config.choices.gttDefaultLifeMs;
    const rates = this.#fees.ratesToBuild(account, requested);
    const seconds = BigInt(Math.floor(expirationMs / 1000));
    const info = writeOrderInfo(
      rates.makerRate,
      rates.takerRate,
      seconds,
      this.#state.runtime.random.uint64(),
    );
    const { paper, credit } = amountsOf(requested);
    const perp = this.#bytesOf(market.rules.perp);
    const signer = this.#bytesOf(account.address);
    const orderHash = bytesToHex(this.#hasher.hash(perp, signer, paper, credit, info));
    const result: WireBuildResult = {
      order: orderStructRecord({ market, account, paper, credit, info: bytesToHex(info) }),
      orderHash,
      packedOrder: VenueOrderHasher.pack(perp, signer, paper, credit, info),
      gasFeeQuotation: this.#fees.quote(orderHash),
    };
    return JSON.stringify(result);
  }

  /**
   * POST /v1/order: accepts a signed order.
   * @returns the order as accepted, without its later trades.
   * @param marks what a dialect keeps with the order
   * @throws ApiError 1111, 1112, 1012, 2012 to 2017, 4010 to 4013
   */
  place(
    account: ExchangeAccount,
    parameters: ReadonlyMap<string, string>,
    marks: Pick<OrderTerms, "clientOrderId" | "isReduceOnly"> = {},
  ): string {
    const requested = requestedOrder(this.#state, parameters);
    const infoHex = readHex(required(parameters, "info"), INFO_BYTES);
    if (infoHex === null) {
      throw new ApiError(4012, "info is not 32 bytes of hex");
    }
    const info = readOrderInfo(infoHex);
    const expirationMs = this.#checkExpiration(requested, info);
    const { paper, credit } = amountsOf(requested);
    const digest = this.#hasher.hash(
      this.#bytesOf(requested.market.rules.perp),
      this.#bytesOf(account.address),
      paper,
      credit,
      info.bytes,
    );
    const signature = readHex(required(parameters, "orderSignature"), SIGNATURE_BYTES);
    const isWellFormed = signature !== null && RECOVERY_BYTE.test(signature);
    const signedBy = isWellFormed
      ? this.#authentication.recoverOrderSigner(digest, signature, account)
      : null;
    if (signature === null || signedBy === null) {
      throw new ApiError(1012, "Order Signature is invalid");
    }
    const hash = bytesToHex(digest);
    if (this.#state.orderHashes.has(hash)) {
      throw new ApiError(2016, "an order with this hash was already accepted");
    }
    this.#fees.check(account, requested, info, hash, parameters.get("gasFeeQuotation"));
    this.#checkAccount(account, requested);
    this.#state.addOrderHash(hash);
    const { choices, chain } = this.#state.config;
    const terms: OrderTerms = {
      id: this.#state.nextId(),
      account,
      market: requested.market,
      side: requested.side,
      type: requested.type,
      timeInForce: requested.timeInForce,
      ticks: requested.ticks,
      lots: requested.lots,
      expirationMs,
      signedCredit: requested.credit,
      makerRate: info.makerRate,
      takerRate: info.takerRate,
      info: bytesToHex(info.bytes),
      hash,
      // Copied: a slice of the request's text would keep the whole text in memory as long as the
      // order.
      signature: chain === undefined ? null : bytesToHex(hexToBytes(signature)),
      signedBy,
      createdAtMs: this.#state.nowMs(),
      ...marks,
    };
    const order = new Order(terms, choices.acceptedStatus, choices);
    const answer = writeRecord(orderRecord(order, choices.expirationUnit));
    this.#orderManager.accept(order);
    return answer;
  }

  /**
   * @returns the expiry of a GTT order, and 0 for any other.
   * @throws ApiError 4012
   */
  #checkExpiration({ timeInForce, expirationMs }: RequestedOrder, info: SignedOrderInfo): Ms {
    const nowMs = this.#state.runtime.clock.nowMs();
    const signedSeconds = Number(info.expirationSeconds);
    if (timeInForce !== "GTT") {
      if (!isTenYearsAhead(signedSeconds, nowMs)) {
        throw new ApiError(4012, "the expiration in info is not more than 10 years ahead");
      }
      return 0;
    }
    if (expirationMs === 0) {
      if (!isAcceptedGttLife(signedSeconds * 1000 - nowMs)) {
        throw new ApiError(
          4012,
          "the expiration in info is not more than 1 minute and less than 7 days ahead",
        );
      }
      return signedSeconds * 1000;
    }
    if (Math.abs(signedSeconds * 1000 - expirationMs) >= 1000) {
      throw new ApiError(4012, "the expiration in info differs from the parameter expiration");
    }
    return expirationMs;
  }

  /** @throws ApiError 2012, 2016, 2017, 4013 */
  #checkAccount(
    account: ExchangeAccount,
    { market, side, type, timeInForce, ticks, lots, credit }: RequestedOrder,
  ): void {
    const { choices } = this.#state.config;
    // A refused order must not create the account's state in this market.
    const part = account.markets.get(market.id);
    const rests = type === "LIMIT" && RESTING.has(timeInForce);
    if (rests && this.#countedOrders(account, market) >= market.rules.config.maxOpenOrders) {
      throw new ApiError(2017, `more than ${market.rules.config.maxOpenOrders} open orders`);
    }
    if (
      timeInForce === "POST_ONLY" &&
      choices.crossingPostOnly === "REJECT" &&
      this.#orderManager.wouldCross(market, side, ticks)
    ) {
      throw new ApiError(2016, "a POST_ONLY order would trade on arrival");
    }
    if (
      timeInForce === "FOK" &&
      choices.unfilledFok === "REJECT" &&
      !this.#orderManager.couldFill(account, market, side, ticks, lots)
    ) {
      throw new ApiError(2016, "a FOK order could not be filled completely");
    }
    if (part !== undefined) {
      const open = side === "BUY" ? part.openBuyLots : part.openSellLots;
      const ordered = market.instrument.lotsToPaper(open + lots);
      if (isOnlyReducingSize(part.position.matched.paper, side, ordered)) return;
    }
    if (account.reduceOnly) {
      throw new ApiError(
        2012,
        "the account is below maintenance margin: only orders that reduce a position are accepted",
      );
    }
    const { buy, sell, boundByExposure } = computeCapacity(market, account, this.#state.markets);
    // A SELL far below the market trades at the market, so its notional is computed at the mark.
    const notional =
      side === "BUY"
        ? credit
        : larger(credit, market.valueAtMark(market.instrument.lotsToPaper(lots)));
    if (notional > (side === "BUY" ? buy : sell)) {
      throw boundByExposure
        ? new ApiError(
            4013,
            `more than the market's maximum exposure of ${market.rules.config.maxExposureQuote}`,
          )
        : new ApiError(
            2012,
            `not enough margin${incomingNote(account, this.#credit, this.#state.config)}`,
          );
    }
  }

  /**
   * Counts open orders, and by the venue's choice also fully matched ones that wait for settlement.
   */
  #countedOrders(account: ExchangeAccount, market: Market): number {
    let count = account.markets.get(market.id)?.openOrders ?? 0;
    if (!this.#state.config.choices.matchedOrderCounts) {
      return count;
    }
    for (const { terms, openLots } of account.activeOrders.values()) {
      count += terms.market === market && openLots === 0 ? 1 : 0;
    }
    return count;
  }

  #bytesOf(address: Hex): Uint8Array {
    let bytes = this.#addressBytes.get(address);
    if (bytes === undefined) {
      bytes = hexToBytes(address, "address");
      this.#addressBytes.set(address, bytes);
    }
    return bytes;
  }
}

/** True if an order that does not expire is signed for more than ten years. */
function isTenYearsAhead(signedSeconds: number, nowMs: Ms): boolean {
  return signedSeconds > Math.floor(nowMs / 1000) + TEN_YEARS_SECONDS;
}

function amountsOf({ market, side, lots, credit }: RequestedOrder): {
  paper: bigint;
  credit: CreditUnits;
} {
  return signedAmounts(market, side, lots, credit);
}
