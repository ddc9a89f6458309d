import { describe, expect, it } from "vitest";
import type { OperationName } from "#exchange/operations.js";
import { BOTH, quotingStage } from "./quoting-stage.js";
import { ASK, BID } from "./stage.js";

const TEN_MEGABYTES = 10 * 1024 * 1024;

describe("answers of nonsense", () => {
  const ASKED: readonly OperationName[] = [
    "time",
    "exchangeInfo",
    "openOrders",
    "historyOrders",
    "userTrades",
    "incomes",
    "balances",
    "orderbook",
  ];
  const BODIES: readonly (readonly [string, number, string])[] = [
    ["nothing", 200, ""],
    ["no JSON", 200, "<html>login</html>"],
    ["half of one", 200, '[{"id":17,"marketId":"btc'],
    ["null", 200, "null"],
    ["a text", 200, '"ok"'],
    ["a number", 200, "1e400"],
    ["a list of nothing", 200, "[null,[],{}]"],
    ["an object of nothing", 200, "{}"],
    [
      "absurd numbers",
      200,
      '{"serverTime":1e300,"sequence":-1,"markets":[{}],"balances":{"netValue":"1e99"},"positions":[1]}',
    ],
    ["an error without a code", 400, '{"message":"no"}'],
    ["an error of nonsense", 400, '{"code":"x","codeText":[],"message":{}}'],
    ["a redirect", 302, "<html>moved</html>"],
    ["ten megabytes", 200, `[${"[],".repeat(TEN_MEGABYTES / 3)}[]]`],
  ];

  it.each(BODIES)(
    "to every question, %s: nothing throws, and the bot agrees with the exchange afterwards",
    async (_name, status, body) => {
      const stage = await quotingStage();
      const ends = ASKED.map((what) =>
        stage.network.every(what, { is: "answered by a wall", status, body }),
      );
      stage.network.drop("account");
      await stage.passes(8_000);
      expect(stage.quotes(), "an account that nobody confirms is not quoted on").toEqual([]);
      stage.counterparty.rests("BUY", 1, BID - 500);
      await stage.passes(2_000);
      for (const end of ends) end();
      await stage.passes(70_000);

      expect(stage.quotes()).toEqual(BOTH);
      expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
      stage.expectAgreement();
    },
  );

  it.each(BODIES)(
    "to places, %s: unknown, resolved by asking, never two in a slot",
    async (_name, status, body) => {
      const stage = await quotingStage();
      for (const arrives of [true, false, true]) {
        for (let side = 0; side < 2; side++)
          stage.network.next("placeOrder", { is: "answered by a wall", status, body, arrives });
        stage.wants({ bid: BID - 50, ask: ASK + 50 });
        await stage.passes(20_000);
        stage.wants();
        await stage.passes(20_000);
      }
      expect(stage.quotes()).toEqual(BOTH);
      expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
      stage.expectAgreement();
    },
  );

  it.each([...BODIES, ["a success that was never passed on", 204, ""]] as const)(
    "to cancels, %s: the order counts until it is known to be gone, never two in a slot",
    async (_name, status, body) => {
      const stage = await quotingStage();
      for (const arrives of [true, false]) {
        for (let side = 0; side < 2; side++)
          stage.network.next("cancelOrder", { is: "answered by a wall", status, body, arrives });
        stage.wants({ bid: BID - 50, ask: ASK + 50 });
        await stage.passes(30_000);
        stage.wants();
        await stage.passes(30_000);
      }
      expect(stage.quotes()).toEqual(BOTH);
      expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
      stage.expectAgreement();
    },
  );

  it.each([
    ["a thousand years ahead", 31_536_000_000_000],
    ["a year back", -31_536_000_000],
  ])(
    "an hour of the exchange's clock that is %s, told once: quotes come down, and everything goes on afterwards",
    async (_name, offMs) => {
      const stage = await quotingStage();
      stage.network.next("time", {
        is: "rewritten",
        body: (body) => body.replace(/\d+/, (ms) => String(Number(ms) + offMs)),
      });
      await stage.passes(65_000);
      expect(stage.saidOfHalt("clock-offset")).toBeDefined();
      await stage.passes(60_000);

      expect(stage.quotes()).toEqual(BOTH);
      stage.counterparty.sells(3, BID);
      stage.network.drop("account");
      await stage.passes(60_000);
      expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
      stage.expectAgreement();
    },
  );
});
