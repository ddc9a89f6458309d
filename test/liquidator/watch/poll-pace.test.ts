import { describe, expect, it } from "vitest";
import { readRiskyAccounts } from "#bot/liquidator-venue.js";
import { VenueRequestError } from "#exchange/venue-errors.js";
import { PollPace, TooManyRequests } from "#liquidator/poll-pace.js";

const refusal = (retryAfterMs: number) =>
  new TooManyRequests("the exchange was asked too often (HTTP 429)", retryAfterMs);

describe("the pace of a repeated question", () => {
  it("is the configured one without refusals", () => {
    const pace = new PollPace(1_000);
    expect([0, 1_000, 2_000].map((nowMs) => pace.onAccepted(nowMs))).toEqual([1_000, 1_000, 1_000]);
  });

  it("waits for Retry-After after a refusal, then stays doubled for five minutes", () => {
    const pace = new PollPace(1_000);
    expect(pace.refused(refusal(7_000), 0)).toBe(7_000);
    expect(pace.onAccepted(7_000)).toBe(2_000);
    expect(pace.onAccepted(306_999)).toBe(2_000);
    expect(pace.onAccepted(307_000)).toBe(1_000);
  });

  it("doubles with each refusal, up to sixteen times, and waits no less than that", () => {
    const pace = new PollPace(1_000);
    const waits = Array.from({ length: 6 }, (_, i) => pace.refused(refusal(3_000), i));
    expect(waits).toEqual([3_000, 4_000, 8_000, 16_000, 16_000, 16_000]);
  });

  it("never waits longer than a timer can", () => {
    expect(new PollPace(1_000).refused(refusal(9_999_999_000), 0)).toBe(2 ** 31 - 1);
  });
});

describe("the list of risky accounts", () => {
  const refused = (httpStatus: number, retryAfterMs?: number) =>
    readRiskyAccounts(
      {
        call: () =>
          Promise.reject(
            new VenueRequestError("refused", { httpStatus, retryAfterMs, mayHaveHappened: false }),
          ),
      },
      10_000,
    );

  it.each([429, 418])(
    "refused with %i is to be left alone as the exchange says, or for its window",
    async (status) => {
      await expect(refused(status, 4_000)).rejects.toMatchObject({
        name: "TooManyRequests",
        retryAfterMs: 4_000,
      });
      await expect(refused(status)).rejects.toMatchObject({
        name: "TooManyRequests",
        retryAfterMs: 10_000,
      });
    },
  );

  it("that fails for another reason reports it", async () => {
    await expect(refused(503)).rejects.toMatchObject({
      name: "VenueRequestError",
      httpStatus: 503,
    });
  });
});
