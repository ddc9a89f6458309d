import { Subscription } from "rxjs";
import type { ChainRpc } from "../../../chain/rpc/chain-rpc.js";
import { describeThrown } from "../../../core/describe-thrown.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import { conflate } from "../../../reference/conflate.js";
import type { ConflatedMessage } from "../../../reference/price-message.js";
import type { ReferenceUpdate } from "../../../reference/reference-update.js";
import type { PreparedSource } from "./prepare-sources.js";

/** A source that is down says so again at most this often: its messages may be a flood. */
const DOWN_AGAIN_MS: Ms = 1000;

/** Dependencies of {@link LiveReferences}. */
export interface LiveReferencesDeps {
  readonly sources: readonly PreparedSource[];
  readonly clock: Clock;
  /** Opens the chain if a source is read through it. This class closes it. */
  readonly openChain: () => Pick<ChainRpc, "head" | "read" | "close">;
  /** The input of the bot. */
  readonly accept: (update: ReferenceUpdate) => void;
  /** Writes some of the repeated lines only. */
  readonly write: (
    level: "info" | "warn",
    text: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
}

/** The live sources of a run's reference prices: each one's newest price becomes an input. */
export class LiveReferences {
  readonly #deps: LiveReferencesDeps;
  readonly #subscriptions: { readonly name: string; readonly subscription: Subscription }[] = [];
  readonly #chain: ReturnType<LiveReferencesDeps["openChain"]> | undefined;

  /** Connects nothing yet. @throws as `openChain` does */
  constructor(deps: LiveReferencesDeps) {
    this.#deps = deps;
    const needsChain = deps.sources.some((source) => source.needsChain);
    this.#chain = needsChain ? deps.openChain() : undefined;
  }

  /** Connects every source. */
  start(): void {
    const { sources, clock } = this.#deps;
    for (const source of sources) {
      const subscription = new Subscription();
      this.#subscriptions.push({ name: source.name, subscription });
      const next = this.#listener(source.name);
      subscription.add(
        source
          .open(this.#chain)
          .pipe(conflate(source.minGapMs, clock))
          .subscribe({
            next,
            // No source ends by itself; one that did would otherwise seem to be up.
            error: (error: unknown) => next({ type: "down", reason: describeThrown(error) }),
          }),
      );
    }
  }

  /** Closes every source at once, and does not wait for any. */
  close(): void {
    for (const { name, subscription } of this.#subscriptions) {
      try {
        subscription.unsubscribe();
      } catch (error) {
        // The code that closes a source of the user's failed: the others are closed too.
        this.#deps.write("warn", `the source ${name} failed while it closed`, {
          error: describeThrown(error),
        });
      }
    }
    this.#chain?.close().catch(() => undefined);
  }

  #listener(source: string): (message: ConflatedMessage) => void {
    const { clock, accept, write } = this.#deps;
    let isUp = false;
    let downMs = Number.NEGATIVE_INFINITY;
    return (message) => {
      if (message.type === "price") {
        if (!isUp) write("info", `the source ${source} sends prices`, {});
        isUp = true;
        accept({ ...message, source });
        return;
      }
      const nowMs = clock.monotonicMs();
      const isRepeated = !isUp && nowMs - downMs < DOWN_AGAIN_MS;
      isUp = false;
      if (isRepeated) return;
      downMs = nowMs;
      write("warn", `the source ${source} is down`, { reason: message.reason });
      accept({ ...message, source });
    };
  }
}
