import { ceilDivide } from "../../core/bigints.js";
import { FormatError, RunError } from "../../core/errors.js";
import type { CreditUnits, Hex, Int64Id, Ms } from "../../core/units.js";
import type { Order } from "../accounts/account.js";
import type { PendingSettlement, PendingSide } from "../accounts/pending-settlement.js";
import type { OnSettlement, Settlement } from "../accounts/settlement.js";
import { signedAmounts } from "../rest/records/order-record.js";
import type { ChainOutbox } from "./chain-outbox.js";
import type { ChainReport } from "./chain-report.js";
import type { HouseOrderSigner } from "./house-order-signer.js";
import { type MatchedOrder, type SignedOrder, tradeCall } from "./trade-data.js";
import { makersInTransaction, type TradeGasTerms, tradeGas } from "./trade-gas.js";

const KIND = "trade";

/** Dependencies of {@link ChainSettlement}. */
export interface ChainSettlementDeps {
  readonly outbox: ChainOutbox;
  /** In lower case. */
  readonly orderSender: Hex;
  readonly houses: HouseOrderSigner;
  readonly gas: TradeGasTerms;
  /** The delay after which a trade among house agents counts as settled. */
  readonly houseDelayMs: Ms;
  report(report: ChainReport): void;
}

/**
 * Settles on chain. The fills of one taking order are one transaction: the taker with its makers,
 * each with its original signature. The transaction's outcome is that of all its matches
 * (docs/reference/protocol.md#order-statuses and docs/reference/protocol.md#trades).
 */
export class ChainSettlement implements Settlement {
  readonly maxMatchesTogether: number;
  readonly houseDelayMs: Ms;
  readonly #parts: ChainSettlementDeps;
  readonly #onSettlement: OnSettlement;
  /** By the first trade of each transaction. */
  readonly #waiting = new Map<Int64Id, PendingSettlement[]>();

  constructor(parts: ChainSettlementDeps, onSettlement: OnSettlement) {
    this.maxMatchesTogether = makersInTransaction(parts.gas);
    this.houseDelayMs = parts.houseDelayMs;
    this.#parts = parts;
    this.#onSettlement = onSettlement;
    parts.outbox.handle(KIND, {
      onMined: ({ details }, { isReverted, revertReason, hash }) => {
        this.#end(String(details.sweepId), isReverted ? (revertReason ?? "reverted") : null, hash);
      },
      onRefused: ({ details }, reason) => this.#end(String(details.sweepId), reason, null),
    });
  }

  get pending(): readonly PendingSettlement[] {
    return [...this.#waiting.values()].flat();
  }

  add(matches: readonly PendingSettlement[]): void {
    const [first] = matches;
    if (first === undefined) return;
    const sweepId = first.trade.id;
    this.#waiting.set(sweepId, [...matches]);
    const { outbox, orderSender: from, gas } = this.#parts;
    const makers = matches.map((match) => this.#maker(match));
    const data = tradeCall(this.#taker(matches, makers), makers);
    const to = first.trade.market.rules.perp.toLowerCase() as Hex;
    outbox.add({
      kind: KIND,
      from,
      to,
      data,
      gas: tradeGas(makers.length, gas),
      details: { sweepId },
    });
  }

  restore(pending: PendingSettlement): void {
    const sweepId = pending.sweepId ?? pending.trade.id;
    const matches = this.#waiting.get(sweepId);
    if (matches === undefined) {
      this.#waiting.set(sweepId, [pending]);
    } else {
      matches.push(pending);
    }
  }

  /** @throws FormatError when a match waits for a transaction that is neither pending nor sent */
  requirePendingRequests(): void {
    const requested = new Set(
      [...this.#parts.outbox.pending(KIND)].map(({ details }) => details.sweepId),
    );
    for (const sweepId of this.#waiting.keys()) {
      if (!requested.has(sweepId)) {
        throw new FormatError("the settlement of a pending trade was never requested", {
          field: "trade",
          value: sweepId,
        });
      }
    }
  }

  /**
   * Does nothing: the chain starts and stops with the exchange, and its results come to
   * {@link ChainOutbox}.
   */
  start(): void {}
  stop(): void {}

  /**
   * @param reason the transaction's failure; null when it succeeded.
   * @param hash null for one that the chain did not accept.
   */
  #end(sweepId: Int64Id, reason: string | null, hash: Hex | null): void {
    const matches = this.#waiting.get(sweepId);
    if (matches === undefined) {
      throw new FormatError("the chain reports a trade that is not pending", {
        field: "trade",
        value: sweepId,
      });
    }
    this.#waiting.delete(sweepId);
    if (reason !== null) {
      const about = matches[0]?.trade.market.id ?? "";
      this.#parts.report({ kind: "trade-failed", about, reason, hash });
    }
    this.#onSettlement(matches.map((pending) => ({ pending, isSettled: reason === null })));
  }

  #maker({ trade, sides: [maker] }: PendingSettlement): MatchedOrder {
    const { market, lots, quote, isBuyerMaker, id } = trade;
    const paper = market.instrument.lotsToPaper(lots);
    const order = maker?.order ?? null;
    return order === null
      ? {
          order: this.#parts.houses.sign(market, isBuyerMaker ? "BUY" : "SELL", lots, quote, id),
          paper,
        }
      : { order: signedOrder(order), paper };
  }

  #taker(matches: readonly PendingSettlement[], makers: readonly MatchedOrder[]): MatchedOrder {
    const paper = makers.reduce((sum, maker) => sum + maker.paper, 0n);
    const first = matches[0] as PendingSettlement;
    const { order } = first.sides[1] as PendingSide;
    if (order !== null) return { order: signedOrder(order), paper };
    const { market, isBuyerMaker, id } = first.trade;
    const lots = matches.reduce((sum, { trade }) => sum + trade.lots, 0);
    const credit = creditThatMeets(makers, paper);
    return {
      order: this.#parts.houses.sign(market, isBuyerMaker ? "SELL" : "BUY", lots, credit, id),
      paper,
    };
  }
}

function signedOrder({ terms }: Order): SignedOrder {
  const { market, side, lots, signedCredit, account, info, signature, hash } = terms;
  if (signature === null)
    throw new RunError("an order without a signature cannot be settled on chain", {
      field: "order",
      value: hash,
    });
  return {
    perp: market.rules.perp,
    signer: account.address,
    ...signedAmounts(market, side, lots, signedCredit),
    info,
    signature,
  };
}

/** The unsigned credit at which a taking order of this paper meets every maker's price. */
function creditThatMeets(makers: readonly MatchedOrder[], paper: bigint): CreditUnits {
  let credit: CreditUnits | null = null;
  for (const { order } of makers) {
    const isBuyer = order.paper > 0n;
    const [makerPaper, makerCredit] = isBuyer
      ? [order.paper, -order.credit]
      : [-order.paper, order.credit];
    const exact = makerCredit * paper;
    const wanted = isBuyer ? exact / makerPaper : ceilDivide(exact, makerPaper);
    if (credit === null || (isBuyer ? wanted < credit : wanted > credit)) credit = wanted;
  }
  return credit ?? 0n;
}
