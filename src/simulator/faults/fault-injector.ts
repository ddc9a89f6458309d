import type { Clock } from "../../core/runtime/runtime.js";
import type { ApiResponse } from "../rest/api-error.js";
import type { StreamRefusal, StreamSink } from "../streams/stream-sink.js";
import type { FaultableRequest, FaultableStream } from "./fault-format.js";
import { FaultSchedule } from "./fault-schedule.js";
import type { Fault } from "./fault-shape.js";
import { FaultyStream } from "./faulty-stream.js";
import { PendingTimers } from "./pending-timers.js";
import { type FaultyAnswer, RequestFaults } from "./request-faults.js";
import { strikeUpgrade } from "./upgrade-faults.js";

/** Options of a {@link FaultInjector}. */
export interface FaultInjectorOptions {
  readonly seed: string | number;
  readonly faults?: readonly Fault[];
}

/**
 * The faults of a server: every interface of the exchange passes its requests and its streams
 * through the same one. Without any fault both pass unchanged.
 */
export class FaultInjector {
  readonly schedule: FaultSchedule;
  readonly #clock: Clock;
  readonly #timers: PendingTimers;
  readonly #requests: RequestFaults;

  /** The windows of the faults count from now. */
  constructor(clock: Clock, { seed, faults = [] }: FaultInjectorOptions) {
    this.#clock = clock;
    this.schedule = new FaultSchedule(clock, seed, faults);
    this.#timers = new PendingTimers(clock);
    this.#requests = new RequestFaults(this.schedule, this.#timers);
  }

  /** Answers a request, unless a fault decides otherwise. */
  answer(
    request: FaultableRequest,
    act: () => ApiResponse | Promise<ApiResponse>,
  ): FaultyAnswer | Promise<FaultyAnswer> {
    return this.#requests.answer(request, act);
  }

  /** Returns the sink for the stream, in place of the one over the socket. */
  wrap(sink: StreamSink, stream: FaultableStream): StreamSink {
    const { schedule } = this;
    return new FaultyStream({ sink, stream, schedule, clock: this.#clock, timers: this.#timers });
  }

  /**
   * Answers the handshake of a stream, unless a fault decides otherwise.
   * @param open called at once, or after a delay, or not at all.
   * @returns `waits` if the handshake has no answer yet, or never gets one.
   */
  upgrade(stream: FaultableStream, open: () => void): "opened" | "waits" | StreamRefusal {
    const fault = strikeUpgrade(this.schedule, stream);
    if (fault === undefined) {
      open();
      return "opened";
    }
    if (fault !== "no-answer" && "refused" in fault) return fault;
    if (fault !== "no-answer") this.#timers.set(fault.delayMs, open);
    return "waits";
  }

  /** Drops everything that is delayed. */
  close(): void {
    this.#timers.close();
  }
}
