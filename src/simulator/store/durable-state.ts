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
 * An exchange's state in a store. What an event changes lasts before anybody is told of it, by an
 * answer or by a stream; if it cannot be made to last, nobody ever is.
 */
export class DurableState {
  /** Hears what events change. */
  readonly writer: StateWriter;
  /** Whether the exchange goes on from an earlier process. */
  readonly isContinued: boolean;
  readonly #deferredSends = new DeferredSends();
  #failure: unknown = null;

  /**
   * Puts the store's state into an exchange that has none yet, or begins a new store.
   * @throws ConfigError when the store is not this exchange's; FormatError when it is damaged;
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

  /** A sink that sends nothing of an event before the event lasts. */
  deferSends(sink: StreamSink): StreamSink {
    return this.#deferredSends.wrapSink(sink);
  }

  /** An event begins. */
  begin(): void {
    this.#deferredSends.hold();
  }

  /**
   * It is over.
   * @throws RunError when it cannot be made to last; whatever comes after that is neither kept nor
   * told
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

  /** Whether everything that was told lasts. */
  get isIntact(): boolean {
    return this.#failure === null;
  }

  /** Gives up on the event under way: nothing of it, or of what comes after it, is kept or told. */
  abandon(error: unknown): void {
    this.#failure ??= error;
  }

  /**
   * @throws RunError once something was lost: only a new process, which reads the store anew, can
   * go on
   */
  requireIntact(): void {
    if (this.#failure !== null) {
      throw new RunError("the exchange's state could not be written", {
        expected: "a new process",
        cause: this.#failure,
      });
    }
  }
}
