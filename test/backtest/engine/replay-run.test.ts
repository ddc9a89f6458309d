import { concatMap, filter, map, tap } from "rxjs";
import { describe, expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import type { MarketHistory } from "#backtest/market-history.js";
import type { BoundStrategy, StrategyContext } from "#strategies/strategy.js";
import { ask, bid, books, builder, MS, S, standing, ticking, walking } from "./played-tapes.js";
import { MARKET, NOON_US, quoting, ReplayStage, Told } from "./replay-stage.js";

describe("the two clocks of a replay", () => {
  it("fills an order by nothing from before its arrival, and tells the bot after the latency of the answer", () => {
    // The book is received at 1 ms; the first view, and the quote, follow the account's
    // reconciliation.
    const tape = standing(builder(), NOON_US);
    ticking(tape, NOON_US + S, NOON_US + 10 * S);
    // A print through the bid every 100 ms: the first one after the arrival fills.
    for (let ms = 50; ms < 10_000; ms += 100)
      tape.trade(NOON_US + ms * MS, NOON_US + ms * MS + MS, "SELL", 599_990, 1);
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      latency: constantLatency(37, 23),
    });
    stage.run.play(NOON_US + 10 * S);
    const placed = stage.told.actions.find(({ kind }) => kind === "place");
    const [fill] = stage.told.fills;
    const arrivesUs = (placed?.atUs ?? 0) + 37 * MS;
    const nextPrintUs =
      Math.ceil((arrivesUs - NOON_US - 50 * MS) / (100 * MS)) * 100 * MS + NOON_US + 50 * MS;
    expect(fill).toMatchObject({
      atUs: nextPrintUs,
      receivedUs: nextPrintUs + 23 * MS,
      cause: "through",
      ticks: 599_995,
      lots: 100,
    });
    // The bot's next action follows its receipt of the fill, once the touch has settled.
    const nextPlace = stage.told.actions.filter(({ kind }) => kind === "place")[1];
    expect(nextPlace?.atUs).toBeGreaterThan(nextPrintUs + 23 * MS);
  });

  it("delivers the bot's data of an instant before the exchange handles requests that arrive at it", () => {
    const play = (printUs?: number) => {
      const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 10 * S, 3 * MS);
      if (printUs !== undefined) tape.trade(printUs, printUs + MS, "SELL", 599_995, 10);
      const toldAtQuote: {
        readonly ticks: number;
        readonly atUs: number;
        readonly fillsHeard: number;
      }[] = [];
      const observer = new Told();
      const stage = new ReplayStage({
        markets: { [MARKET]: books(tape.build()) },
        strategies: { [MARKET]: quoting((view) => (view.sequence > 20 ? [] : [bid(599_995)])) },
        latency: constantLatency(10, 10),
        observer: Object.assign(observer, {
          quote: (_marketId: string, atUs: number, _side: string, ticks: number) => {
            const fills = stage.notices.filter(
              ({ notice }) => notice.kind === "account" && notice.change.kind === "fill",
            );
            toldAtQuote.push({ ticks, atUs, fillsHeard: fills.length });
          },
        }),
      });
      stage.run.play(NOON_US + 10 * S);
      return {
        cancelUs: observer.actions.find(({ kind }) => kind === "cancel")?.atUs ?? 0,
        toldAtQuote,
        fills: observer.fills,
      };
    };
    // A part is filled when the cancel is sent, so that the fill is received when the cancel
    // arrives, with data received in between.
    const { cancelUs } = play();
    const { fills, toldAtQuote } = play(cancelUs);
    expect(fills).toMatchObject([{ lots: 5, atUs: cancelUs, receivedUs: cancelUs + 10 * MS }]);
    expect(toldAtQuote.at(-1)).toEqual({
      ticks: Number.NaN,
      atUs: cancelUs + 10 * MS,
      fillsHeard: 1,
    });
  });

  it("is the same to the byte when it is rerun, with two markets and two strategies", () => {
    const run = (): string => {
      const stage = new ReplayStage({
        markets: {
          [MARKET]: books(walking("one", 20)),
          ethusdc: books(walking("two", 20, "ethusdc")),
        },
        strategies: {
          [MARKET]: quoting((view) => [
            bid(Math.floor(view.midTicks) - 2, 10),
            ask(Math.ceil(view.midTicks) + 2, 10),
          ]),
          ethusdc: quoting((view) => [bid(view.bids[0].ticks, 3), ask(view.asks[0].ticks, 3)]),
        },
      });
      stage.run.play(NOON_US + 20 * S);
      stage.run.finish();
      expect(stage.told.fills.length).toBeGreaterThan(20);
      expect(new Set(stage.told.fills.map(({ marketId }) => marketId)).size).toBe(2);
      return stage.transcript;
    };
    expect(run()).toBe(run());
  });

  it("quotes nothing while it warms up", () => {
    const stage = new ReplayStage({
      markets: {
        [MARKET]: books(
          ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 20 * S).build(),
        ),
      },
      strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      warmupMs: 12_000,
    });
    stage.run.play(NOON_US + 20 * S);
    const [first] = stage.told.actions;
    expect(first?.atUs).toBeGreaterThanOrEqual(NOON_US + 12 * S);
    expect(first?.atUs).toBeLessThan(NOON_US + 13 * S);
  });

  it("compares each prediction from its own view on, if its quotes changed or not", () => {
    const viewed: { atUs: number; ticks: number }[] = [];
    const predicting: BoundStrategy = (context) => (view$) =>
      view$.pipe(
        tap(({ sequence }) => {
          viewed.push({ atUs: stage.run.nowUs, ticks: sequence / 2 });
          context.predictMove?.(sequence / 2);
        }),
        quoting(() => [])(context),
        filter((_, index) => index === 0),
      );
    const stage: ReplayStage = new ReplayStage({
      markets: { [MARKET]: books(walking("predicted", 5)) },
      strategies: { [MARKET]: predicting },
    });
    stage.run.play(NOON_US + 5 * S);
    expect(viewed.length).toBeGreaterThan(10);
    expect(stage.told.predictions).toEqual(viewed);
  });

  it("stops a strategy whose prediction is not a number", () => {
    const stage = new ReplayStage({
      markets: { [MARKET]: books(walking("predicted", 2)) },
      strategies: {
        [MARKET]: (context) => (view$) =>
          view$.pipe(
            tap(() => context.predictMove?.(Number.NaN)),
            quoting(() => [])(context),
          ),
      },
    });
    stage.run.play(NOON_US + 2 * S);
    expect(stage.run.haltReason).toMatch(/predictMove: is not a move of the mid/);
    expect(stage.told.predictions).toEqual([]);
  });

  it("stays halted when its strategy failed during the warm-up: the end of the warm-up does not resume it", () => {
    const failing: BoundStrategy = () => (view$) =>
      view$.pipe(
        map((view) => {
          throw new Error(`no idea of view ${view.sequence}`);
        }),
      );
    const stage = new ReplayStage({
      markets: {
        [MARKET]: books(
          ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 20 * S).build(),
        ),
      },
      strategies: { [MARKET]: failing },
      warmupMs: 12_000,
    });
    stage.run.play(NOON_US + 20 * S);
    expect(stage.run.haltReason).toMatch(/strategy-error: strategy failed: no idea of view 1$/);
    const views = stage.run.bot.context.traders.get(MARKET)?.lastView?.sequence;
    expect([views, stage.told.actions]).toEqual([1, []]);
  });

  it("names the loss that halted it, not a later state", () => {
    const tape = standing(builder(), NOON_US);
    for (let second = 2; second < 20; second++) {
      const mid = 600_000 - 100 * second;
      standing(tape, NOON_US + second * S, mid);
      tape.trade(
        NOON_US + second * S + 100 * MS,
        NOON_US + second * S + 101 * MS,
        "SELL",
        mid - 10,
        1_000,
      );
    }
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      strategies: { [MARKET]: quoting((view) => [bid(view.bids[0].ticks)]) },
      bot: { risk: { maxDrawdownQuote: "3" } },
    });
    stage.run.play(NOON_US + 20 * S);
    const told = stage.notices.flatMap(({ notice }) =>
      notice.kind === "halted" && notice.on ? [notice] : [],
    );
    const [halted] = told.filter(({ reason }) => reason === "drawdown");
    expect(halted?.why).toMatch(/^net value .* allowed 3$/);
    expect(stage.run.haltReason).toContain(` by drawdown: ${halted?.why}`);
  });

  it("cancels its quotes where the recording has a gap: silence there is not a quiet market", () => {
    const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 10 * S);
    standing(tape, NOON_US + 60 * S);
    ticking(tape, NOON_US + 61 * S, NOON_US + 70 * S);
    const at = NOON_US / 1000;
    const stage = (gaps: readonly (readonly [number, number])[]): ReplayStage => {
      const made = new ReplayStage({
        markets: { [MARKET]: books(tape.build(), { gaps } as Partial<MarketHistory>) },
        strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      });
      made.run.play(NOON_US + 70 * S);
      return made;
    };
    const last = (made: ReplayStage, beforeS: number) =>
      made.told.quotes.findLast(({ atUs }) => atUs < NOON_US + beforeS * S)?.ticks;
    expect(last(stage([]), 59)).toBe(599_995);
    const gapped = stage([[at + 10_000, at + 60_000]]);
    expect(last(gapped, 59)).toBeNaN();
    expect(last(gapped, 70)).toBe(599_995);
  });
});

