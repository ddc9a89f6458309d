import { describe, expect, it } from "vitest";
import { plainReader } from "#simulation/plain-reader.js";
import { KEYS, namedSignatures, ReferenceClient, virtualExchange } from "./reference-client.js";

const LIMITS = { common: 5, order: 3, intervalMs: 10_000, requestsBeforeBan: 4, banMs: 30_000 };

function world(rateLimits: Partial<typeof LIMITS> & { key?: "ip" | "account" | "both" } = {}) {
  const { exchange, clock } = virtualExchange(
    { rateLimits: { ...LIMITS, ...rateLimits } },
    { scheme: namedSignatures },
  );
  const at = (key: number, ip: string) =>
    new ReferenceClient(exchange, () => clock.nowMs(), KEYS[key], ip, true);
  return { exchange, clock, at };
}

describe("rate limits", () => {
  it("refuse with 429 and a Retry-After that, once waited for, lets the next one through", async () => {
    const { at, clock } = world();
    const alice = at(0, "1.1.1.1");
    for (let count = 0; count < 5; count += 1) {
      expect(alice.raw("GET", "/v1/time").status).toBe(200);
      await clock.runFor(1000);
    }
    const refused = alice.raw("GET", "/v1/time");
    expect(refused).toMatchObject({
      status: 429,
      json: { code: 429 },
      headers: { "retry-after": "5" },
    });
    await clock.runFor(5000);
    expect(alice.raw("GET", "/v1/time").status).toBe(200);
    expect(alice.raw("GET", "/v1/time").status).toBe(429);
  });

  it("count orders and cancels apart from everything else", () => {
    const { at } = world();
    const alice = at(0, "1.1.1.1").register();
    const { id } = alice.place("BUY", "30000", "0.1").json;
    alice.cancel(id);
    alice.call("DELETE", "/v1/allOpenOrders");
    expect(alice.place("BUY", "30000", "0.1").status).toBe(429);
    expect(alice.call("GET", "/v1/openOrders").status).toBe(200);
  });

  it("turn into a ban with 418 for a client that continues, for streams too, and end by themselves", async () => {
    const { at, clock, exchange } = world();
    const alice = at(0, "1.1.1.1");
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push(alice.raw("GET", "/v1/time").status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 418, 418]);
    const sink = plainReader();
    expect(exchange.connect("/v1/multiple", sink, "1.1.1.1")).toMatchObject({
      refused: { status: 418 },
    });
    expect(exchange.connect("/v1/multiple", sink, "2.2.2.2")).not.toHaveProperty("refused");
    await clock.runFor(29_999);
    expect(alice.raw("GET", "/v1/time").status).toBe(418);
    await clock.runFor(1);
    expect(alice.raw("GET", "/v1/time").status).toBe(200);
  });

  it("are shared by an address, or by an account, as the venue says", () => {
    const byIp = world();
    for (let count = 0; count < 5; count += 1) {
      byIp.at(0, "1.1.1.1").raw("GET", "/v1/time");
    }
    expect(byIp.at(1, "1.1.1.1").raw("GET", "/v1/time").status).toBe(429);
    expect(byIp.at(1, "2.2.2.2").raw("GET", "/v1/time").status).toBe(200);
    const byAccount = world({ key: "account" });
    const alice = byAccount.at(0, "1.1.1.1").register();
    // Its registration counted for the address, since there was no account yet.
    for (let count = 0; count < 5; count += 1) {
      alice.call("GET", "/v1/balances");
    }
    expect(byAccount.at(0, "2.2.2.2").call("GET", "/v1/balances").status).toBe(429);
    expect(byAccount.at(1, "1.1.1.1").call("POST", "/v1/account").status).toBe(200);
  });

  it("by account count requests without a registered account by address, so that invented names do not avoid the limit", () => {
    const { at } = world({ key: "account" });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const account = `0x${String(count).padStart(40, "0")}`;
      statuses.push(at(0, "1.1.1.1").raw("GET", "/v1/balances", { account }).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("never turn into a ban where the venue bans nobody", () => {
    const { at } = world({ requestsBeforeBan: 0 });
    const statuses = Array.from(
      { length: 300 },
      () => at(0, "1.1.1.1").raw("GET", "/v1/time").status,
    );
    expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
  });

  it("of 0 are off", () => {
    const { at } = world({ common: 0 });
    const alice = at(0, "1.1.1.1");
    for (let count = 0; count < 50; count += 1) {
      expect(alice.raw("GET", "/v1/time").status).toBe(200);
    }
  });
});
