import { Observable, type OperatorFunction } from "rxjs";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { ConflatedMessage, PriceMessage } from "./price-message.js";

type Price = Extract<PriceMessage, { readonly type: "price" }>;

/**
 * Passes the newest price at most once every `minGapMs`: the first one at once, a later one when
 * the gap is over. Older prices that wait are dropped. `down` passes at once, and drops the price
 * that waits.
 */
export function conflate(
  minGapMs: Ms,
  clock: Clock,
): OperatorFunction<PriceMessage, ConflatedMessage> {
  return (messages$) =>
    new Observable((subscriber) => {
      let passedMs = Number.NEGATIVE_INFINITY;
      let waiting: { readonly price: Price; readonly receivedMs: Ms } | undefined;
      let timer: Timer | undefined;
      const drop = (): void => {
        timer?.cancel();
        timer = undefined;
        waiting = undefined;
      };
      const pass = (price: Price, receivedMs: Ms, nowMs: Ms): void => {
        passedMs = nowMs;
        subscriber.next({ ...price, heldMs: nowMs - receivedMs });
      };
      const passWaiting = (): void => {
        timer = undefined;
        if (waiting === undefined) return;
        const nowMs = clock.monotonicMs();
        // A timer of the machine may fire a fraction of a millisecond early.
        if (nowMs - passedMs < minGapMs) return wait(nowMs);
        const { price, receivedMs } = waiting;
        waiting = undefined;
        pass(price, receivedMs, nowMs);
      };
      const wait = (nowMs: Ms): void => {
        timer ??= clock.setTimer(Math.ceil(passedMs + minGapMs - nowMs), passWaiting);
      };
      const subscription = messages$.subscribe({
        next(message) {
          if (message.type === "down") {
            drop();
            subscriber.next(message);
            return;
          }
          const nowMs = clock.monotonicMs();
          if (nowMs - passedMs >= minGapMs) {
            drop();
            pass(message, nowMs, nowMs);
          } else {
            waiting = { price: message, receivedMs: nowMs };
            wait(nowMs);
          }
        },
        error(error) {
          drop();
          subscriber.error(error);
        },
        complete() {
          drop();
          subscriber.complete();
        },
      });
      return () => {
        drop();
        subscription.unsubscribe();
      };
    });
}
