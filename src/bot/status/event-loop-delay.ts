import type { Bot } from "../engine/bot.js";

/** Delays of the event loop, in `status`: how late the bot's periodic check fires. */
export interface EventLoopDelay {
  /** Of the newest check. */
  readonly last: number;
  /** The 99th percentile of the newest 600 checks, one minute. */
  readonly p99: number;
}

/** The delays of a bot's event loop, in ms. */
export function readEventLoopDelay({ context }: Bot): EventLoopDelay {
  const { delays } = context.loopLag;
  return { last: toTenth(delays.lastMs), p99: toTenth(delays.quantileMs(0.99)) };
}

function toTenth(ms: number): number {
  return Math.round(10 * ms) / 10;
}