describe("the exchange's budgets in a replay", () => {
  it("throttles a strategy that would have been throttled live", () => {
    let turn = 0;
    const stage = new ReplayStage({
      markets: { [MARKET]: books(walking("busy", 150)) },
      strategies: {
        [MARKET]: quoting((view) => {
          turn += 1;
          return [
            bid(Math.floor(view.midTicks) - 20 - (turn % 7), 10),
            ask(Math.ceil(view.midTicks) + 20 + (turn % 5), 10),
          ];
        }),
      },
      rules: { orderTokensPerMinute: 60 },
    });
    stage.run.play(NOON_US + 150 * S);
    const spent = stage.told.actions
      .filter(({ kind }) => kind !== "throttled")
      .map(({ atUs }) => atUs);
    const most = Math.max(
      ...spent
        .map((atUs, at) => spent.slice(at).findIndex((later) => later >= atUs + 60 * S))
        .filter((count) => count > 0),
    );
    expect(spent.length).toBeGreaterThan(60);
    expect(most).toBeLessThanOrEqual(60);
    expect(stage.told.actions.some(({ kind }) => kind === "throttled")).toBe(true);
    expect(stage.told.notes.filter((text) => text.includes("refused a"))).toEqual([]);
  });
});

describe("a strategy that awaits promises", () => {
  it("acts at the instant of its view: time does not move until it has answered", async () => {
    const slow: BoundStrategy = () => (view$) =>
      view$.pipe(
        concatMap(async (view) => {
          for (let turn = 0; turn < 5; turn++) await Promise.resolve();
          return view;
        }),
        quoting((view) => [bid(Math.floor(view.midTicks) - 3, 10)])(NO_CONTEXT),
      );
    const placesOf = async (strategy: BoundStrategy): Promise<readonly number[]> => {
      const stage = new ReplayStage({
        markets: { [MARKET]: books(walking("slow", 10)) },
        strategies: { [MARKET]: strategy },
      });
      await stage.run.playAwaiting(NOON_US + 10 * S);
      return stage.told.actions.filter(({ kind }) => kind === "place").map(({ atUs }) => atUs);
    };
    const places = await placesOf(slow);
    expect(places.length).toBeGreaterThan(5);
    expect(places).toEqual(
      await placesOf(quoting((view) => [bid(Math.floor(view.midTicks) - 3, 10)])),
    );
  });
});

const NO_CONTEXT = undefined as unknown as StrategyContext;
