import { Transaction } from "ethers";
import { hexToBytes } from "#core/hex.js";
import type { Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, Ms } from "#core/units.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import type { BlockBuilder } from "./block-builder.js";
import { DEALER, type Ground, PERPETUAL } from "./ground.js";

const GWEI = 1_000_000_000n;

/** An account that sends by itself, with its own nonces. */
export class Sender {
  #nonce: number | undefined;

  constructor(
    readonly signer: Signer,
    private readonly ground: Ground,
    private readonly builder: BlockBuilder,
  ) {}

  /** A rejected transaction is dropped, and the nonce is read again. */
  async send(to: Hex, data: string, tipWei: bigint): Promise<void> {
    this.#nonce ??= Number(
      await this.ground.chain.request("eth_getTransactionCount", this.signer.address, "pending"),
    );
    const transaction = Transaction.from({
      type: 2,
      chainId: 31_337,
      nonce: this.#nonce,
      gasLimit: 1_500_000,
      maxFeePerGas: 5_000n * GWEI + tipWei,
      maxPriorityFeePerGas: tipWei,
      to,
      value: 0,
      data,
    });
    transaction.signature = this.signer.sign(hexToBytes(transaction.unsignedHash));
    const outcome = await this.builder.handle("eth_sendRawTransaction", [transaction.serialized]);
    this.#nonce = "result" in outcome ? this.#nonce + 1 : undefined;
  }

  /** After a reorganisation its nonces may be others. */
  forget(): void {
    this.#nonce = undefined;
  }
}

/** A rival's way of finding accounts in danger. */
export interface RivalPlan {
  /**
   * `faster` checks each new block first; `outbids` copies pending transactions at a higher tip.
   */
  readonly kind: "faster" | "outbids";
  /** Probability of acting when it could. */
  readonly eagerness: number;
  readonly reactionMs: Ms;
  readonly tipWei: bigint;
}

/** Somebody else who liquidates on the same chain. */
export class Rival {
  readonly #sender: Sender;
  readonly #plan: RivalPlan;
  readonly #ground: Ground;
  readonly #clock: HoldingClock;
  readonly #random: Random;
  isResting = false;

  constructor(
    signer: Signer,
    plan: RivalPlan,
    ground: Ground,
    builder: BlockBuilder,
    clock: HoldingClock,
    random: Random,
  ) {
    this.#sender = new Sender(signer, ground, builder);
    this.#plan = plan;
    this.#ground = ground;
    this.#clock = clock;
    this.#random = random;
  }

  onBlock(reorgDepth: number): void {
    if (reorgDepth > 0) this.#sender.forget();
    if (this.#plan.kind !== "faster" || this.isResting) return;
    this.#after(() => this.#lookAround());
  }

  onPending(transaction: Transaction): void {
    const isOurs = transaction.from === this.#sender.signer.address;
    if (
      this.#plan.kind !== "outbids" ||
      this.isResting ||
      isOurs ||
      transaction.data.slice(0, 10) !== LIQUIDATE.selector
    )
      return;
    if (this.#random.uniform() >= this.#plan.eagerness) return;
    const [, victim, paper] = PERPETUAL.decodeFunctionData(
      "liquidate",
      transaction.data,
    ) as unknown as [string, string, bigint];
    this.#after(() =>
      this.#liquidate(
        transaction.to as Hex,
        victim,
        paper,
        (transaction.maxPriorityFeePerGas ?? 0n) + this.#plan.tipWei,
      ),
    );
  }

  #after(act: () => Promise<void>): void {
    this.#clock.setTimer(this.#plan.reactionMs, () => this.#clock.hold(act()));
  }

  async #lookAround(): Promise<void> {
    const { cast, open, markets } = this.#ground;
    for (const victim of cast.victims) {
      if (this.#random.uniform() >= this.#plan.eagerness) continue;
      const [isSafe] = await this.#ground.view(open.addresses.dealer, DEALER, "isSafe", [
        victim.address,
      ]);
      if (isSafe === true) continue;
      for (const { perp } of markets) {
        const [paper] = (await this.#ground.view(perp, PERPETUAL, "balanceOf", [
          victim.address,
        ])) as unknown as [bigint];
        // Half of a large one: what is capped or left over is part of the game.
        if (paper !== 0n)
          await this.#liquidate(
            perp,
            victim.address,
            this.#random.uniform() < 0.5 ? paper : paper / 2n,
            this.#plan.tipWei,
          );
      }
    }
  }

  async #liquidate(perp: Hex, victim: string, paper: bigint, tipWei: bigint): Promise<void> {
    const own = this.#sender.signer.address;
    const anyPrice = paper > 0n ? -(10n ** 30n) : 0n;
    await this.#sender.send(
      perp,
      PERPETUAL.encodeFunctionData("liquidate", [own, victim, paper, anyPrice]),
      tipWei,
    );
  }
}

const LIQUIDATE = PERPETUAL.getFunction("liquidate") as NonNullable<
  ReturnType<typeof PERPETUAL.getFunction>
>;
