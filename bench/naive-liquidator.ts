import { Transaction } from "ethers";
import type { InProcessRpc } from "#chain/rpc-transport.js";
import { hexToBytes } from "#core/hex.js";
import type { Clock } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, Ms } from "#core/units.js";
import { DEALER, PERPETUAL } from "../test/liquidator/simulation/ground.js";

/** The options of a naive liquidator. */
export interface NaiveLiquidatorOptions {
  readonly node: InProcessRpc;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly dealer: Hex;
  readonly perps: readonly Hex[];
  readonly accounts: readonly Hex[];
  readonly everyMs: Ms;
  /** The same for every transaction, wei per unit of gas. */
  readonly tipWei: bigint;
}

/**
 * Queries each account periodically, with one call each, and sends at one price, as every public
 * liquidation bot does.
 */
export class NaiveLiquidator {
  readonly #options: NaiveLiquidatorOptions;
  /** Positions for which it has sent a transaction, and when. */
  readonly #sent = new Map<string, Ms>();
  #isStopped = false;

  constructor(options: NaiveLiquidatorOptions, firstMs: Ms) {
    this.#options = options;
    this.#arm(firstMs);
  }

  stop(): void {
    this.#isStopped = true;
  }

  #arm(ms: Ms): void {
    this.#options.clock.setTimer(ms, () => {
      if (this.#isStopped) return;
      const { clock, everyMs } = this.#options;
      const startMs = clock.monotonicMs();
      void this.#poll().finally(() =>
        this.#arm(Math.max(0, everyMs - (clock.monotonicMs() - startMs))),
      );
    });
  }

  async #poll(): Promise<void> {
    const { accounts, perps, dealer, clock } = this.#options;
    for (const account of accounts) {
      const isSafe = BigInt(
        await this.#call(dealer, DEALER.encodeFunctionData("isSafe", [account])),
      );
      if (isSafe === 1n) continue;
      for (const perp of perps) {
        const answer = await this.#call(perp, PERPETUAL.encodeFunctionData("balanceOf", [account]));
        const [paper] = PERPETUAL.decodeFunctionResult("balanceOf", answer) as unknown as [bigint];
        const key = `${account}/${perp}`;
        if (paper === 0n || clock.nowMs() - (this.#sent.get(key) ?? 0) < AGAIN_MS) continue;
        this.#sent.set(key, clock.nowMs());
        await this.#liquidate(perp, account, paper);
      }
    }
  }

  async #liquidate(perp: Hex, victim: Hex, paper: bigint): Promise<void> {
    const { signer, tipWei } = this.#options;
    const anyPrice = paper > 0n ? -(10n ** 30n) : 0n;
    const transaction = Transaction.from({
      type: 2,
      chainId: 31_337,
      nonce: Number(await this.#request("eth_getTransactionCount", [signer.address, "pending"])),
      gasLimit: 1_000_000,
      maxFeePerGas: 100n * tipWei,
      maxPriorityFeePerGas: tipWei,
      to: perp,
      value: 0,
      data: PERPETUAL.encodeFunctionData("liquidate", [signer.address, victim, paper, anyPrice]),
    });
    transaction.signature = signer.sign(hexToBytes(transaction.unsignedHash));
    await this.#request("eth_sendRawTransaction", [transaction.serialized]);
  }

  async #call(to: Hex, data: string): Promise<Hex> {
    return (await this.#request("eth_call", [{ to, data }, "latest"])) as Hex;
  }

  async #request(method: string, params: readonly unknown[]): Promise<unknown> {
    const reply = await this.#options.node.call(method, params);
    if ("error" in reply) throw new Error(`${method}: ${JSON.stringify(reply.error)}`);
    return reply.result;
  }
}

/** A position that still exists after this time is tried again. */
const AGAIN_MS = 6_000;
