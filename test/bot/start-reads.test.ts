import { describe, expect, it } from "vitest";
import { StartReads } from "../../src/bot/run/start-reads.js";
import { VirtualClock } from "../../src/core/virtual-clock.js";
import { VenueError, VenueRequestError } from "../../src/exchange/venue-errors.js";
import { SILENT } from "./recorded-run.js";

const badGateway = new VenueRequestError("GET /v1/time: HTTP 502: bad gateway", { httpStatus: 502, mayHaveHappened: true });
const timedOut = new VenueRequestError("GET /v1/time: no answer within 2000 ms", { timedOut: true, mayHaveHappened: true });
const cutOff = new VenueRequestError("GET /v1/time: connection reset", { mayHaveHappened: true });
const refused = new VenueRequestError("GET /v1/time: connect ECONNREFUSED", { mayHaveHappened: false });
const tooMany = (retryAfterMs: number) => new VenueRequestError("429", { httpStatus: 429, retryAfterMs, mayHaveHappened: false });
const internal = new VenueError({ code: 2010, codeText: "Internal error", message: "try again" }, 400);
const page = new VenueRequestError("GET /v1/time: HTTP 200: <html>", { httpStatus: 200, mayHaveHappened: true });
const slow = new VenueError({ code: 1011, codeText: "Invalid timestamp", message: "outside the window" }, 400);
const banned = (retryAfterMs?: number) => new VenueRequestError("418", { httpStatus: 418, retryAfterMs, mayHaveHappened: false });
const unauthorised = new VenueError({ code: 1010, codeText: "Unauthorized", message: "no" }, 401);

/** Asks an exchange that answers with these, one after the other, the last one for ever. */
async function ask(answers: readonly (Error | "well")[]) {
  const clock = new VirtualClock(0);
  const reads = new StartReads(clock, SILENT);
  const atMs: number[] = [];
  let came: unknown;
  const asking = reads
    .answerOf(async () => {
      const answer = answers[Math.min(atMs.length, answers.length - 1)];
      atMs.push(clock.nowMs());
      if (answer !== "well") throw answer;
      return answer;
    })
    .then(
      (answer) => {
        came = answer;
      },
      (error: unknown) => {
        came = error;
      },
    );
  await clock.runFor(60_000);
  await asking;
  return { came, atMs };
}

describe("what a bot asks before it runs", () => {
  it.each([
    ["a bad gateway", badGateway],
    ["a time-out", timedOut],
    ["a connection that was cut", cutOff],
    ["an internal error", internal],
    ["a rate limit", tooMany(0)],
    ["a maintenance page that is told as a success", page],
    ["a request that was long on its way", slow],
  ])("is asked again after %s", async (_name, error) => {
    expect(await ask([error, error, "well"])).toEqual({ came: "well", atMs: [0, 250, 750] });
  });

  it("is not asked again when the exchange has refused it, or takes no connection at all", async () => {
    for (const error of [refused, unauthorised, new TypeError("ours")])
      expect(await ask([error, "well"])).toEqual({ came: error, atMs: [0] });
  });

  it("is asked for ten seconds at most; then the last failure is told", async () => {
    const { came, atMs } = await ask([badGateway]);
    expect(came).toBe(badGateway);
    expect(atMs).toEqual([0, 250, 750, 1_750, 3_750, 7_750]);
  });

  it("waits as long as a rate limit or a ban says, and not at all for one that says more than there is, or nothing", async () => {
    for (const shut of [tooMany, banned]) {
      expect(await ask([shut(3_000), "well"])).toEqual({ came: "well", atMs: [0, 3_000] });
      expect(await ask([shut(11_000), "well"])).toMatchObject({ atMs: [0] });
    }
    expect(await ask([banned(), "well"])).toMatchObject({ atMs: [0] });
  });
});
