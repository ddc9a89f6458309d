import { describe, expect, it } from "vitest";
import type { OperationName } from "#exchange/operations.js";
import { guardStarts } from "./guarded-stage.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const ONE_A_SIDE = { BUY: 10, SELL: 10 };

/** A line that answers in the exchange's place: nothing of these requests arrives there. */
function swallowed(
  stage: Stage,
  operations: readonly OperationName[],
  status = 204,
  body = "",
): () => void {
  const ends = operations.map((what) =>
    stage.network.every(what, { is: "answered by a wall", status, body }),
  );
  return () => {
    for (const end of ends) end();
  };
}

/** Quotes elsewhere every second. */
async function requotes(stage: Stage, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const off = 10 * (1 + (second % 7));
    stage.wants({ bid: BID - off, ask: ASK + off });
    await stage.passes(1_000);
  }
}

describe("a line that answers cancels without passing them on", () => {
  it.each([
    ["a 204", 204, ""],
    ["an empty 200", 200, ""],
    [
      "a 2011 for orders that rest",
      400,
      '{"code":2011,"codeText":"No such order","message":"no such order"}',
    ],
  ])(
    "with %s: no slot is filled twice, and the market halts after one cancel-all",
    async (_name, status, body) => {
      const stage = new Stage();
      await stage.botStarts();
      const heal = swallowed(stage, ["cancelOrder", "cancelAllOpenOrders"], status, body);
      await requotes(stage, 60);

      expect(stage.mostAtOnce).toEqual(ONE_A_SIDE);
      expect(stage.halts()).toEqual(["revived-orders"]);
      expect(stage.saidOfHalt("revived-orders")).toMatch(/cancels may not reach it/);
      expect(stage.network.sentOf("cancelAllOpenOrders")).toHaveLength(1);
      expect(stage.network.sentOf("placeOrder"), "the first two quotes alone").toHaveLength(2);
      heal();
      await stage.passes(10_000);
      expect(stage.quotes(), "of a market that is halted, once cancels arrive").toEqual([]);
      stage.expectAgreement();
    },
  );

  it("and none at all for a while: the cancel-all is sent again until it is answered, and nothing is left open in a market that is halted", async () => {
    const stage = new Stage();
    await stage.botStarts();
    swallowed(stage, ["cancelOrder"]);
    const heal = swallowed(stage, ["cancelAllOpenOrders"], 503, "");
    await requotes(stage, 30);
    expect(stage.halts()).toEqual(["revived-orders"]);
    expect(stage.resting()).toHaveLength(2);
    heal();
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([]);
    const sent = stage.network.sentOf("cancelAllOpenOrders").length;
    await stage.passes(10_000);
    expect(stage.network.sentOf("cancelAllOpenOrders"), "once it was answered").toHaveLength(sent);
  });

  it("ends with the names of the orders that the exchange still shows", async () => {
    const stage = new Stage();
    await stage.botStarts();
    swallowed(stage, ["cancelOrder", "cancelAllOpenOrders"]);
    await requotes(stage, 30);

    const open = stage.resting().map(({ side, terms }) => ({ side, id: terms.id }));
    const { ordersLeft } = await stage.botStops();
    expect(
      ordersLeft
        .map(({ side, orderId, price, sizeBase }) => [side, orderId, price, sizeBase])
        .sort(),
    ).toEqual([
      ["BUY", open.find(({ side }) => side === "BUY")?.id, "59999", "0.01"],
      ["SELL", open.find(({ side }) => side === "SELL")?.id, "60001", "0.01"],
    ]);
  });

  it("one by one alone: the market's cancel-all ends them, and whoever resumes is quoted for again", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const heal = swallowed(stage, ["cancelOrder"]);
    await requotes(stage, 30);
    expect(stage.halts()).toEqual(["revived-orders"]);
    expect(stage.quotes()).toEqual([]);

    heal();
    stage.wants();
    stage.rig.bot.command({ command: "resume", marketId: MARKET });
    await stage.passes(3_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
    expect(stage.mostAtOnce).toEqual(ONE_A_SIDE);
    stage.expectAgreement();
  });

  it("as the bot leaves: the market's cancel-all ends them, and the end is clean", async () => {
    const stage = new Stage();
    await stage.botStarts();
    swallowed(stage, ["cancelOrder"]);

    expect(await stage.botStops()).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.quotes()).toEqual([]);
  });

  it("for a moment: the cancels are asked for again, and nothing halts", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const heal = swallowed(stage, ["cancelOrder"]);
    await requotes(stage, 3);
    heal();
    await requotes(stage, 10);

    expect(stage.saidOfHalt("revived-orders")).toBeUndefined();
    expect(stage.mostAtOnce).toEqual(ONE_A_SIDE);
    stage.expectAgreement();
  });
});

describe("a line that answers places without passing them on", () => {
  it("with a success that names no order of ours: nothing is quoted twice once it is well again", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const heal = swallowed(stage, ["placeOrder"], 200, "");
    await requotes(stage, 20);
    heal();
    await requotes(stage, 20);

    expect(stage.mostAtOnce).toEqual(ONE_A_SIDE);
    expect(stage.resting()).toHaveLength(2);
    stage.expectAgreement();
  });

  it("takes no refusal with a 200 for the exchange's: the order may rest all the same", async () => {
    const stage = new Stage();
    stage.wants({ bid: null, ask: null });
    await stage.botStarts();
    stage.network.stall("account");
    const body = '{"code":2012,"codeText":"Insufficient margin","message":"no margin"}';
    const end = stage.network.every("placeOrder", {
      is: "answered by a wall",
      status: 200,
      body,
      arrives: true,
    });
    stage.wants();
    await stage.passes(20_000);
    end();
    stage.network.restore("account");
    await stage.passes(10_000);

    expect(stage.mostAtOnce).toEqual(ONE_A_SIDE);
    stage.expectAgreement();
  });
});

describe("a line that answers cancel-alls without passing them on", () => {
  it("is not believed by the guard: it looks, and goes on until nothing is open", async () => {
    const stage = new Stage();
    const { network, notices } = guardStarts(stage);
    const heal = network.every("cancelAllOpenOrders", {
      is: "answered by a wall",
      status: 204,
      body: "",
    });
    await stage.botStarts();
    stage.botIsKilled();
    await stage.passes(20_000);
    expect(stage.resting()).toHaveLength(2);
    expect(notices.map(({ kind }) => kind)).not.toContain("safe");

    heal();
    await stage.passes(5_000);
    expect(stage.resting()).toEqual([]);
    expect(notices.at(-1)?.kind).toBe("safe");
  });
});
