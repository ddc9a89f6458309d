import { RunError } from "../../core/errors.js";
import type { Clearing } from "../accounts/clearing.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { StreamSink } from "../streams/stream-sink.js";
import { AccountKeys } from "./account-keys.js";
import { DeferredSends } from "./deferred-sends.js";
import { buildIdentity, hasExistingState } from "./identity.js";
import type { RecordStore } from "./record-store.js";
import { restoreExchange } from "./restore-exchange.js";
import { StateWriter } from "./state-writer.js";

/**
 * An exchange's state in a store. An event's changes are committed before any response or stream
 * reports them. If the commit fails, they are never reported.
 */
export class DurableState {
  /** Records the changes of events. */
  readonly writer: StateWriter;
  /** True if the exchange continues an earlier process's state. */
  readonly isContinued: boolean;
  readonly #deferredSends = new DeferredSends();
  #failure: unknown = null;

  /**
   * Restores the store's state into a new exchange, or begins a new store.
   * @throws ConfigError when the store belongs to another exchange; FormatError when it is damaged;
   * RunError when it cannot be written
   */
  constructor(state: ExchangeState, clearing: Clearing, records: RecordStore) {
    const { config, markets } = state;
    this.isContinued = hasExistingState(records, config, markets.values());
    const { keys, hashNumber } = this.isContinued
      ? restoreExchange(state, clearing, records)
      : { keys: new AccountKeys(state), hashNumber: 1 };
    this.writer = new StateWriter(state, records, keys, hashNumber);
    this.writer.begin(buildIdentity(config, markets.values()));
  }

  /** Wraps a sink so that it sends nothing of an event before its commit. */
  deferSends(sink: StreamSink): StreamSink {
    return this.#deferredSends.wrapSink(sink);
  }

  /** An event begins. */
  begin(): void {
    this.#deferredSends.hold();
  }

  /**
   * Ends the event and commits it.
   * @throws RunError when the commit fails; nothing after that is stored or reported
   */
  end(): void {
    if (this.#failure !== null) {
      this.#deferredSends.discard();
      return;
    }
    try {
      this.writer.commit();
    } catch (error) {
      this.#failure = error;
      this.#deferredSends.discard();
      throw error;
    }
    this.#deferredSends.release();
  }

  /** True while every reported event has been committed. */
  get isIntact(): boolean {
    return this.#failure === null;
  }

  /** Abandons the current event: it and all later ones are neither stored nor reported. */
  abandon(error: unknown): void {
    this.#failure ??= error;
  }

  /**
   * @throws RunError after a failed commit: only a new process, which reads the store again, can
   * continue
   */
  requireIntact(): void {
    if (this.#failure !== null) {
      throw new RunError("the exchange's state could not be written", {
        expected: "a restart of the process",
        cause: this.#failure,
      });
    }
  }
}
