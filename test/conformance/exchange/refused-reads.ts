import type { Fields, Trader } from "./world.js";

/** Limits that every list refuses, requested as candles of a minute. */
export const WRONG_LIMITS = ["501", "0", "-1", "text", "1.5", "1e2"].map((limit) => ({
  marketId: "btcusdc",
  interval: "1M",
  limit,
}));

/** The codes with which reads are refused, one after the other; 200 where one is not. */
export const codes = async (
  trader: Trader,
  path: string,
  fieldsList: readonly Fields[],
): Promise<number[]> => {
  const found: number[] = [];
  for (const fields of fieldsList) {
    const { status, json } = await trader.read(path, fields);
    found.push(status === 200 ? 200 : json.code);
  }
  return found;
};
