import type { Signer } from "../../core/crypto/signing.js";
import type { Hex } from "../../core/units.js";
import { ChainRequestError } from "../chain/chain-request-error.js";
import type { EmbeddedChain } from "../chain/embedded-chain.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { ChainTransaction } from "./chain-block.js";
import type { ChainRequest, RequestDraft } from "./chain-request.js";

/** Called with the outcome of the requests of a kind, within a turn. */
export interface RequestHandler {
  /** The request is in a block, reverted or not. */
  onMined(request: ChainRequest, transaction: ChainTransaction): void;
  /** The chain refused or dropped it: it will never be in a block. */
  onRefused(request: ChainRequest, reason: string): void;
  /** True if a dropped request is sent again, because it counts here already. */
  readonly isResentWhenDropped?: boolean;
}

/** Dependencies of {@link ChainOutbox}. */
export interface ChainOutboxDeps {
  readonly state: ExchangeState;
  readonly chain: EmbeddedChain;
  /**
   * The key of one of the venue's own accounts, by its address in lower case; undefined for other
   * addresses.
   */
  signerOf(address: Hex): Signer | undefined;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** Called on a failure after which the chain refuses all requests. */
  onFault(error: unknown): void;
}

/**
 * The requests of the exchange to its chain. A request is committed with the event that decided on
 * it and sent afterwards. It is recognised in a block by its sender, its target and its data. The
 * chain mines everything that it accepted before it opens, so a request that is in no block then
 * was never sent. A kill neither loses a request nor sends it twice.
 */
export class ChainOutbox {
  readonly #parts: ChainOutboxDeps;
  readonly #handlers = new Map<string, RequestHandler>();
  readonly #sending = new Set<Promise<void>>();
  /**
   * Hashes of transactions that were sent for other accounts and are in no block that was read, by
   * the request's id.
   */
  readonly #sentAs = new Map<number, Hex>();
  #isOpen = false;
  /** Requests whose senders wait for their gas money, by id. */
  readonly #withoutGas = new Set<number>();
  /** The last request that was sent, or waits for gas money. */
  #sentId = 0;

  constructor(parts: ChainOutboxDeps) {
    this.#parts = parts;
  }

  /** Sets the handler of the requests of a kind. */
  handle(kind: string, handler: RequestHandler): void {
    this.#handlers.set(kind, handler);
  }

  /** Adds a request, within a turn. It is sent after the turn. */
  add({ valueWei = 0n, ...draft }: RequestDraft): ChainRequest {
    const { state } = this.#parts;
    const request: ChainRequest = { ...draft, value: String(valueWei), id: state.nextRequestId };
    state.nextRequestId += 1;
    state.requests.add(request);
    state.listener.onRequest(request);
    return request;
  }

  /** Requests of a kind whose outcome is not known. */
  *pending(kind: string): Generator<ChainRequest> {
    for (const request of this.#parts.state.requests.values()) {
      if (request.kind === kind) yield request;
    }
  }

  /**
   * Starts sending, first the requests that an earlier process left. All blocks must have been read
   * before.
   */
  open(): void {
    this.#isOpen = true;
    this.flush();
  }

  /** Stops sending. */
  close(): void {
    this.#isOpen = false;
  }

  /** Sends the added requests; outside of turns. */
  flush(): void {
    const { state } = this.#parts;
    const isAllSent = this.#sentId === state.nextRequestId - 1 && this.#withoutGas.size === 0;
    if (!this.#isOpen || isAllSent) return;
    for (const request of [...state.requests.values()]) {
      if (request.id <= this.#sentId && !this.#withoutGas.has(request.id)) continue;
      this.#sentId = Math.max(this.#sentId, request.id);
      // The chain refuses a transaction of an account that has no gas money yet.
      if (state.requests.hasRequestFor("gas", request.from)) this.#withoutGas.add(request.id);
      else {
        this.#withoutGas.delete(request.id);
        this.#track(this.#send(request));
      }
    }
  }

  /**
   * Finds requests that the chain has dropped, after a block. The account that it was sent as may
   * have replaced the transaction, or have no funds left for its gas.
   */
  checkDropped(): void {
    for (const [id, hash] of this.#sentAs) this.#track(this.#review(id, hash));
  }

  /** Waits until the chain has responded to everything that was sent. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** True while a response of the chain is outstanding. */
  get isSending(): boolean {
    return this.#sending.size > 0;
  }

  /** True if a transaction is a request of this exchange that waits for its block. */
  isOwn(transaction: Pick<ChainTransaction, "from" | "to" | "input">): boolean {
    return this.#find(transaction) !== undefined;
  }

  /**
   * Removes the request of a mined transaction and calls its handler.
   * @returns false if it is not a request of this exchange.
   */
  resolve(transaction: ChainTransaction): boolean {
    const request = this.#find(transaction);
    if (request === undefined) return false;
    this.#forget(request);
    this.#handlers.get(request.kind)?.onMined(request, transaction);
    return true;
  }

  #find({
    from,
    to,
    input,
  }: Pick<ChainTransaction, "from" | "to" | "input">): ChainRequest | undefined {
    return this.#parts.state.requests.findByTransaction({ from, to, data: input });
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#sending.delete(tracked));
    this.#sending.add(tracked);
  }

  #forget(request: ChainRequest): void {
    this.#sentAs.delete(request.id);
    this.#withoutGas.delete(request.id);
    this.#parts.state.requests.remove(request);
    this.#parts.state.listener.onRequestResolved(request);
  }

  async #send(request: ChainRequest): Promise<void> {
    const { chain, signerOf, onFault } = this.#parts;
    const { from, to, data, gas } = request;
    const what = { to, data, gas, valueWei: BigInt(request.value) };
    const signer = signerOf(from);
    try {
      if (signer !== undefined) {
        await chain.send({ ...what, from: signer });
        return;
      }
      const hash = await chain.sendAs(from, what);
      // Its block may have been read already.
      if (this.#parts.state.requests.has(request.id)) this.#sentAs.set(request.id, hash);
    } catch (error) {
      if (error instanceof ChainRequestError) this.#refuse(request, error.message);
      else onFault(error);
    }
  }

  async #review(id: number, hash: Hex): Promise<void> {
    const { state, chain, onFault } = this.#parts;
    try {
      if ((await chain.request("eth_getTransactionByHash", hash)) !== null) return;
    } catch (error) {
      onFault(error);
      return;
    }
    const request = state.requests.get(id);
    if (request === undefined || this.#sentAs.get(id) !== hash) return;
    this.#sentAs.delete(id);
    if (this.#handlers.get(request.kind)?.isResentWhenDropped === true) await this.#send(request);
    else this.#refuse(request, "another transaction of the account used its nonce");
  }

  #refuse(request: ChainRequest, reason: string): void {
    this.#parts.turn(() => {
      this.#forget(request);
      this.#handlers.get(request.kind)?.onRefused(request, reason);
    });
  }
}
