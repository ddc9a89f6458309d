import { MarketwrightError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";
import type { Message } from "../message.js";

/** A service that takes messages. */
export interface Channel {
  /**
   * Sends a message, and resolves once the service has accepted it.
   * @throws DeliveryError if it has not
   */
  send(message: Message): Promise<void>;
  close(): void;
}

/** A message that a service has not accepted. */
export class DeliveryError extends MarketwrightError {
  /** True if this message will never be accepted, whatever the time. */
  readonly isRefused: boolean;
  /** How long the service wants to be left alone; undefined if it does not say. */
  readonly retryAfterMs: Ms | undefined;

  constructor(
    summary: string,
    {
      isRefused = false,
      retryAfterMs,
      cause,
    }: {
      readonly isRefused?: boolean;
      readonly retryAfterMs?: Ms | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(summary, { cause });
    this.isRefused = isRefused;
    this.retryAfterMs = retryAfterMs;
  }
}
