import { describe, expect, it } from "vitest";
import { ExchangeClient } from "#exchange/exchange-client.js";
import { RateGate, RateLimitError } from "#exchange/rate-gate.js";
import { json } from "./local-server.js";
import { MARKETS, runtime, ServedVenue } from "./served-venue.js";
import { wireExchangeInfo } from "./wire-records.js";

const at = new ServedVenue();

describe("a rate budget that the venue shares with a client of the process", () => {
  it("is spent by both, takes the exchange's limits over, and keeps what it does not allow from leaving", async () => {
    const gate = new RateGate({ clock: runtime.clock });
    const exchangeInfo = {
      ...wireExchangeInfo(MARKETS),
      rateLimits: [{ name: "COMMON", intervalSeconds: 60, limit: 4 }],
    };
    at.server.onRequest = ({ path }, response) =>
      json(response, path === "/v1/exchangeInfo" ? exchangeInfo : { serverTime: 5 });
    at.open({ gate, streams: false });
    await at.withRules();
    const client = new ExchangeClient({ transport: at.transport, runtime, gate });
    expect(gate.available("time")).toBe(3);
    await client.time();
    expect(await at.submitted({ kind: "question", ask: "time" })).toMatchObject({
      result: "answered",
    });
    await client.time();
    const refused = await at.submitted({ kind: "question", ask: "time" });
    expect(refused).toMatchObject({
      result: "not-sent",
      message: expect.stringContaining("rate budget"),
    });
    expect(at.server.requests).toHaveLength(4);
  });

  it("learns of a ban through the venue, which then stops the client too", async () => {
    const gate = new RateGate({ clock: runtime.clock });
    at.open({ gate, streams: false });
    at.server.onRequest = (_, response) => response.writeHead(418).end();
    expect(await at.submitted({ kind: "question", ask: "time" })).toMatchObject({
      result: "throttled",
      httpStatus: 418,
    });
    await expect(
      new ExchangeClient({ transport: at.transport, runtime, gate }).time(),
    ).rejects.toThrow(RateLimitError);
    expect(await at.submitted({ kind: "question", ask: "time" })).toMatchObject({
      message: expect.stringContaining("banned"),
    });
    expect(at.server.requests).toHaveLength(1);
  });
});
