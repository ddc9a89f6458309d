import type { Tape } from "#history/tape.js";

/**
 * Reads every stamp of both clocks, price and amount of a tape once and does nothing with them. No
 * other pass over the columns is faster here.
 */
export function scanColumns({
  messages,
  exchangeUs,
  localUs,
  kind,
  rowEnd,
  signedTicks,
  lots,
}: Tape): number {
  let sum = 0;
  let row = 0;
  for (let message = 0; message < messages; message++) {
    sum +=
      (exchangeUs[message] as number) + (localUs[message] as number) + (kind[message] as number);
    for (const end = rowEnd[message] as number; row < end; row++)
      sum += (signedTicks[row] as number) + (lots[row] as number);
  }
  return sum;
}
