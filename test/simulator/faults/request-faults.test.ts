import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { FaultyVenues } from "./served-faults.js";

const venues = new FaultyVenues();

afterEach(() => venues.close());

type Venue = Awaited<ReturnType<FaultyVenues["open"]>>;

/** Waits until a fault has struck so often: the request has reached the server. */
async function untilStruck({ injector }: Venue, times = 1): Promise<void> {
  while (injector.schedule.list().reduce((sum, { struck }) => sum + struck, 0) < times)
    await sleep(1);
}

const ordersOf = (exchange: EmbeddedExchange, address: string): number =>
  exchange.openOrders(address as `0x${string}`).length;

/** Places alice's order under a fault, and says what she and the exchange have of it. */
async function placeUnder(fault: Readonly<Record<string, unknown>>) {
  const venue = await venues.open();
  venue.add(fault);
  let outcome: unknown = "no answer yet";
  const placing = venue.alice.place("BUY", "30000", "0.1").then(
    ({ status }) => {
      outcome = status;
    },
    () => {
      outcome = "failed";
    },
  );
  await untilStruck(venue);
  // Whatever the server is to send has left by the time that another request is answered.
  await fetch(`${venue.server.restUrl}/time`);
  return {
    venue,
    placing,
    outcome: () => outcome,
    orders: () => ordersOf(venue.exchange, venue.alice.reference.address),
  };
}

const ORDER = { endpoints: ["POST /v1/order"] };

describe("a request under a fault", () => {
  it("is lost before the exchange acts, and the connection stays", async () => {
    const { outcome, orders } = await placeUnder({ kind: "request-lost", ...ORDER });
    expect([outcome(), orders()]).toEqual(["no answer yet", 0]);
  });

  it("takes effect, and its answer is lost", async () => {
    const { outcome, orders } = await placeUnder({ kind: "answer-lost", ...ORDER });
    expect([outcome(), orders()]).toEqual(["no answer yet", 1]);
  });

  it.each([
    ["request-delayed", 0],
    ["answer-delayed", 1],
  ])("waits: %s", async (kind, ordersBefore) => {
    const delayMs = { min: 100, max: 100 };
    const { venue, placing, outcome, orders } = await placeUnder({ kind, ...ORDER, delayMs });
    await venue.clock.runFor(99);
    expect([outcome(), orders()]).toEqual(["no answer yet", ordersBefore]);
    await venue.clock.runFor(1);
    await placing;
    expect([outcome(), orders()]).toEqual(["NEW", 1]);
  });

  it("reaches the exchange twice, and the first copy is answered", async () => {
    const venue = await venues.open();
    const delayMs = { min: 20, max: 20 };
    venue.add({ kind: "request-duplicated", endpoints: ["/faucet"], delayMs });
    const { address } = venue.alice.reference;
    const faucet = new URL(`/faucet?account=${address}&amount=5`, venue.server.restUrl);
    expect((await fetch(faucet, { method: "POST" })).status).toBe(200);
    const netValue = () => venue.exchange.balances(address as `0x${string}`).balances.netValue;
    expect(netValue()).toBe("100005");
    await venue.clock.runFor(20);
    expect(netValue()).toBe("100010");
  });

  it("is answered after the next one", async () => {
    const venue = await venues.open();
    venue.add({ kind: "answers-swapped", endpoints: ["/v1/time"] });
    const arrived: string[] = [];
    const ask = async (path: string) => {
      await fetch(`${venue.server.restUrl}${path}`);
      arrived.push(path);
    };
    const first = ask("/time");
    await untilStruck(venue);
    await ask("/exchangeInfo");
    await venue.clock.runFor(1);
    await first;
    expect(arrived).toEqual(["/exchangeInfo", "/time"]);

    const alone = ask("/time");
    await untilStruck(venue, 2);
    await venue.clock.runFor(1000);
    await alone;
  });

  it("has half of its answer's body", async () => {
    const venue = await venues.open();
    const whole = await (await fetch(`${venue.server.restUrl}/time`)).text();
    venue.add({ kind: "answer-garbled" });
    const cut = await fetch(`${venue.server.restUrl}/time`);
    expect([cut.status, await cut.text()]).toEqual([200, whole.slice(0, whole.length / 2)]);
  });

  it.each([
    ["storm-429", 429, undefined, null],
    ["storm-429", 429, 7, "7"],
    ["storm-418", 418, undefined, null],
    ["storm-418", 418, 0, "0"],
  ])("is refused by %s with %s, retryAfterSeconds %s", async (kind, status, seconds, header) => {
    const venue = await venues.open();
    venue.add({ kind, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) });
    const refused = await fetch(`${venue.server.restUrl}/time`);
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      status,
      header,
      { code: status, codeText: "Too many requests", message: "over the rate limit" },
    ]);
    await venue.alice.place("BUY", "30000", "0.1");
    expect(ordersOf(venue.exchange, venue.alice.reference.address)).toBe(0);
  });

  it.each([
    [0, 503],
    [1, 502],
  ])("meets a gateway's failure, carried out with actedShare %s", async (actedShare, status) => {
    const venue = await venues.open();
    venue.add({ kind: "storm-5xx", actedShare, status, ...ORDER });
    const { alice, exchange, server } = venue;
    const answer = await fetch(`${server.restUrl}/order`, {
      method: "POST",
      body: new URLSearchParams(
        alice.reference.signed(alice.reference.order("BUY", "30000", "0.1")) as never,
      ).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      status,
      "text/html; charset=utf-8",
    ]);
    expect(ordersOf(exchange, alice.reference.address)).toBe(actedShare);
  });

  it.each([0, 1])("loses its connection, carried out with actedShare %s", async (actedShare) => {
    const { placing, outcome, orders } = await placeUnder({
      kind: "connection-lost",
      actedShare,
      ...ORDER,
    });
    await placing;
    expect([outcome(), orders()]).toEqual(["failed", actedShare]);
  });
});

