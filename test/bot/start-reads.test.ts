import { describe, expect, it } from "vitest";
import { StartupRetrier } from "#bot/startup-retrier.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { VenueError, VenueRequestError } from "#exchange/venue-errors.js";
import { SILENT } from "./recorded-run.js";

const REST = "http://127.0.0.1:8620/v1";

const badGateway = new VenueRequestError("GET /v1/time: HTTP 502: bad gateway", {
  httpStatus: 502,
  mayHaveHappened: true,
});
const timedOut = new VenueRequestError("GET /v1/time: no answer within 2000 ms", {
  timedOut: true,
  mayHaveHappened: true,
});
const cutOff = new VenueRequestError("GET /v1/time: connection reset", { mayHaveHappened: true });
const refused = new VenueRequestError("GET /v1/time: connect ECONNREFUSED", {
  mayHaveHappened: false,
});
const tooMany = (retryAfterMs: number) =>
  new VenueRequestError("429", { httpStatus: 429, retryAfterMs, mayHaveHappened: false });
const internal = new VenueError(
  { code: 2010, codeText: "Internal error", message: "try again" },
  400,
);
const page = new VenueRequestError("GET /v1/time: HTTP 200: <html>", {
  httpStatus: 200,
  mayHaveHappened: true,
});
const slow = new VenueError(
  { code: 1011, codeText: "Invalid timestamp", message: "outside the window" },
  400,
);
const banned = (retryAfterMs?: number) =>
  new VenueRequestError("418", { httpStatus: 418, retryAfterMs, mayHaveHappened: false });
const unauthorised = new VenueError({ code: 1010, codeText: "Unauthorized", message: "no" }, 401);

const nobody = (systemCode: string) =>
  new VenueRequestError(`GET /v1/time: connect ${systemCode} 127.0.0.1:8620`, {
    systemCode,
    mayHaveHappened: false,
  });

/** Queries an exchange that gives these answers, one after the other, the last one for ever. */
async function ask(answers: readonly (Error | "well")[], withinMs?: number, abortAtMs?: number) {
  const clock = new VirtualClock(0);
  const abort = new AbortController();
  if (abortAtMs !== undefined) clock.setTimer(abortAtMs, () => abort.abort("SIGINT"));
  const told: string[] = [];
  const awaited = {
    rest: REST,
    signal: abort.signal,
    onWait: (sentence: string) => void told.push(sentence),
  };
  const reads = new StartupRetrier(
    clock,
    SILENT,
    withinMs === undefined ? undefined : { ...awaited, withinMs },
  );
  let endedAtMs = 0;
  const atMs: number[] = [];
  let came: unknown;
  const asking = reads
    .untilAnswered(async () => {
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
    )
    .finally(() => {
      endedAtMs = clock.nowMs();
    });
  await clock.runFor(60_000);
  await asking;
  return { came, atMs, told, endedAtMs };
}

describe("a query at a bot's start", () => {
  it.each([
    ["a bad gateway", badGateway],
    ["a time-out", timedOut],
    ["a connection that was cut", cutOff],
    ["an internal error", internal],
    ["a rate limit", tooMany(0)],
    ["a maintenance page that is told as a success", page],
    ["a request that was long on its way", slow],
  ])("is retried after %s", async (_name, error) => {
    expect(await ask([error, error, "well"])).toMatchObject({ came: "well", atMs: [0, 250, 750] });
  });

  it("is not retried if the exchange refused it, or accepts no connection", async () => {
    for (const error of [refused, unauthorised, new TypeError("ours")])
      expect(await ask([error, "well"])).toMatchObject({ came: error, atMs: [0] });
  });

  it("is retried for ten seconds at most, then fails with the last error", async () => {
    const { came, atMs } = await ask([badGateway]);
    expect(came).toBe(badGateway);
    expect(atMs).toEqual([0, 250, 750, 1_750, 3_750, 7_750]);
  });

  it("waits as long as a rate limit or a ban requires, and fails at once if that is too long or unknown", async () => {
    for (const shut of [tooMany, banned]) {
      expect(await ask([shut(3_000), "well"])).toMatchObject({ came: "well", atMs: [0, 3_000] });
      expect(await ask([shut(11_000), "well"])).toMatchObject({ atMs: [0] });
    }
    expect(await ask([banned(), "well"])).toMatchObject({ atMs: [0] });
  });
});

describe("an exchange that does not listen yet", () => {
  it.each(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"])(
    "is waited for (%s) if a bot is started seconds before it, and the reason is reported once",
    async (code) => {
      const refused = nobody(code);
      const { came, atMs, told } = await ask([refused, refused, refused, "well"], 20_000);
      expect({ came, atMs }).toEqual({ came: "well", atMs: [0, 500, 1_000, 1_500] });
      expect(told).toEqual([
        `no exchange answers at ${REST} yet (${code}): waiting for it to start, for up to 20 s (exchange.connectWithinMs)`,
      ]);
    },
  );

  it("is waited for no longer than allowed, and not at all by default", async () => {
    const refused = nobody("ECONNREFUSED");
    expect(await ask([refused], 20_000)).toMatchObject({ came: refused, endedAtMs: 20_000 });
    expect(await ask([refused], 0)).toMatchObject({ came: refused, endedAtMs: 0, told: [] });
    expect(await ask([refused])).toMatchObject({ came: refused, endedAtMs: 0, told: [] });
  });

  it("has ten seconds for its first answer once it listens", async () => {
    const waited = Array.from({ length: 30 }, () => nobody("ECONNREFUSED"));
    const { came, endedAtMs } = await ask([...waited, badGateway, badGateway, "well"], 20_000);
    expect({ came, endedAtMs }).toEqual({ came: "well", endedAtMs: 15_750 });
  });

  it("is not waited for after a signal, in a pause or with a query in flight", async () => {
    expect(await ask([nobody("ECONNREFUSED")], 20_000, 1_700)).toMatchObject({
      came: "SIGINT",
      endedAtMs: 1_700,
    });
    expect(await ask([badGateway], 20_000, 1_000)).toMatchObject({
      came: "SIGINT",
      endedAtMs: 1_000,
    });
    const clock = new VirtualClock(0);
    const abort = new AbortController();
    const reads = new StartupRetrier(clock, SILENT, {
      rest: REST,
      withinMs: 20_000,
      signal: abort.signal,
      onWait: () => {},
    });
    const asked = reads.untilAnswered(() => new Promise(() => {}));
    abort.abort("SIGTERM");
    await expect(asked).rejects.toBe("SIGTERM");
  });

  it.each([
    ["a name that nobody knows", nobody("ENOTFOUND")],
    ["another service behind TLS", nobody("ERR_SSL_WRONG_VERSION_NUMBER")],
    [
      "a service that speaks no HTTP",
      new VenueRequestError("GET /v1/time: Expected HTTP/", {
        systemCode: "HPE_INVALID_CONSTANT",
        mayHaveHappened: true,
      }),
    ],
    [
      "another path",
      new VenueRequestError("GET /v1/time: HTTP 404", { httpStatus: 404, mayHaveHappened: true }),
    ],
  ])("is not confused with %s: a wrong address fails at once", async (_name, error) => {
    expect(await ask([error, "well"], 20_000)).toMatchObject({
      came: error,
      endedAtMs: 0,
      told: [],
    });
  });
});
