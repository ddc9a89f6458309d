import { afterEach, describe, expect, it } from "vitest";
import type { ApiResponse } from "#simulator/api-error.js";
import { encode, KEYS, ReferenceClient } from "../reference-client.js";
import { ChainWorld, type ChainWorldOptions } from "./chain-world.js";

let world: ChainWorld | undefined;

afterEach(async () => {
  await world?.open.close();
  world = undefined;
});

/** An exchange with a block interval, and a client that has not registered. */
async function fresh(intervalMs: number, config: ChainWorldOptions["config"] = {}) {
  const made = await ChainWorld.open({
    config: { ...config, chain: { rpc: null, accounts: { count: 0 }, blocks: { intervalMs } } },
  });
  world = made;
  const { exchange, clock } = made;
  const client = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[0]);
  const post = (path: string, parameters: Record<string, string>) => {
    const waiting: { answer?: ApiResponse; atMs?: number } = {};
    const body = encode(parameters);
    const request = {
      method: "POST",
      path,
      query: "",
      body,
      contentType: "application/x-www-form-urlencoded",
      ip: client.ip,
    };
    void Promise.resolve(exchange.respond(request)).then((answer) =>
      Object.assign(waiting, { answer, atMs: clock.nowMs() }),
    );
    return waiting;
  };
  const register = () => post("/v1/account", client.signed());
  /**
   * Advances time in small steps, and the chain with it, until a condition holds; gives up after
   * ten minutes of the clock.
   */
  const until = async (isSo: () => boolean) => {
    for (let step = 0; step < 6000 && !isSo(); step += 1) {
      await clock.runFor(100);
      await made.open.waitUntilSettled();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isSo()).toBe(true);
  };
  return { ...made, exchange, clock, client, post, register, until };
}

describe("an account that registers on a chain", () => {
  it("gets its response when its credit counts, so that its immediate first order is accepted", async () => {
    const { exchange, clock, client, register, until } = await fresh(1000);
    const startMs = clock.nowMs();
    const registering = register();
    await new Promise((resolve) => setImmediate(resolve));
    expect(registering.answer).toBeUndefined();
    // The account exists already. The refusal of an order that does not wait for the response says
    // when there will be margin.
    expect(client.place("BUY", "30000", "0.1").json).toMatchObject({
      code: 2012,
      message:
        "not enough margin: a deposit of the account is pending on the chain and counts from the next block on, one every 1000 ms",
    });
    await until(() => registering.answer !== undefined);
    expect(registering.answer).toMatchObject({
      status: 200,
      body: expect.stringContaining(client.address),
    });
    expect((registering.atMs ?? 0) - startMs).toBeLessThanOrEqual(2000);
    expect(client.balances().balances.netValue).toBe("100000");
    expect(client.place("BUY", "30000", "0.1").json).toMatchObject({ status: "NEW" });
    expect(exchange.openOrders(client.address)).toHaveLength(1);
  });

  it("waits in the same way when its first response was lost and it registers again", async () => {
    const { register, until } = await fresh(1000);
    const [first, again] = [register(), register()];
    await new Promise((resolve) => setImmediate(resolve));
    expect([first.answer, again.answer]).toEqual([undefined, undefined]);
    await until(() => first.answer !== undefined && again.answer !== undefined);
    expect(JSON.parse(again.answer?.body ?? "{}")).toMatchObject({ code: 2018 });
  });

  it("gets its response at once if its block comes too late to wait for, and order refusals then name the block's time", async () => {
    const { client, register, post, until } = await fresh(60_000);
    const registering = register();
    const again = register();
    await new Promise((resolve) => setImmediate(resolve));
    expect(registering.answer?.status).toBe(200);
    expect(JSON.parse(again.answer?.body ?? "{}")).toMatchObject({ code: 2018 });
    expect(client.place("BUY", "30000", "0.1").json.message).toContain("every 60000 ms");
    const withdrawing = post("/withdraw", client.signed({ amount: "1" }));
    await until(() => withdrawing.answer !== undefined);
    expect(JSON.parse(withdrawing.answer?.body ?? "{}")).toMatchObject({
      code: 2012,
      message: expect.stringContaining("every 60000 ms"),
    });
    await until(() => client.balances().balances.netValue === "100000");
    // Nothing is pending any more: this order is refused for its size alone.
    expect(client.place("BUY", "30000", "100").json).toMatchObject({
      code: 2012,
      message: "not enough margin",
    });
  });

  it("gets responses to later deposits when they count, too", async () => {
    const { client, register, post, until } = await fresh(1000);
    const registering = register();
    await until(() => registering.answer !== undefined);
    const paying = post("/faucet", { account: client.address, amount: "5" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(paying.answer).toBeUndefined();
    await until(() => paying.answer !== undefined);
    expect(client.balances().balances.netValue).toBe("100005");
    // The balances at the time of the response, including this deposit.
    expect(JSON.parse(paying.answer?.body ?? "{}")).toEqual({
      account: client.address,
      amount: "5",
      deposits: "100005",
    });
  });

  it("gets its response before a client's timeout of two seconds even if the block is late, and no later when it repeats the request", async () => {
    // The block begins in the last moment of the wait, and is read after it.
    const { clock, register, post, client } = await fresh(1500);
    const startMs = clock.nowMs();
    const first = register();
    await clock.runFor(1000);
    const again = register();
    const forged = post("/v1/account", { ...client.signed(), signature: `0x${"11".repeat(65)}` });
    await new Promise((resolve) => setImmediate(resolve));
    expect([first.answer, again.answer]).toEqual([undefined, undefined]);
    expect(JSON.parse(forged.answer?.body ?? "{}")).toMatchObject({ code: 1012 });
    await clock.runFor(600);
    expect([first.atMs, again.atMs]).toEqual([startMs + 1500, startMs + 1500]);
  });

  it("gets its response at once if waiting is off, if it gets no credit, and when the exchange stops", async () => {
    for (const config of [{ creditWaitMs: 0 }, { creditOnRegistration: "0" }]) {
      const { register, open } = await fresh(1000, config);
      const registering = register();
      await new Promise((resolve) => setImmediate(resolve));
      expect(registering.answer?.status).toBe(200);
      await open.close();
    }
    const { register, exchange } = await fresh(1000);
    const registering = register();
    exchange.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(registering.answer?.status).toBe(200);
  });
});