describe("a fault strikes", () => {
  /** The statuses of requests one after the other. */
  const statuses = async ({ server }: Venue, count: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let at = 0; at < count; at++) {
      const answer = await fetch(`${server.restUrl}/time`);
      await answer.text();
      found.push(answer.status);
    }
    return found;
  };

  it("the same requests of a sequence by the same seed, whatever other faults do", async () => {
    const runs: (readonly number[])[] = [];
    for (const [seed, hasOther] of [
      [1, false],
      [1, true],
      [2, false],
    ] as const) {
      const venue = await venues.open({ seed });
      venue.add({ kind: "storm-429", probability: 0.4 });
      if (hasOther) venue.add({ kind: "answer-garbled", probability: 0.5 });
      runs.push(await statuses(venue, 40));
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).not.toEqual(runs[0]);
    expect(new Set(runs[0])).toEqual(new Set([200, 429]));
  });

  it("only in its window, only its endpoints, only its accounts, and counts", async () => {
    const venue = await venues.open();
    const { clock, alice, bob, injector } = venue;
    venue.add({ kind: "storm-429", endpoints: ["GET /v1/time"], fromMs: 100, forMs: 50 });
    venue.add({ kind: "storm-418", accounts: [alice.reference.address] });
    expect(await statuses(venue, 1)).toEqual([200]);
    expect(injector.schedule.list()).toMatchObject([
      { id: 1, state: "waiting", changesInMs: 100, seen: 0 },
      { id: 2, state: "active", changesInMs: null, seen: 0 },
    ]);
    await clock.runFor(100);
    expect(await statuses(venue, 2)).toEqual([429, 429]);
    expect((await fetch(`${venue.server.restUrl}/exchangeInfo`)).status).toBe(200);
    expect(injector.schedule.list()[0]).toMatchObject({ state: "active", changesInMs: 50 });
    await clock.runFor(50);
    expect(await statuses(venue, 1)).toEqual([200]);
    expect((await alice.signed("GET", "/balances")).status).toBe(418);
    expect((await bob.signed("GET", "/balances")).status).toBe(200);
    expect(injector.schedule.list()).toMatchObject([
      { id: 1, state: "ended", changesInMs: null, seen: 2, struck: 2 },
      { id: 2, state: "active", seen: 1, struck: 1 },
    ]);
  });
});
