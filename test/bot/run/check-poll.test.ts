import { describe, expect, it } from "vitest";
import { checkPollRate } from "#bot/check-chain.js";

const common = (limit: number, intervalMs = 60_000) => ({ name: "COMMON", limit, intervalMs });
const ORDER = { name: "ORDER", limit: 1, intervalMs: 60_000 };

describe("the share of the exchange's limits that polling for risky accounts takes", () => {
  it("is reported", () => {
    expect(checkPollRate(1_000, [common(2_400), ORDER])).toEqual([
      {
        level: "ok",
        subject: "liquidator.pollMs",
        text: "the list of risky accounts is read 60 times a minute, of the exchange's 2400 COMMON requests",
      },
    ]);
  });

  it("causes a warning above a quarter, with the expected interval", () => {
    expect(checkPollRate(1_000, [common(240)])).toMatchObject([{ level: "ok" }]);
    expect(checkPollRate(1_000, [common(239)])).toMatchObject([
      {
        level: "warning",
        text: expect.stringMatching(/60 times .* 239 .* expected at least 1005 ms$/),
      },
    ]);
    expect(checkPollRate(1_005, [common(239)])).toMatchObject([{ level: "ok" }]);
  });

  it("is measured by the strictest of several limits, whatever their windows", () => {
    expect(checkPollRate(1_000, [common(2_400), common(30, 10_000)])).toMatchObject([
      { level: "warning" },
    ]);
  });

  it("is not reported if the exchange has no limit", () => {
    expect(checkPollRate(50, [ORDER])).toEqual([]);
  });
});
