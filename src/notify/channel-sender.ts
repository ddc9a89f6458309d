import { describeThrown } from "../core/describe-thrown.js";
import { ReconnectPauses } from "../core/runtime/reconnect-pauses.js";
import type { Runtime, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { ChannelBacklog } from "./channel-backlog.js";
import { type Channel, DeliveryError } from "./channels/channel.js";
import type { Message } from "./message.js";

/** Pauses after a failure. */
const PAUSES = { reconnectMinMs: 1000, reconnectMaxMs: 300_000, stableAfterMs: 0 };
/** Pause between two messages: what a chat of each service takes without a limit. */
const GAP_MS: Ms = 1000;
/** Longest wait for a timer: a clock that was set must not delay a message for longer. */
const LONGEST_WAIT_MS: Ms = 60_000;

/** The log of a sender. */
export interface NotifierLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Dependencies of a {@link ChannelSender}. */
interface ChannelSenderDeps {
  readonly name: string;
  readonly channel: Channel;
  readonly backlog: ChannelBacklog;
  readonly runtime: Runtime;
  readonly log: NotifierLog;
  /** Called when the backlog has changed. */
  readonly onChange: () => void;
}

/** Sends what waits for one channel, one message at a time, for as long as that takes. */
export class ChannelSender {
  readonly #deps: ChannelSenderDeps;
  readonly #pauses: ReconnectPauses;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #underWay: Promise<void> | undefined;
  /** A message that failed is sent again as it was, with the same id. */
  #failed: Message | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(deps: ChannelSenderDeps) {
    this.#deps = deps;
    this.#pauses = new ReconnectPauses(PAUSES, deps.runtime);
  }

  get backlog(): ChannelBacklog {
    return this.#deps.backlog;
  }

  /** Sends what is due; call it when the backlog has got more. */
  wake(): void {
    if (this.#isStopped || this.#underWay !== undefined) return;
    this.#timer?.cancel();
    const { backlog, runtime } = this.#deps;
    const { clock } = runtime;
    const pauseMs = this.#notBeforeMs - clock.monotonicMs();
    if (this.#failed !== undefined && !backlog.isWaiting(this.#failed, clock.nowMs()))
      this.#failed = undefined;
    const message = pauseMs > 0 ? undefined : (this.#failed ?? backlog.next(clock.nowMs()));
    if (message === undefined) {
      const dueInMs = backlog.nextDueAtMs() - clock.nowMs();
      const waitMs = Math.max(pauseMs, this.#failed === undefined ? dueInMs : 0);
      if (waitMs === Number.POSITIVE_INFINITY) return;
      this.#timer = clock.setTimer(Math.min(LONGEST_WAIT_MS, Math.max(1, Math.ceil(waitMs))), () =>
        this.wake(),
      );
      return;
    }
    this.#underWay = this.#send(message).finally(() => {
      this.#underWay = undefined;
      this.wake();
    });
  }

  /** True while something could be sent now. */
  get isBusy(): boolean {
    const { backlog, runtime } = this.#deps;
    return (
      this.#underWay !== undefined ||
      (!this.#isFailing && backlog.nextDueAtMs() <= runtime.clock.nowMs())
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#deps.channel.close();
  }

  async #send(message: Message): Promise<void> {
    const { name, channel, backlog, runtime, log, onChange } = this.#deps;
    try {
      await channel.send(message);
      if (this.#isFailing) log.info({ channel: name }, "the channel takes messages again");
      this.#isFailing = false;
      this.#failed = undefined;
      this.#pauses.reset();
      this.#notBeforeMs = runtime.clock.monotonicMs() + GAP_MS;
      backlog.onDelivered(message);
      onChange();
    } catch (error) {
      if (!this.#isStopped) this.#onFailure(message, error);
    }
  }

  #onFailure(message: Message, error: unknown): void {
    const { name, backlog, runtime, log, onChange } = this.#deps;
    const reason = describeThrown(error);
    const isRefused = error instanceof DeliveryError && error.isRefused;
    this.#pauses.onFailure();
    const askedMs = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.max(this.#pauses.nextMs(), askedMs);
    this.#notBeforeMs = runtime.clock.monotonicMs() + pauseMs;
    if (isRefused) {
      log.warn({ channel: name, reason }, "the channel refuses a message: it is dropped");
      this.#failed = undefined;
      backlog.onRefused(message);
      onChange();
      return;
    }
    const fields = { channel: name, reason, waiting: backlog.size, retryInMs: pauseMs };
    if (!this.#isFailing) log.warn(fields, "a channel takes no message: it is tried again");
    this.#isFailing = true;
    this.#failed = message;
  }
}
