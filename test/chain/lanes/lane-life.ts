import { ChainRpc, type ChainRpcOptions } from "#chain/chain-rpc.js";
import type { RpcReply } from "#chain/rpc-transport.js";
import type { JobOutcome, TransactionEvent } from "#chain/transaction-event.js";
import { TransactionManager } from "#chain/transaction-manager.js";
import type { TransactionManagerOptions } from "#chain/transaction-settings.js";
import type { TransactionRecord, TransactionStore } from "#chain/transaction-store.js";
import { CHAIN_ID, GWEI, type LaneWorld, SENDER } from "./lane-world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";

/** One process with a transaction manager, and the events it received. */
export class LaneLife {
  readonly events: TransactionEvent[] = [];
  readonly lanes: TransactionManager;
  readonly rpc: ChainRpc;
  #isDead = false;
  #steps = 0;
  readonly #diesAt: number;

  /**
   * @param diesAt the step, a request or a write to the store, before (`x`) or right after
   * (`x + 0.5`) which it is killed.
   */
  constructor(
    readonly world: LaneWorld,
    readonly store: TransactionStore = new MemoryLaneStore(),
    {
      diesAt = Number.POSITIVE_INFINITY,
      ...options
    }: Partial<TransactionManagerOptions & ChainRpcOptions> & { diesAt?: number } = {},
  ) {
    this.#diesAt = diesAt;
    const { clock } = world;
    this.rpc = new ChainRpc({
      urls: [{ name: "edr", call: (method, params) => this.#call(method, params) }],
      chainId: CHAIN_ID,
      clock,
      maxHeadAgeMs: 10 ** 9,
      ...options,
    });
    this.lanes = TransactionManager.open({
      rpc: this.rpc,
      signer: SENDER,
      chainId: CHAIN_ID,
      clock,
      store: {
        load: () => store.load(),
        append: (record) => this.#append(record),
        close: () => {},
      },
      stuckMs: 5000,
      stuckBlocks: 3,
      tipWei: GWEI,
      ...options,
    });
    this.lanes.listen((event) => {
      if (!this.#isDead) this.events.push(event);
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Requests and writes so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Ends it as a power cut does: nothing that it does from now on has any effect. */
  kill(): void {
    this.#isDead = true;
    // Only so that a dead process does not go on asking in vain for the rest of the test.
    void this.lanes.close();
  }

  /** Kinds of a job's events, in order. */
  told(jobId: string): string[] {
    return this.events.flatMap((event) =>
      "jobId" in event && event.jobId === jobId ? [event.kind] : [],
    );
  }

  /** The final outcome of a job, or the latest one after a reorg. */
  outcome(jobId: string): JobOutcome | undefined {
    let outcome: JobOutcome | undefined;
    for (const event of this.events) {
      if (event.kind !== "final" && event.kind !== "undone") continue;
      if (event.jobId !== jobId) continue;
      if (event.kind === "final" && outcome !== undefined) throw new Error(`two ends of ${jobId}`);
      outcome = event.kind === "final" ? event.outcome : undefined;
    }
    return outcome;
  }

  of<Kind extends TransactionEvent["kind"]>(
    kind: Kind,
  ): Extract<TransactionEvent, { readonly kind: Kind }>[] {
    return this.events.filter(
      (event): event is Extract<TransactionEvent, { readonly kind: Kind }> => event.kind === kind,
    );
  }

  #step(): void {
    this.#steps += 0.5;
    if (this.#steps >= this.#diesAt) this.kill();
  }

  async #call(method: string, params: readonly unknown[]): Promise<RpcReply> {
    this.#step();
    if (this.#isDead) return new Promise(() => {});
    const reply = this.world.call(method, params);
    this.#step();
    return this.#isDead ? reply.then(() => new Promise<RpcReply>(() => {})) : reply;
  }

  #append(record: TransactionRecord): void {
    this.#step();
    if (!this.#isDead) this.store.append(record);
    this.#step();
  }
}
