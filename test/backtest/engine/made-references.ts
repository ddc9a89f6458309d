import type { ReferenceTape } from "#history/reference-tape.js";

/** A message of a source: its reception in microseconds, and its prices or the reason of `down`. */
export type MadeMessage =
  | readonly [atUs: number, bid: number, ask: number, sourceMs?: number]
  | readonly [atUs: number, down: string];

/** The columns of some messages. */
export function referenceTape(messages: readonly MadeMessage[]): ReferenceTape {
  const price = (column: 1 | 2) =>
    Float64Array.from(messages, (message) =>
      Number(message.length === 2 ? "NaN" : message[column]),
    );
  return {
    localUs: Float64Array.from(messages, ([atUs]) => atUs),
    sourceMs: Float64Array.from(messages, (message) => message[3] ?? Number.NaN),
    bid: price(1),
    ask: price(2),
    downs: messages.flatMap((message, row) =>
      message.length === 2 ? [{ row, reason: message[1] }] : [],
    ),
  };
}
