import type { ChainRequest } from "./chain-request.js";

/** The fields of a transaction that a request determines. */
export type RequestedTransaction = Pick<ChainRequest, "from" | "data"> & {
  readonly to: ChainRequest["to"] | null;
};

/**
 * Requests to the chain that are not yet in a block, oldest first. Indexed by transaction, and by
 * kind and subject.
 */
export class PendingRequests {
  readonly #byId = new Map<number, ChainRequest>();
  /** Requests by sender, target and data, oldest first. */
  readonly #byTransaction = new Map<string, Set<ChainRequest>>();
  readonly #counts = new Map<string, number>();

  /** Adds a new request. */
  add(request: ChainRequest): void {
    this.#byId.set(request.id, request);
    const key = transactionKey(request);
    const alike = this.#byTransaction.get(key);
    if (alike === undefined) this.#byTransaction.set(key, new Set([request]));
    else alike.add(request);
    this.#count(request, 1);
  }

  /** Removes a request; an unknown one is ignored. */
  remove({ id }: ChainRequest): void {
    const request = this.#byId.get(id);
    if (request === undefined) return;
    this.#byId.delete(id);
    const key = transactionKey(request);
    const alike = this.#byTransaction.get(key);
    alike?.delete(request);
    if (alike?.size === 0) this.#byTransaction.delete(key);
    this.#count(request, -1);
  }

  get(id: number): ChainRequest | undefined {
    return this.#byId.get(id);
  }

  /** The oldest request of such a transaction. */
  findByTransaction(transaction: RequestedTransaction): ChainRequest | undefined {
    return this.#byTransaction.get(transactionKey(transaction))?.values().next().value;
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  values(): IterableIterator<ChainRequest> {
    return this.#byId.values();
  }

  /** True if a request of a kind has this subject: the `about` of its details. */
  hasRequestFor(kind: string, about: string): boolean {
    return this.#counts.has(`${kind} ${about}`);
  }

  #count({ kind, details }: ChainRequest, change: 1 | -1): void {
    const key = `${kind} ${String(details.about)}`;
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

function transactionKey({ from, to, data }: RequestedTransaction): string {
  return `${from} ${to} ${data}`;
}
