import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WhatIfAnswer } from "#backtest/answer-whatif.js";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { replayOptions } from "#backtest/replay-options.js";
import { SweepStage } from "../backtest/sweep/sweep-stage.js";
import { continueMarket } from "../backtest/whatif/continued-market.js";
import { drawCase } from "../backtest/whatif/draw-case.js";
import { captureCli } from "./captured-cli.js";

const MARKET = "btcusdc";
const SPREAD = "markets.btcusdc.params.halfSpreadBps";

describe("marketwright whatif", () => {
  const stage = new SweepStage();
  const session = join(stage.folder, "recorded");
  const fit = join(stage.folder, "fit.json");
  const whatIf = (...args: readonly string[]) => captureCli(["whatif", session, ...args]);
  const asked = async (...args: readonly string[]): Promise<WhatIfAnswer> =>
    JSON.parse((await whatIf(...args, "--json")).out);

  beforeAll(async () => {
    await stage.open(5);
    // A ladder with a half spread of 0.456 basis points that begins long.
    const { opening, config } = drawCase("train 7", 75_000);
    await continueMarket(opening, config, "recorded", session);
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  it("answers with an interval around its estimate, and begins with the session's position", async () => {
    const { code, out, err } = await whatIf("--set", `${SPREAD}=0.6`, "--fit-out", fit);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`${SPREAD}  0.456 -> 0.6`);
    expect(out).toContain("80 % interval");
    const { estimate, fills, doubts } = await asked("--set", `${SPREAD}=0.6`);
    expect(doubts.filter(({ weight }) => weight === "refuse")).toEqual([]);
    expect(fills.after).toBeLessThan(fills.before);
    expect(estimate?.total.low).toBeLessThan(estimate?.total.value as number);
    expect(estimate?.total.high).toBeGreaterThan(estimate?.total.value as number);
    const start = readFileSync(join(session, "session.json"), "utf8");
    expect(start).toContain('"positionsBase":{"btcusdc":"0.038"}');
  });

  it("has a wider interval at a higher level, and none of several changes is lost", async () => {
    const one = await asked("--set", `${SPREAD}=0.6`, "--level", "0.95");
    const other = await asked("--set", `${SPREAD}=0.6`, "--level", "0.5");
    const width = ({ estimate }: WhatIfAnswer): number =>
      (estimate?.total.high ?? 0) - (estimate?.total.low ?? 0);
    expect(width(one)).toBeGreaterThan(width(other));
    const { changes } = await asked("--set", `${SPREAD}=0.6`, "--set", "decide.everyMs=1500");
    expect(changes.map(({ path }) => path).sort()).toEqual(["decide.everyMs", SPREAD]);
  });

  it("says that the recording cannot answer, and why, with exit code 1 and no estimate", async () => {
    const { code, out } = await whatIf("--set", `${SPREAD}=0.05`);
    expect(code).toBe(1);
    expect(out).toMatch(/^CANNOT ANSWER: the innermost quotes in btcusdc are/m);
    expect(out).not.toContain("interval");
    const { estimate, doubts } = await asked("--set", `${SPREAD}=0.05`);
    expect(estimate).toBeNull();
    expect(doubts.map(({ weight }) => weight)).toContain("refuse");
  });

  it.each([
    [`${SPREAD}=0.456`, "changes nothing: the session ran with these values"],
    ["markets.btcusdc.strategy=grid", "another strategy is other code"],
    ["exchange.rest=http://elsewhere", "cannot change while the bot runs"],
    ["markets.ethusdc.params.halfSpreadBps=1", "is not a market of this bot"],
    [`${SPREAD}=-1`, "halfSpreadBps"],
    [`${SPREAD}`, "is not a change"],
  ])("refuses %s as a wrong question, with exit code 2", async (change, why) => {
    const { code, out, err } = await whatIf("--set", change);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
  });

  it("writes a fit with whose values a backtest plays", async () => {
    expect(existsSync(fit)).toBe(true);
    const text = JSON.parse(readFileSync(fit, "utf8"));
    const other = join(stage.folder, "other-fit.json");
    const fitted = { ...text.markets[MARKET], ...{ queue: "log", orderLatencyMs: 7 } };
    const write = (markets: object): void =>
      writeFileSync(other, JSON.stringify({ ...text, markets }));
    write({ [MARKET]: { ...fitted, responseLatencyMs: 11 } });
    const file = (fills: object): string =>
      stage.write("fitted.yaml", { ...stage.backtest(2), fills });
    const config = loadBacktestConfig(file({ fit: "other-fit.json" }), {});
    const own = replayOptions(config).marketModels?.get(MARKET);
    expect([own?.queue, own?.latency.entryUs(0), own?.latency.responseUs(0)]).toEqual([
      "log",
      7_000,
      11_000,
    ]);
    const out = stage.out();
    const { code } = await captureCli(["backtest", file({ fit: "other-fit.json" }), "--out", out]);
    expect(code).toBe(0);
    expect(readFileSync(join(out, "report.json"), "utf8")).toContain(
      "log, 7 ms to the exchange, 11 ms back",
    );
    const load = (fills: object) => () => loadBacktestConfig(file(fills), {});
    expect(load({ fit: "other-fit.json", queue: "log" })).toThrow("fills.queue: cannot be used");
    write({ ethusdc: fitted });
    expect(load({ fit: "other-fit.json" })).toThrow("has no fit of btcusdc");
    writeFileSync(other, "{}");
    expect(load({ fit: "other-fit.json" })).toThrow("is not a fit that this version reads");
  });
});
