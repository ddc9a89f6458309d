import type { ChainRequest } from "./chain-request.js";

/** What was asked of the chain and is not yet in a block, oldest first; how many of a kind are about somebody is known without a search. */
export class PendingRequests {
  readonly #byId = new Map<number, ChainRequest>();
  readonly #counts = new Map<string, number>();

  /** Takes a request that is not here yet. */
  add(request: ChainRequest): void {
    this.#byId.set(request.id, request);
    this.#count(request, 1);
  }

  /** Lets a request go; one that is not here is passed over. */
  remove({ id }: ChainRequest): void {
    const request = this.#byId.get(id);
    if (request === undefined) return;
    this.#byId.delete(id);
    this.#count(request, -1);
  }

  get(id: number): ChainRequest | undefined {
    return this.#byId.get(id);
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  values(): IterableIterator<ChainRequest> {
    return this.#byId.values();
  }

  /** Whether one of a kind is about somebody: the `about` of its details. */
  hasAbout(kind: string, about: string): boolean {
    return this.#counts.has(`${kind} ${about}`);
  }

  #count({ kind, details }: ChainRequest, change: 1 | -1): void {
    const key = `${kind} ${String(details.about)}`;
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
