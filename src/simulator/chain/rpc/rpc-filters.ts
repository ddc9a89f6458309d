import type { EmbeddedChain } from "../embedded-chain.js";
import type { RpcOutcome } from "../rpc-outcome.js";

const MOST_FILTERS = 256;
const MAKES = new Set(["eth_newBlockFilter", "eth_newFilter", "eth_newPendingTransactionFilter"]);
const USES = new Set(["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"]);

/**
 * The filters of a port. Clients abandon filters without removing them, and each collects events.
 * Above a maximum, the least recently polled filter is dropped.
 */
export class RpcFilters {
  readonly #chain: EmbeddedChain;
  /** Least recently polled first. */
  readonly #ids = new Set<unknown>();

  constructor(chain: EmbeddedChain) {
    this.#chain = chain;
  }

  /** Carries out a request, for filters or any other. */
  async handle(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const id = params[0];
    if (USES.has(method)) {
      if (!this.#ids.delete(id)) {
        return method === "eth_uninstallFilter"
          ? { result: false }
          : { error: { code: -32000, message: "filter not found" } };
      }
      if (method !== "eth_uninstallFilter") this.#ids.add(id);
    }
    const outcome = await this.#chain.handle(method, params);
    if (MAKES.has(method) && "result" in outcome) await this.#add(outcome.result);
    return outcome;
  }

  async #add(id: unknown): Promise<void> {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size <= MOST_FILTERS) return;
    this.#ids.delete(oldest);
    await this.#chain.handle("eth_uninstallFilter", [oldest]);
  }
}
