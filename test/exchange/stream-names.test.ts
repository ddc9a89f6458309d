import { describe, expect, it } from "vitest";
import { KLINE_INTERVALS } from "#exchange/parameters.js";
import { formatStreamName, type MarketStream, parseStreamName } from "#exchange/stream-names.js";

describe("the name of a market stream", () => {
  const streams: readonly MarketStream[] = [
    { marketId: "btcusdc", kind: "orderbook" },
    { marketId: "btcusdc", kind: "market" },
    { marketId: "btcusdc", kind: "trades" },
    ...KLINE_INTERVALS.map(
      (interval) => ({ marketId: "ethusdc", kind: "kline", interval }) as const,
    ),
  ];

  it("is read back as what it was made from, a minute never as a month", () => {
    for (const stream of streams) expect(parseStreamName(formatStreamName(stream))).toEqual(stream);
    expect(parseStreamName("ethusdc@kline1m")).toEqual({
      marketId: "ethusdc",
      kind: "kline",
      interval: "1M",
    });
    expect(parseStreamName("ethusdc@kline1mo")).toEqual({
      marketId: "ethusdc",
      kind: "kline",
      interval: "1MO",
    });
  });

  it("is of no stream where it names none", () => {
    for (const name of [
      "",
      "btcusdc",
      "@market",
      "btcusdc@",
      "btcusdc@depth",
      "btcusdc@kline",
      "btcusdc@kline3M",
      "btcusdc@kline1Mo",
    ]) {
      expect(parseStreamName(name)).toBeUndefined();
    }
  });
});
