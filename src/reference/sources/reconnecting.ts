import { Observable, Subscription } from "rxjs";
import { describeThrown } from "../../core/describe-thrown.js";
import { ReconnectPauses, type ReconnectTimings } from "../../core/runtime/reconnect-pauses.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { PriceMessage } from "../price-message.js";
import type { PriceSource } from "./price-source.js";

/** Public servers ban clients that reconnect in a hurry. */
const DEFAULT_TIMINGS: ReconnectTimings = {
  reconnectMinMs: 500,
  reconnectMaxMs: 30_000,
  stableAfterMs: 10_000,
};

/**
 * A source that connects again whenever its connection ends: an error or the end of the connection
 * is a `down` with the reason, and the next attempt follows after a growing random pause.
 * @param connect one connection; subscribing opens it, unsubscribing closes it
 */
export function reconnecting(
  connect: () => Observable<PriceMessage>,
  runtime: Runtime,
  timings: Partial<ReconnectTimings> = {},
): PriceSource {
  return new Observable((subscriber) => {
    const pauses = new ReconnectPauses({ ...DEFAULT_TIMINGS, ...timings }, runtime);
    let connection = new Subscription();
    const open = (): void => {
      let isUp = false;
      connection = new Subscription();
      const end = (reason: string): void => {
        connection.unsubscribe();
        pauses.onFailure();
        subscriber.next({ type: "down", reason });
        if (subscriber.closed) return;
        const timer = runtime.clock.setTimer(pauses.nextMs(), open);
        connection = new Subscription(() => timer.cancel());
      };
      try {
        connection.add(
          connect().subscribe({
            next(message) {
              if (message.type === "price" && !isUp) {
                isUp = true;
                pauses.onUp();
              }
              subscriber.next(message);
            },
            error: (error: unknown) => end(describeThrown(error)),
            complete: () => end("ended by itself"),
          }),
        );
      } catch (error) {
        end(describeThrown(error));
      }
    };
    open();
    return () => connection.unsubscribe();
  });
}
