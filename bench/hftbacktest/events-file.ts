import { writeFileSync } from "node:fs";
import { type Tape, TapeKind } from "#history/tape.js";

/**
 * Flags of hftbacktest's events (its documentation, "Data"): the event and its side. Its own
 * preparation determines which clock sees a row.
 */
const FLAGS = { depth: 1n, trade: 2n, clear: 3n, snapshot: 4n, buy: 1n << 29n, sell: 1n << 28n };

/**
 * Writes a tape as columns of 64-bit words, one column after the other: flags, exchange
 * nanoseconds, local nanoseconds, price, amount. A snapshot first clears each of its sides down to
 * its worst price.
 */
export function writeEvents(path: string, tape: Tape): void {
  const flags: bigint[] = [];
  const [exchangeNs, localNs]: [bigint[], bigint[]] = [[], []];
  const [price, amount]: [number[], number[]] = [[], []];
  const [ticksAUnit, lotsAUnit] = [
    Math.round(1 / Number(tape.tickSize)),
    Math.round(1 / Number(tape.stepSize)),
  ];
  const add = (message: number, flag: bigint, signedTicks: number, lots: number): void => {
    flags.push(flag | (signedTicks > 0 ? FLAGS.buy : FLAGS.sell));
    exchangeNs.push(BigInt(tape.exchangeUs[message] as number) * 1000n);
    localNs.push(BigInt(tape.localUs[message] as number) * 1000n);
    price.push(Math.abs(signedTicks) / ticksAUnit);
    amount.push(lots / lotsAUnit);
  };
  let from = 0;
  for (let message = 0; message < tape.messages; message++) {
    const to = tape.rowEnd[message] as number;
    const kind = tape.kind[message];
    if (kind === TapeKind.bookSnapshot)
      for (const worst of worstOf(tape.signedTicks.subarray(from, to)))
        add(message, FLAGS.clear, worst, 0);
    const flag =
      kind === TapeKind.trade
        ? FLAGS.trade
        : kind === TapeKind.bookSnapshot
          ? FLAGS.snapshot
          : FLAGS.depth;
    for (let row = from; row < to; row++)
      add(message, flag, tape.signedTicks[row] as number, tape.lots[row] as number);
    from = to;
  }
  const columns = [
    BigUint64Array.from(flags),
    BigInt64Array.from(exchangeNs),
    BigInt64Array.from(localNs),
    Float64Array.from(price),
  ];
  const bytes = [...columns, Float64Array.from(amount)].map(({ buffer }) => new Uint8Array(buffer));
  writeFileSync(path, Buffer.concat(bytes));
}

/**
 * The worst bid and the worst ask of a snapshot's rows, for each side present. Both have the least
 * key of their sign.
 */
function worstOf(signedTicks: Int32Array): number[] {
  let [bid, ask] = [Number.POSITIVE_INFINITY, 0];
  for (const ticks of signedTicks) {
    if (ticks > 0) bid = Math.min(bid, ticks);
    else ask = Math.min(ask, ticks);
  }
  return [...(bid === Number.POSITIVE_INFINITY ? [] : [bid]), ...(ask === 0 ? [] : [ask])];
}
