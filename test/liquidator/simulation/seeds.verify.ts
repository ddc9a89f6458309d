import { describe, expect, it } from "vitest";
import { runSeed } from "./run-seed.js";

const FIRST = 1;
const LAST = 300;
const EACH = 25;

describe("two minutes of liquidations, whatever the chain and the network do", () => {
  const sum = { sent: 0, won: 0, lost: 0 };
  for (let from = FIRST; from <= LAST; from += EACH) {
    it(`seeds ${from} to ${from + EACH - 1}`, async () => {
      for (let seed = from; seed < from + EACH; seed += 1) {
        const { violations, sent, won, lost } = await runSeed(seed);
        expect([seed, violations]).toEqual([seed, []]);
        sum.sent += sent;
        sum.won += won;
        sum.lost += lost;
      }
    });
  }

  it("had enough of each in them to mean something", () => {
    expect(sum.sent).toBeGreaterThan(LAST);
    expect(sum.won).toBeGreaterThan(LAST / 2);
    expect(sum.lost).toBeGreaterThan(LAST / 4);
  });
});
