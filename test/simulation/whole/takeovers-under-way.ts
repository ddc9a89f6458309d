import { Transaction } from "ethers";
import type { Hex, Lots, MarketId, Ms, Side } from "#core/units.js";
import { sideSign } from "#core/units.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { PERPETUAL } from "../../liquidator/simulation/ground.js";

/** A takeover that was sent, decoded from the bytes that a node took. */
export interface SentTakeover {
  readonly nonce: number;
  readonly marketId: MarketId;
  /** Largest size that it may acquire, signed. */
  readonly lots: Lots;
  readonly victim: Hex;
  readonly hashes: Set<Hex>;
}

/** A takeover that is in a block and has changed the position. */
export interface MinedTakeover extends SentTakeover {
  readonly atMs: Ms;
}

/**
 * The takeovers of the bot's account between a node and a block. A nonce is used once: of all
 * takeovers sent under it, at most the largest arrives, and none once another transaction has used
 * it.
 */
export class TakeoversUnderWay {
  readonly mined: MinedTakeover[] = [];
  readonly #chain: OpenChain;
  readonly #exchange: EmbeddedExchange;
  readonly #account: Hex;
  readonly #marketOf: ReadonlyMap<string, MarketId>;
  readonly #sent = new Map<number, SentTakeover>();
  #head = 0;

  constructor(chain: OpenChain, exchange: EmbeddedExchange, account: Hex) {
    this.#chain = chain;
    this.#exchange = exchange;
    this.#account = account;
    this.#marketOf = new Map(
      [...chain.addresses.markets].map(([marketId, { perp }]) => [perp.toLowerCase(), marketId]),
    );
  }

  /** A node has taken a raw transaction. @returns the takeover when it is a new one. */
  sent(raw: Hex): SentTakeover | undefined {
    const transaction = Transaction.from(raw);
    const marketId = this.#marketOf.get(transaction.to?.toLowerCase() ?? "");
    const call =
      transaction.data.length < 10 ? null : PERPETUAL.parseTransaction({ data: transaction.data });
    if (marketId === undefined || call?.name !== "liquidate") return undefined;
    const [, victim, paper] = call.args as unknown as [Hex, Hex, bigint];
    const { paperPerLot } = this.#exchange.market(marketId).instrument;
    const most = (paper < 0n ? -paper : paper) + paperPerLot - 1n;
    const lots = (paper < 0n ? -1 : 1) * Number(most / paperPerLot);
    const { nonce } = transaction;
    const known = this.#sent.get(nonce);
    if (known !== undefined) known.hashes.add(transaction.hash as Hex);
    if (known !== undefined && Math.abs(known.lots) >= Math.abs(lots)) return undefined;
    const takeover = {
      nonce,
      marketId,
      lots,
      victim: victim.toLowerCase() as Hex,
      hashes: new Set([transaction.hash as Hex]),
    };
    this.#sent.set(nonce, takeover);
    return takeover;
  }

  /** Takeovers that may still be mined. */
  get pending(): readonly SentTakeover[] {
    return [...this.#sent.values()];
  }

  /** Lots that may still be acquired on a side. */
  lots(marketId: MarketId, side: Side): Lots {
    let lots = 0;
    for (const takeover of this.#sent.values())
      if (takeover.marketId === marketId && Math.sign(takeover.lots) === sideSign(side))
        lots += Math.abs(takeover.lots);
    return lots;
  }

  /**
   * Removes mined takeovers; called after each block that the exchange has applied.
   * @returns those in the block that changed the position.
   */
  async onBlocks(nowMs: Ms): Promise<readonly MinedTakeover[]> {
    const { chain } = this.#chain;
    if (chain.head.number === this.#head) return [];
    this.#head = chain.head.number;
    if (this.#sent.size === 0) return [];
    const used = Number(await chain.request("eth_getTransactionCount", this.#account, "latest"));
    const mined: MinedTakeover[] = [];
    for (const takeover of [...this.#sent.values()]) {
      if (takeover.nonce >= used) continue;
      this.#sent.delete(takeover.nonce);
      for (const hash of takeover.hashes) {
        const receipt = await chain.receipt(hash);
        if (receipt !== null && !receipt.isReverted) mined.push({ ...takeover, atMs: nowMs });
      }
    }
    this.mined.push(...mined);
    return mined;
  }
}
