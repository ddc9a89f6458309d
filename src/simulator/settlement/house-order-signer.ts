import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import type { CreditUnits, Hex, Int64Id, Lots, MarketId, Side } from "../../core/units.js";
import type { ChainAccount } from "../chain/chain-keys.js";
import type { Market } from "../markets/market.js";
import { signedAmounts } from "../rest/records/order-record.js";
import { type OrderDomain, VenueOrderHasher, venueDomainSeparator } from "../signing/order-hash.js";
import { writeOrderInfo } from "../signing/order-info.js";
import type { SignedOrder } from "./trade-data.js";

/** The house's orders never expire: they can be used only by their own match. */
const NEVER_SECONDS = (1n << 64n) - 1n;

/**
 * Signs the orders of the houses. An order flow signs nothing when it places, so each of its
 * matches gets its own order.
 */
export class HouseOrderSigner {
  readonly #hasher: VenueOrderHasher;
  readonly #accountOf: (marketId: MarketId) => ChainAccount;
  readonly #accounts = new Map<MarketId, ChainAccount>();

  constructor(domain: OrderDomain, accountOf: (marketId: MarketId) => ChainAccount) {
    this.#hasher = new VenueOrderHasher(venueDomainSeparator(domain));
    this.#accountOf = accountOf;
  }

  /**
   * Signs an order of exactly the amount that a match, or a transaction, trades for the house.
   * @param tradeId makes the order unique; the same id gives the same order again.
   * @param credit unsigned; at least one unit, since the contracts refuse an order without credit.
   */
  sign(market: Market, side: Side, lots: Lots, credit: CreditUnits, tradeId: Int64Id): SignedOrder {
    const { signer } = this.#of(market.id);
    const amounts = signedAmounts(market, side, lots, credit > 0n ? credit : 1n);
    const { makerRate, takerRate } = market.houseRates;
    const { perp } = market.rules;
    const info = writeOrderInfo(makerRate, takerRate, NEVER_SECONDS, BigInt(tradeId));
    const digest = this.#hasher.hash(
      bytes(perp),
      bytes(signer.address),
      amounts.paper,
      amounts.credit,
      info,
    );
    return {
      perp,
      signer: signer.address,
      ...amounts,
      info: bytesToHex(info),
      signature: signer.sign(digest),
    };
  }

  #of(marketId: MarketId): ChainAccount {
    let account = this.#accounts.get(marketId);
    if (account === undefined) {
      account = this.#accountOf(marketId);
      this.#accounts.set(marketId, account);
    }
    return account;
  }
}

function bytes(address: Hex): Uint8Array {
  return hexToBytes(address, "address");
}
