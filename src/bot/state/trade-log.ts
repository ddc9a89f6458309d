import type { AccountChange } from "../../account/changes.js";
import type { StateStore } from "./state-dir.js";

/** The account's trades as a file of JSON lines: written before anything else hears of them, as {@link StateStore.append} promises. */
export const FILLS_FILE = "fills.jsonl";

/** Keeps every fill, its settlement and its failure in the state directory, one line each. */
export class TradeLog {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  note(change: Extract<AccountChange, { kind: "fill" | "settled" | "trade-failed" }>): void {
    if (this.#store.isDiscarded === true) return;
    const { trade } = change;
    const line = { event: change.kind, ...trade, quote: trade.quote.toString(), commission: trade.commission.toString() };
    this.#store.append(FILLS_FILE, JSON.stringify(line));
  }
}
