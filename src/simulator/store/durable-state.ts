import { RunError } from "../../core/errors.js";
import type { Clearing } from "../accounts/clearing.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { StreamSink } from "../streams/stream-sink.js";
import { AccountKeys } from "./account-keys.js";
import { HeldSends } from "./deferred-sends.js";
import { identityOf, isContinued } from "./identity.js";
import type { RecordStore } from "./record-store.js";
import { restoreExchange } from "./restore-exchange.js";
import { StateKeeper } from "./state-writer.js";

/**
 * An exchange's state in a store. What an event changes lasts before anybody is told of it, by an answer or by a stream; if it
 * cannot be made to last, nobody ever is.
 */
export class LastingState {
  /** Hears what events change. */
  readonly keeper: StateKeeper;
  /** Whether the exchange goes on from an earlier process. */
  readonly isContinued: boolean;
  readonly #held = new HeldSends();
  #failure: unknown = null;

  /**
   * Puts the store's state into an exchange that has none yet, or begins a new store.
   * @throws ConfigError when the store is not this exchange's; FormatError when it is damaged; RunError when it cannot be written
   */
  constructor(state: ExchangeState, clearing: Clearing, records: RecordStore) {
    const { config, markets } = state;
    this.isContinued = isContinued(records, config, markets.values());
    const { keys, hashNumber } = this.isContinued
      ? restoreExchange(state, clearing, records)
      : { keys: new AccountKeys(state), hashNumber: 1 };
    this.keeper = new StateKeeper(state, records, keys, hashNumber);
    this.keeper.begin(identityOf(config, markets.values()));
  }

  /** A sink that sends nothing of an event before the event lasts. */
  over(sink: StreamSink): StreamSink {
    return this.#held.over(sink);
  }

  /** An event begins. */
  begin(): void {
    this.#held.hold();
  }

  /** It is over. @throws RunError when it cannot be made to last; whatever comes after that is neither kept nor told */
  end(): void {
    if (this.#failure !== null) {
      this.#held.discard();
      return;
    }
    try {
      this.keeper.commit();
    } catch (error) {
      this.#failure = error;
      this.#held.discard();
      throw error;
    }
    this.#held.release();
  }

  /** Whether everything that was told lasts. */
  get isSound(): boolean {
    return this.#failure === null;
  }

  /** Gives up on the event under way: nothing of it, or of what comes after it, is kept or told. */
  abandon(error: unknown): void {
    this.#failure ??= error;
  }

  /** @throws RunError once something was lost: only a new process, which reads the store anew, can go on */
  requireSound(): void {
    if (this.#failure !== null) {
      throw new RunError("the exchange's state could not be written", {
        expected: "a new process",
        cause: this.#failure,
      });
    }
  }
}
