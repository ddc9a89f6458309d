import { expect } from "vitest";
import { conforms } from "../conforms.js";
import { INCOME, ORDER, PUBLIC_TRADE, text, USER_TRADE } from "./examples.js";
import { scripted } from "./world.js";

/** An exchange's list of records, one a second, three at one instant. */
function pagesOf(key: "time" | "createdAt", record: object) {
  const all = Array.from({ length: 12 }, (_, place) => ({
    ...record,
    id: place + 1,
    [key]: 1_700_000_000_000 + Math.floor(place / 3) * 1000,
  }));
  return (params: Readonly<Record<string, string>>): string => {
    const start = Number(params.startTime ?? 0);
    const end = Number(params.endTime ?? Number.MAX_SAFE_INTEGER);
    const from = Number(params.fromId ?? 0);
    const inside = all.filter(
      (one) =>
        Number((one as Record<string, unknown>)[key]) >= start &&
        Number((one as Record<string, unknown>)[key]) < end &&
        one.id >= from,
    );
    const limit = Number(params.limit);
    return text(
      params.startTime === undefined && params.fromId === undefined
        ? inside.slice(-limit)
        : inside.slice(0, limit),
    );
  };
}

conforms(
  "G7",
  "client",
  "gives whole histories oldest first, over as many pages as there are, no record twice and none left out",
  async () => {
    const { client, sent } = scripted({
      "GET /v1/historicalTrades": pagesOf("time", PUBLIC_TRADE),
      "GET /v1/userTrades": pagesOf("time", USER_TRADE),
      "GET /v1/incomes": pagesOf("time", INCOME),
      "GET /v1/historyOrders": pagesOf("createdAt", { ...ORDER, status: "FILLED" }),
    });
    const ids = async (records: AsyncIterable<{ readonly id: string }>): Promise<number[]> => {
      const found: number[] = [];
      for await (const { id } of records) found.push(Number(id));
      return found;
    };
    const market = { marketId: "btcusdc", pageSize: 5 };
    const whole = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    expect(await ids(client.all.historicalTrades(market))).toEqual(whole);
    expect(await ids(client.all.userTrades(market))).toEqual(whole);
    expect(await ids(client.all.incomes(market))).toEqual(whole);
    expect(await ids(client.all.historyOrders(market))).toEqual(whole);
    expect(
      await ids(
        client.all.userTrades({
          ...market,
          startTime: 1_700_000_001_000,
          endTime: 1_700_000_003_000,
        }),
      ),
    ).toEqual([4, 5, 6, 7, 8, 9]);
    expect(sent.length).toBeGreaterThan(10);
  },
);

conforms("G7", "client", "will not read on where a list by id does not ascend", async () => {
  const backwards = [3, 2, 1].map((id) => ({ ...PUBLIC_TRADE, id }));
  const { client } = scripted({ "GET /v1/historicalTrades": text(backwards) });
  const read = async () => {
    for await (const _ of client.all.historicalTrades({ marketId: "btcusdc" }));
  };
  await expect(read()).rejects.toMatchObject({
    operation: "historicalTrades",
    message: expect.stringContaining("not ascending"),
  });
});
