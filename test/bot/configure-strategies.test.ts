import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeRunningConfig } from "#bot/change-running-config.js";
import { applyChange, previewChange } from "#bot/change-values.js";
import type { QuotedMarket } from "#bot/config-difference.js";
import { parseConfigPath } from "#bot/config-path.js";
import { prepareChange } from "#bot/prepare-change.js";
import { replayLines } from "#bot/replay-journal.js";
import { ConfigError } from "#core/errors.js";
import { sampledRuns } from "../support/sampled-runs.js";
import {
  asFile,
  botConfigOf,
  EXCHANGE,
  MemoryJournal,
  startVirtualRun,
  turnsOf,
  type VirtualRun,
} from "./recorded-run.js";
import { StrategyFolder } from "./strategy-folder.js";

const folder = new StrategyFolder();
const LIVELY = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

const configOf = (strategy: string, params: object, more: object = {}) =>
  botConfigOf({
    markets: {
      btcusdc: { strategy, params, limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" } },
    },
    ...more,
  });

async function started(config: ReturnType<typeof configOf>, forMs = 20_000) {
  const journal = new MemoryJournal();
  const run = await startVirtualRun({ config, journal, exchangeConfig: LIVELY });
  await run.clock.runFor(forMs);
  return { run, journal };
}

const prepared = ({ running: { bot } }: VirtualRun, ...changes: readonly [string, unknown][]) =>
  prepareChange(
    bot.context,
    changeRunningConfig(
      bot.context,
      changes.map(([path, value]) => ({ path: parseConfigPath(path), value })),
    ),
  );

const preview = (run: VirtualRun, ...changes: readonly [string, unknown][]) =>
  previewChange(run.running.bot, prepared(run, ...changes));

const apply = (run: VirtualRun, ...changes: readonly [string, unknown][]) =>
  applyChange(run.running.bot, prepared(run, ...changes), run.running.command);

const P = "markets.btcusdc.params";

/** Sizes and fates alone. */
const quotesOf = ({ quotes, cancels }: QuotedMarket) => ({
  quotes: quotes.map(({ side, level, amountBase, fate }) =>
    [side, level, amountBase, fate].join(" "),
  ),
  cancels,
});

const pricesOf = ({ quotes }: QuotedMarket) => quotes.map(({ price }) => Number(price));

async function expectReplay(run: VirtualRun, journal: MemoryJournal): Promise<void> {
  await run.stop();
  const result = await replayLines(asFile(journal.lines));
  expect(result.divergence).toBeUndefined();
  expect(result.turns).toBe(journal.lines.length - 1);
}

const MODELS = [
  ["ladder", { halfSpreadBps: 3, levels: 2, sizeBase: 0.02, refreshToleranceBps: 0.4 }],
  ["avellaneda-stoikov", { riskAversion: 0.05, sizeBase: 0.02, sigma: { sigmaBps: 1 } }],
  ["glft", { riskAversion: 0.05, sizeBase: 0.02, sigma: { sigmaBps: 1 } }],
] as const;

/** The same with estimates, and first values that are far off. */
const ESTIMATING = MODELS.slice(1).map(([name, params]) => {
  const intensity = { estimator: "ewma", minCells: 1, windowMs: 10_000 };
  const sigma = { estimator: "ewma", initialBps: 50 };
  return [name, { ...params, sigma, intensity, kPerBps: 0.01 }] as const;
});

describe("a preview", () => {
  it.each(MODELS)("of %s is what the change then gives", async (name, params) => {
    const { run, journal } = await started(configOf(name, params));
    const spread = name === "ladder" ? "halfSpreadBps" : "riskAversion";
    for (const changes of [
      [[`${P}.${spread}`, 0.09]],
      [[`${P}.sizeBase`, 0.01]],
      [["markets.btcusdc.limits.maxPositionBase", "0.03"]],
      [["markets.btcusdc.limits.maxOrderBase", "0.1"]],
      [[`${P}.levels`, 3]],
      [["quotes.priceToleranceTicks", 300]],
      [["markets.btcusdc.limits.maxOpenOrders", 2]],
    ] as readonly (readonly [string, unknown][])[]) {
      const shown = preview(run, ...changes);
      const done = apply(run, ...changes);
      if (done.state === "same") continue;
      const { btcusdc: foreseen } = shown.markets;
      const { btcusdc: found } = done.markets;
      if (foreseen === undefined || found === undefined) throw new Error("no market");
      expect(quotesOf(foreseen.after), JSON.stringify(changes)).toEqual(quotesOf(found.after));
      expect(foreseen.before).toEqual(found.before);
      expect(pricesOf(foreseen.after)).toEqual(pricesOf(found.after));
      expect(foreseen.strategy).toBe(found.strategy);
      await run.clock.runFor(3_000);
    }
    await expectReplay(run, journal);
  });

  it.each(ESTIMATING)("of %s uses the estimates of the running strategy", async (name, params) => {
    const { run } = await started(configOf(name, params), 30_000);
    const change = [`${P}.riskAversion`, 0.06] as const;
    const foreseen = preview(run, [...change]).markets.btcusdc;
    const found = apply(run, [...change]).markets.btcusdc;
    if (foreseen === undefined || found === undefined) throw new Error("no market");
    expect(pricesOf(foreseen.after)).toHaveLength(2);
    // The change gives the estimators one more view.
    for (const [at, price] of pricesOf(found.after).entries())
      expect(Math.abs((pricesOf(foreseen.after)[at] ?? 0) / price - 1)).toBeLessThan(1e-4);
    const anew = preview(run, [`${P}.sigma.windowMs`, 59_000]).markets.btcusdc;
    const [bid = 0] = anew === undefined ? [] : pricesOf(anew.after);
    expect(bid / (pricesOf(found.after)[0] ?? 0), "without them it is far away").toBeLessThan(
      0.999,
    );
    await run.stop();
  });

  it.each([...MODELS, ...ESTIMATING])(
    "of %s changes nothing, now or later",
    async (name, params) => {
      const journals = await Promise.all(
        [true, false].map(async (isPreviewed) => {
          const { run, journal } = await started(configOf(name, params), 5_000);
          for (let again = 0; again < sampledRuns(40); again++) {
            if (isPreviewed) {
              preview(run, [`${P}.sizeBase`, 0.01 + (again % 5) / 100]);
              preview(run, ["markets.btcusdc.limits.maxPositionBase", "0.02"]);
              preview(run, ["decide.everyMs", 100], ["risk.maxLeverage", 0.01]);
            }
            await run.clock.runFor(373);
          }
          await run.stop();
          return journal.lines;
        }),
      );
      expect(journals[0]).toEqual(journals[1]);
    },
  );
});

/** Counts its views, and quotes further away with each; follows its parameters or not. */
const counting = (follows: string) => `
import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.strictObject({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
  create: (params, { instrument }, changes) => {
    if (params.halfSpreadBps > 1000) throw new Error("too far for me");
    return (view$) => {
      let current = params;
      let views = 0;
      ${follows}
      return view$.pipe(map((view) => {
        views++;
        const intent = quoteAround(view, 60_000 / instrument.tickQuote, current);
        return { ...intent, reason: { ...intent.reason, terms: { views } } };
      }));
    };
  },
});
`;
const FOLLOWS = "changes.follow({ apply: (changed) => { current = changed; } });";

async function ownStrategy(follows: string) {
  folder.write("own.ts", counting(follows));
  const params = { halfSpreadBps: 50, sizeBase: 0.02 };
  return started(configOf(join(folder.folder, "own.ts"), params), 5_000);
}

const viewsOf = ({ running }: VirtualRun) =>
  [...running.bot.context.traders.values()][0]?.quotes?.reason.terms.views ?? 0;

describe("a strategy of the user's own", () => {
  it("is created again with new parameters, without its state, and keeps the orders that are right", async () => {
    const { run, journal } = await ownStrategy("");
    expect(viewsOf(run)).toBeGreaterThan(10);
    const turns = turnsOf(journal).length;
    const done = apply(run, [`${P}.halfSpreadBps`, 50.0000001]);
    expect(done.markets.btcusdc?.strategy).toBe("restarted");
    expect(done.notes).toEqual([expect.stringContaining("its estimates begin anew")]);
    expect(viewsOf(run)).toBe(1);
    await run.clock.runFor(2_000);
    const actions = turnsOf(journal)
      .slice(turns)
      .flatMap((turn) => turn.actions);
    expect(actions.filter(({ kind }) => kind !== "question")).toEqual([]);
    await expectReplay(run, journal);
  });

  it("keeps its state if it follows its parameters", async () => {
    const { run, journal } = await ownStrategy(FOLLOWS);
    const before = viewsOf(run);
    const done = apply(run, [`${P}.halfSpreadBps`, 60]);
    expect(done.markets.btcusdc?.strategy).toBe("kept");
    expect(done.notes).toEqual([]);
    expect(viewsOf(run)).toBe(before + 1);
    const { before: old, after } = done.markets.btcusdc ?? {};
    expect(old?.quotes.map(({ price }) => price)).toEqual(["59700", "60300"]);
    expect(after?.quotes.map(({ price }) => price)).toEqual(["59640", "60360"]);
    await expectReplay(run, journal);
  });

  it("is halted in its market if it fails at the new parameters", async () => {
    const { run, journal } = await ownStrategy(
      'changes.follow({ apply: () => { throw new Error("not this one"); } });',
    );
    apply(run, [`${P}.halfSpreadBps`, 60]);
    await run.clock.runFor(2_000);
    const [halt] = run.running.bot.tradingGuards.haltsFor("btcusdc");
    expect(halt).toMatchObject({ name: "strategy-error", why: /not this one/ });
    expect(run.running.bot.context.account.orders.mayStillFill("btcusdc")).toEqual([]);
    await expectReplay(run, journal);
  });

  it("refuses parameters by its schema and by its factory, and nothing changes", async () => {
    const { run, journal } = await ownStrategy("");
    const before = viewsOf(run);
    for (const [changes, why] of [
      [[[`${P}.halfSpreadBps`, -1]], /halfSpreadBps/],
      [[[`${P}.speed`, 1]], /unknown key/],
      [[[`${P}.sizeBase`, 0.0205]], /whole multiple of the step/],
      [[[`${P}.halfSpreadBps`, 2000]], /does not start with them: too far for me/],
      [
        [
          ["decide.everyMs", 100],
          [`${P}.halfSpreadBps`, 2000],
        ],
        /too far for me/,
      ],
    ] as readonly (readonly [readonly [string, unknown][], RegExp])[]) {
      expect(() => apply(run, ...changes)).toThrow(ConfigError);
      expect(() => apply(run, ...changes)).toThrow(why);
    }
    expect(viewsOf(run)).toBe(before);
    expect(run.running.bot.context.config.decide.everyMs).toBe(250);
    const commands = turnsOf(journal).flatMap(({ input }) =>
      input.kind === "command" ? [input.command.command] : [],
    );
    expect(commands).not.toContain("configure");
    await expectReplay(run, journal);
  });
});

/** With an object that has a default, and one whose values have another form than the file's. */
const DEFAULTED = `
import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
const coolDown = z.strictObject({
  fills: z.number().int().positive(),
  forMs: z.number().positive(),
  side: z.enum(["both", "filled"]),
});
const within = z.strictObject({
  from: z.string().transform((text) => ({ hour: Number(text) })),
  to: z.string(),
});
export default defineStrategy({
  params: z.strictObject({
    halfSpreadBps: z.number().positive().default(50),
    coolDown: coolDown.default({ fills: 3, forMs: 1000, side: "both" }),
    within: within.prefault({ from: "8", to: "17" }),
  }),
  create: ({ halfSpreadBps, coolDown }) => (view$) =>
    view$.pipe(map((view) => {
      const intent = quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase: 0.02 });
      return { ...intent, reason: { ...intent.reason, terms: { ...coolDown, side: 0 } } };
    })),
});
`;

const defaultedStrategy = () => {
  folder.write("own.ts", DEFAULTED);
  return started(configOf(join(folder.folder, "own.ts"), {}), 5_000);
};

describe("a strategy with an object that has a default", () => {
  it("gets one key of it changed, so that nobody repeats a cool-down to make it longer", async () => {
    const { run, journal } = await defaultedStrategy();
    const changes = [{ path: `${P}.coolDown.forMs`, before: "1000", after: "2000" }];
    expect(preview(run, [`${P}.coolDown.forMs`, 2000]).changes).toEqual(changes);
    expect(apply(run, [`${P}.coolDown.forMs`, 2000]).changes).toEqual(changes);
    const [trader] = run.running.bot.context.traderList;
    expect(trader?.quotes?.reason.terms).toMatchObject({ fills: 3, forMs: 2000 });
    await expectReplay(run, journal);
  });

  it("shows the default that a first change of a key replaces", async () => {
    const { run } = await defaultedStrategy();
    expect(preview(run, [`${P}.halfSpreadBps`, 60]).changes).toEqual([
      { path: `${P}.halfSpreadBps`, before: "50", after: "60" },
    ]);
    await run.stop();
  });

  it("asks for the whole object where its default cannot be written back", async () => {
    const { run } = await defaultedStrategy();
    expect(() => apply(run, [`${P}.within.to`, "18"])).toThrow(
      /within.*default.*the whole object, such as markets\.btcusdc\.params\.within=/s,
    );
    apply(run, [`${P}.within`, { from: "9", to: "18" }]);
    await run.stop();
  });
});
