import { describe, expect, it } from "vitest";
import type { Hex } from "#core/units.js";
import type { ChainRequest } from "#simulator/chain-request.js";
import { PendingRequests } from "#simulator/pending-requests.js";

const [SENDER, PERP, OTHER] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [
  Hex,
  Hex,
  Hex,
];
const trade = (id: number, data: Hex): ChainRequest => ({
  id,
  kind: "trade",
  from: SENDER,
  to: PERP,
  data,
  value: "0",
  gas: 0,
  details: { sweepId: String(id) },
});

describe("requests that wait for their block", () => {
  it("are found by their transaction, the oldest of those alike first, until none is left", () => {
    const requests = new PendingRequests();
    for (const request of [trade(1, "0x01"), trade(2, "0x02"), trade(3, "0x01")])
      requests.add(request);
    const found = (data: Hex, from = SENDER, to: Hex | null = PERP) =>
      requests.findByTransaction({ from, to, data })?.id;
    expect([found("0x01"), found("0x02"), found("0x03")]).toEqual([1, 2, undefined]);
    expect([
      found("0x01", OTHER),
      found("0x01", SENDER, OTHER),
      found("0x01", SENDER, null),
    ]).toEqual([undefined, undefined, undefined]);
    requests.remove(trade(1, "0x01"));
    expect(found("0x01")).toBe(3);
    requests.remove(trade(1, "0x01"));
    requests.remove(trade(3, "0x01"));
    expect([found("0x01"), found("0x02")]).toEqual([undefined, 2]);
  });

  it("are not searched one by one for every transaction of a block", () => {
    let looks = 0;
    const requests = new PendingRequests();
    for (let id = 0; id < 1000; id += 1) {
      const data: Hex = `0x${id.toString(16).padStart(4, "0")}`;
      const request = { ...trade(id, data) };
      Object.defineProperty(request, "from", {
        get: () => {
          looks += 1;
          return SENDER;
        },
      });
      requests.add(request);
    }
    looks = 0;
    expect(requests.findByTransaction({ from: SENDER, to: PERP, data: "0x03e7" })?.id).toBe(999);
    expect(looks).toBeLessThan(10);
  });
});
