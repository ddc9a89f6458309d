import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { VENUE_ERROR_CODES } from "#exchange/errors.js";
import { RateLimitError } from "#exchange/rate-gate.js";
import { RestCaller } from "#exchange/rest-caller.js";
import { classifyTransientFailure } from "#exchange/transient-failure.js";
import type { HttpResult } from "#exchange/transport.js";
import { VenueError, VenueRequestError } from "#exchange/venue-errors.js";

/** The error of reading the clock when the network returns this result. */
async function failureOf(result: HttpResult): Promise<unknown> {
  const caller = new RestCaller({
    nowMs: () => 0,
    transport: { request: (_, done) => queueMicrotask(() => done(result)) },
  });
  return caller.call("time").then(
    () => undefined,
    (error: unknown) => error,
  );
}

const answer = (status: number, body = "", retryAfterMs?: number): HttpResult => ({
  ok: true,
  status,
  body,
  retryAfterMs,
});
const coded = (status: number, code: number): HttpResult =>
  answer(status, JSON.stringify({ code, codeText: "", message: "" }));
const PAGE = "<html>We are back at nine.</html>";

describe("whether a failure may pass by itself", () => {
  it.each<readonly [string, HttpResult, ReturnType<typeof classifyTransientFailure>]>([
    [
      "a connection that is refused",
      { ok: false, cause: "connection-lost", sent: false, message: "" },
      { cause: "no-connection", retryAfterMs: 0 },
    ],
    [
      "one that is cut off",
      { ok: false, cause: "connection-lost", sent: true, message: "" },
      { cause: "no-answer", retryAfterMs: 0 },
    ],
    [
      "a time-out",
      { ok: false, cause: "timeout", sent: true, message: "" },
      { cause: "no-answer", retryAfterMs: 0 },
    ],
    [
      "a time-out before anything left",
      { ok: false, cause: "timeout", sent: false, message: "" },
      { cause: "no-answer", retryAfterMs: 0 },
    ],
    ["a bad gateway", answer(502), { cause: "not-now", retryAfterMs: 0 }],
    ["a 5xx with a code that would stand", coded(503, 1112), { cause: "not-now", retryAfterMs: 0 }],
    [
      "an internal error of whatever status",
      coded(400, 2010),
      { cause: "not-now", retryAfterMs: 0 },
    ],
    ["a success that is a page", answer(200, PAGE), { cause: "not-now", retryAfterMs: 0 }],
    ["a request that came too slowly", answer(408), { cause: "not-now", retryAfterMs: 0 }],
    [
      "a rate limit that says its time",
      answer(429, "", 3_000),
      { cause: "not-now", retryAfterMs: 3_000 },
    ],
    ["one that says none", answer(429), { cause: "not-now", retryAfterMs: 5_000 }],
    ["a ban that says its time", answer(418, "", 3_000), { cause: "banned", retryAfterMs: 3_000 }],
    ["one that says none", answer(418), { cause: "banned", retryAfterMs: 60_000 }],
    ["a timestamp outside the window", coded(400, 1011), { cause: "other-time", retryAfterMs: 0 }],
    ["no such interface", answer(404, PAGE), undefined],
    ["an error of another interface", answer(404, '{"error":"no such route"}'), undefined],
    ["a firewall that lets nobody in", answer(403, PAGE), undefined],
    ["an address that has moved", answer(301), undefined],
    ["a wrong signature", coded(401, 1012), undefined],
    ["an unknown account", coded(401, 1010), undefined],
    ["an unknown market", coded(400, 1112), undefined],
    ["a code that nobody knows", coded(400, 9999), undefined],
  ])("is answered for %s", async (_, result, expected) => {
    expect(classifyTransientFailure(await failureOf(result))).toEqual(expected);
  });

  it("is no for other causes than the exchange: a response that is not as specified, our own budget, an error of ours", () => {
    for (const error of [
      new FormatError("not a time"),
      new RateLimitError("time", 5, true),
      new TypeError("ours"),
      undefined,
      "no",
    ])
      expect(classifyTransientFailure(error)).toBeUndefined();
  });

  it("is the same after so many tries, and never yes for a refusal by code that says what it did", () => {
    const codes = fc.constantFrom(
      ...VENUE_ERROR_CODES.map(({ code }) => code).filter((code) => code !== 2010 && code !== 1011),
    );
    fc.assert(
      fc.property(
        codes,
        fc.integer({ min: 200, max: 499 }),
        fc.integer({ min: 2, max: 9 }),
        (code, status, tries) => {
          const refusal = new VenueError({ code, codeText: "", message: "" }, status);
          expect(classifyTransientFailure(refusal.after(tries))).toBeUndefined();
          const silent = new VenueRequestError("", { httpStatus: status, mayHaveHappened: true });
          expect(classifyTransientFailure(silent.after(tries))).toEqual(
            classifyTransientFailure(silent),
          );
        },
      ),
    );
  });
});
