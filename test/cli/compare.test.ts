import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Comparison, comparisonSchema } from "#backtest/comparison-schema.js";
import { SESSION_FILES } from "#backtest/session-file.js";
import { SweepStage } from "../backtest/sweep/sweep-stage.js";
import { makerSession, recordSession, withTakingQuotes } from "../support/recorded-session.js";
import { captureCli } from "./captured-cli.js";

const FOLLOWING = {
  queue: "log",
  feedLatency: { order: { factor: 1, addMs: 0 }, response: { factor: 1, addMs: 0 } },
};

describe("marketwright compare", () => {
  const stage = new SweepStage();
  const live = join(stage.folder, "session");
  /** A file of the stage, with its fill models. */
  const backtest = (name: string, fills: object): string =>
    stage.write(name, { ...stage.backtest(2), fills });
  const compared = async (...args: string[]): Promise<Comparison> => {
    const { code, out, err } = await captureCli(["compare", live, ...args, "--json"]);
    expect([code, err]).toEqual([0, ""]);
    return comparisonSchema.parse(JSON.parse(out));
  };
  const modelOf = ({ markets }: Pick<Comparison, "markets">) => markets[0]?.again.model;
  const refused = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await captureCli(["compare", ...args]);
    expect([code, out]).toEqual([2, ""]);
    return err;
  };

  beforeAll(async () => {
    await stage.open(5);
    const paper = {
      queue: "power-2",
      orderLatencyMs: 15,
      responseLatencyMs: 10,
      creditQuote: "50000",
    };
    await recordSession({ ...makerSession(live, 4_000), paper });
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  it("takes the models of the recording itself where nothing else is said", async () => {
    const { sameInputs, markets, mode, profit } = await compared();
    expect(mode).toBe("paper");
    expect(modelOf({ markets })).toEqual({
      queue: "power-2",
      doubtful: "conservative",
      orderLatencyMs: 15,
      responseLatencyMs: 10,
    });
    expect(sameInputs).toEqual({ ...sameInputs, equal: sameInputs.intents, firstDifference: null });
    expect(sameInputs.intents).toBeGreaterThan(5);
    const [market] = markets;
    expect(market?.fit).toBeNull();
    expect(market?.orders).toMatchObject({
      model: { isShared: false, queue: "power-2", bookLagMs: 0, shiftMs: 0 },
    });
    expect(market?.orders.live).toBeGreaterThan(3);
    expect(market?.orders.share).toBeGreaterThanOrEqual(0.95);
    // The parts of what differs are the difference of the parts.
    for (const [part, difference] of Object.entries(profit.difference))
      expect(Number(difference)).toBeCloseTo(
        Number(profit.replay[part]) - Number(profit.live[part]),
        9,
      );
  });

  it("takes the models of a backtest's file, and of the folder of its report", async () => {
    const file = backtest("models.yaml", {
      queue: "log",
      doubtful: "by-book",
      orderLatencyMs: 33,
      responseLatencyMs: 44,
    });
    const models = { queue: "log", doubtful: "by-book", orderLatencyMs: 33, responseLatencyMs: 44 };
    expect(modelOf(await compared(file))).toEqual(models);
    const report = join(stage.folder, "report");
    expect(await captureCli(["backtest", file, "--out", report])).toMatchObject({ code: 0 });
    expect(modelOf(await compared(report))).toEqual(models);
  });

  it("finds by --fit the models that fill most alike, whatever the file says, and shows what they were without", async () => {
    const { markets } = await compared(
      backtest("far.yaml", { queue: "risk-averse", orderLatencyMs: 900, responseLatencyMs: 900 }),
      "--fit",
    );
    const [market] = markets;
    expect(market?.again.model.orderLatencyMs).toBeLessThan(60);
    expect(market?.again.model.responseLatencyMs).toBe(10);
    expect(market?.fit?.tried).toBeGreaterThan(10);
    expect(market?.fit?.objective).toContain("the second half judges");
    expect(market?.orders.firstHalfShare).toBeGreaterThanOrEqual(
      market?.fit?.plain.firstHalfShare ?? 1,
    );
  });

  it("takes by --fit a file whose latencies follow a recording too: they are found, and what refuses it without sends its reader here", async () => {
    const { markets } = await compared(backtest("follows.yaml", FOLLOWING), "--fit");
    expect(modelOf({ markets })?.orderLatencyMs).toBeLessThan(60);
  });

  it("prints the same as text", async () => {
    const { code, out, err } = await captureCli(["compare", live]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^paper session from 2024-08-0\S+ to \S+\n/);
    expect(out).toMatch(/the same inputs: (\d+) of \1 intents equal byte for byte, in \d+ turns\n/);
    expect(out).toContain(
      "recorded orders in the replayed market (queue power-2, book 0 ms late, orders 0 ms later):",
    );
    expect(out).toContain(
      "the rerun of the bot (queue power-2, ambiguous fills conservative, 15 ms to the exchange, 10 ms back):",
    );
    const means =
      /mean prices: bought (\S+) and (\S+), sold (\S+) and (\S+)\n/.exec(out)?.slice(1) ?? [];
    expect(means).toHaveLength(4);
    // Ten digits at most, and none of what a binary fraction has after them.
    for (const mean of means) expect(mean).toMatch(/^(?=.{1,11}$)\d+(\.\d+)?$/);
    expect(out).toMatch(/profit by its parts \(live, replay, difference\)\n {2}\S+ /);
  });

  it("says of a live session how much took on arrival, and of each fill that a backtest's rules have otherwise why", async () => {
    const taken = join(stage.folder, "taken");
    await recordSession(withTakingQuotes(makerSession(taken, 5_000, "fitted")));
    const { out } = await captureCli(["compare", taken, "--json"]);
    const { notes, markets } = comparisonSchema.parse(JSON.parse(out));
    expect(notes).toContainEqual(
      expect.stringMatching(/^\d+ of \d+ fills in btcusdc, [\d.]+, took liquidity on arrival/),
    );
    expect(notes).toContainEqual(
      expect.stringMatching(
        /^in btcusdc \d+ of the rerun's fills, [\d.]+ base units, may have .* charged as taker fills: they paid [\d.]+ in fees, and would have earned [\d.]+ in rebates under the other rule$/,
      ),
    );
    const [market] = markets;
    expect(market?.orders.share).toBeGreaterThanOrEqual(0.95);
    const { share = 1, unionBase = "0", differences = [] } = market?.asHistory ?? {};
    expect(share).toBeLessThan(0.8);
    // Amounts on one side only are the difference.
    const apart = differences.reduce((sum, { amount }) => sum + Number(amount), 0);
    expect(apart).toBeCloseTo((1 - share) * Number(unionBase), 9);
    expect(differences.some(({ kind }) => kind === "untold")).toBe(true);
    expect(differences.every(({ why }) => why !== "")).toBe(true);
    expect((await captureCli(["compare", taken])).out).toMatch(
      /\n {6}causes of the differences: (\S+ [\d.]+ %(, )?)+; --json has each\n/,
    );
  });

  // A separate bot replays the recorded inputs. A strategy that failed there looked like one
  // without intents.
  it("ends with 1 where the strategy failed on the recorded inputs alone, and names the failure", async () => {
    const failing = join(stage.folder, "failing-session");
    cpSync(live, failing, { recursive: true });
    const strategy = join(stage.folder, "second.mjs");
    writeFileSync(
      strategy,
      `import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";
let made = 0;
export default defineStrategy({
  params: z.looseObject({}),
  create: () => {
    made += 1;
    if (made % 2 === 0) throw new Error("it knows its file already");
    return () => NEVER;
  },
});
`,
    );
    const path = join(failing, SESSION_FILES.session);
    const session = JSON.parse(readFileSync(path, "utf8"));
    session.config.markets.btcusdc.strategy = strategy;
    writeFileSync(path, JSON.stringify(session));
    const error = {
      marketId: "btcusdc",
      at: expect.stringMatching(/^2024-08-0/),
      why: "strategy failed to start: it knows its file already",
    };
    const asJson = await captureCli(["compare", failing, "--json"]);
    const { strategyErrors, sameInputs } = comparisonSchema.parse(JSON.parse(asJson.out));
    expect([asJson.code, strategyErrors, sameInputs.strategyErrors]).toEqual([1, [], [error]]);
    const { code, out } = await captureCli(["compare", failing]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /\nFAILED: the strategy of btcusdc, given the recorded inputs, at \S+: strategy failed to start: it knows its file already\n/,
    );
  });

  it("is wrong usage for what is no session, no backtest, or a session that was changed or not ended", async () => {
    expect(await refused(join(stage.folder, "nothing"))).toContain("holds no recorded session");
    expect(await refused(stage.folder)).toContain("holds no recorded session");
    expect(await refused(live, join(stage.folder, "nothing.yaml"))).toContain(
      "backtest: does not exist",
    );
    expect(await refused(live, live)).toContain("contains no report of this version");
    const following = backtest("following.yaml", FOLLOWING);
    expect(await refused(live, following)).toContain("takes its latencies from a recording");

    const killed = join(stage.folder, "killed");
    cpSync(live, killed, { recursive: true });
    rmSync(join(killed, SESSION_FILES.session));
    writeFileSync(join(killed, SESSION_FILES.unfinished), "{}");
    expect(await refused(killed)).toContain("was not ended");
    writeFileSync(join(killed, SESSION_FILES.session), "{}\n");
    expect(await refused(killed)).toContain("is not a recorded session");
  });

  it("fails on a session whose intents or turns are not what was recorded", async () => {
    const changed = join(stage.folder, "changed");
    for (const name of [SESSION_FILES.intents, SESSION_FILES.turns]) {
      cpSync(live, changed, { recursive: true });
      const path = join(changed, name);
      writeFileSync(path, readFileSync(path, "utf8").replace(/\d/, "7"));
      const { code, out, err } = await captureCli(["compare", changed]);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(`${name}: has changed since it was recorded: its SHA-256 differs`);
    }
  });
});
