import type { ApiResponse } from "../rest/api-error.js";
import type { FaultableRequest } from "./fault-format.js";
import { drawDelayMs, type FaultSchedule, type Strike } from "./fault-schedule.js";
import type { Fault, FaultKind } from "./fault-shape.js";
import type { PendingTimers } from "./pending-timers.js";
import { strikesAccount } from "./strikes-account.js";

/** The longest time that an answer waits for another one to overtake it. */
const LONGEST_HOLD_MS = 1000;

/**
 * The answer that the server sends. Or it sends nothing: the connection then stays (`no-answer`),
 * or ends (`connection-lost`).
 */
export type FaultyAnswer = ApiResponse | "no-answer" | "connection-lost";

/** Strikes HTTP requests, before the exchange acts and after it. */
export class RequestFaults {
  readonly #schedule: FaultSchedule;
  readonly #timers: PendingTimers;
  /** Lets the held answer of `answers-swapped` leave. */
  #releaseHeld: (() => void) | undefined;

  constructor(schedule: FaultSchedule, timers: PendingTimers) {
    this.#schedule = schedule;
    this.#timers = timers;
  }

  /**
   * Answers a request.
   * @param act has the exchange carry the request out. Called at once or later, and not at all or
   * twice, as the faults have it.
   */
  answer(
    request: FaultableRequest,
    act: () => ApiResponse | Promise<ApiResponse>,
  ): FaultyAnswer | Promise<FaultyAnswer> {
    return this.#schedule.isIdle && this.#releaseHeld === undefined
      ? act()
      : this.#strike(request, act);
  }

  async #strike(
    request: FaultableRequest,
    act: () => ApiResponse | Promise<ApiResponse>,
  ): Promise<FaultyAnswer> {
    const applies = (fault: Fault): boolean => appliesTo(fault, request);
    const strike = <Kind extends FaultKind>(kind: Kind): Strike<Kind> | undefined =>
      this.#schedule.strike(kind, applies);
    const lost = strike("connection-lost");
    if (lost !== undefined) {
      if (lost.random.uniform() < lost.fault.actedShare) await act();
      return "connection-lost";
    }
    if (strike("request-lost") !== undefined) return "no-answer";
    const late = strike("request-delayed");
    if (late !== undefined) await this.#timers.wait(drawDelayMs(late));
    for (const [kind, status] of [
      ["storm-429", 429],
      ["storm-418", 418],
    ] as const) {
      const storm = strike(kind);
      if (storm !== undefined) return request.refuse(status, storm.fault.retryAfterSeconds);
    }
    const failure = strike("storm-5xx");
    if (failure !== undefined) {
      if (failure.random.uniform() < failure.fault.actedShare) await act();
      return request.fail(failure.fault.status);
    }
    const answering = act();
    const repeated = strike("request-duplicated");
    // Only the first copy is answered: a proxy that repeats a request drops the other answer.
    if (repeated !== undefined) this.#timers.set(drawDelayMs(repeated), () => void act());
    const answer = answering instanceof Promise ? await answering : answering;
    if (strike("answer-lost") !== undefined) return "no-answer";
    const delayed = strike("answer-delayed");
    if (delayed !== undefined) await this.#timers.wait(drawDelayMs(delayed));
    await this.#swap(() => strike("answers-swapped") !== undefined);
    return strike("answer-garbled") === undefined
      ? answer
      : { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
  }

  /** Holds an answer until the next one has left, or lets it leave and then the held one. */
  async #swap(isStruck: () => boolean): Promise<void> {
    const release = this.#releaseHeld;
    if (release !== undefined) {
      this.#releaseHeld = undefined;
      this.#timers.set(1, release);
      return;
    }
    if (!isStruck()) return;
    await new Promise<void>((resolve) => {
      this.#releaseHeld = resolve;
      this.#timers.set(LONGEST_HOLD_MS, () => {
        if (this.#releaseHeld === resolve) this.#releaseHeld = undefined;
        resolve();
      });
    });
  }
}

function appliesTo(fault: Fault, request: FaultableRequest): boolean {
  const { method, path } = request;
  if (!("endpoints" in fault) && "streams" in fault) return false;
  const endpoints = "endpoints" in fault ? fault.endpoints : undefined;
  if (
    endpoints !== undefined &&
    !endpoints.includes(path) &&
    !endpoints.includes(`${method} ${path}`)
  )
    return false;
  return strikesAccount(fault, request.interface, () => request.account());
}
