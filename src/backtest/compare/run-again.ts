import { join } from "node:path";
import type { ProfitParts } from "../../account/profit.js";
import { decimalToScaled, Instrument } from "../../core/instrument.js";
import type { Lots, MarketId, Side, Ticks } from "../../core/units.js";
import { openMarks } from "../../history/columns/open-marks.js";
import { openTape } from "../../history/columns/open-tape.js";
import { DAY_MS } from "../../history/day.js";
import { HistoryStore } from "../../history/store.js";
import type { Intent } from "../../strategies/intent.js";
import type { FillModels } from "../engine/fill-models.js";
import { type MarketHistory, ReplayRun } from "../engine/replay-run.js";
import type { ReplayFill, RunObserver } from "../record/run-observer.js";
import type { Strategies } from "../run/replay-options.js";
import { type RecordedAccount, readAccount } from "../session/recorded-orders.js";
import { SESSION_FILES, type Session } from "../session/session-file.js";
import type { LatencyModel } from "../venue/latency.js";
import type { LiquidationTerms } from "../venue/market-terms.js";
import { withoutOwn } from "./without-own.js";

/** One market of a recorded session, opened. */
export interface OpenedSessionMarket {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  readonly account: RecordedAccount;
  /** With the tape as it was without our orders. */
  readonly history: MarketHistory & { readonly grade: "books" };
}

/** Opens what a session recorded of each market. @throws HistoryError naming a file that is broken; ConfigError where a market was never heard */
export async function openSession(folder: string, session: Session): Promise<readonly OpenedSessionMarket[]> {
  const store = new HistoryStore(join(folder, SESSION_FILES.history));
  const { rules, config } = session;
  const { creditDecimals, paperDecimals } = rules;
  // The exchange's clock may be far from ours: everything that this store has is of the session.
  const span = { fromUs: session.startedUs - DAY_MS * 1000, toUs: session.endedUs + DAY_MS * 1000 };
  const opened: OpenedSessionMarket[] = [];
  for (const marketId of Object.keys(config.markets)) {
    const { tickSize, stepSize } = rules.markets[marketId];
    const instrument = new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals });
    const account = await readAccount(store, instrument);
    const recorded = await openTape(store, marketId, { ...span, tickSize, stepSize });
    // A paper order was in nobody's book.
    const tape = session.mode === "live" ? withoutOwn(recorded, account.orders) : recorded;
    const hasMarks = store.days({ market: marketId, kind: "marks" }).length > 0;
    const marks = hasMarks ? await openMarks(store, marketId, { ...span, creditDecimals }) : undefined;
    opened.push({ marketId, instrument, account, history: { grade: "books", tape, marks } });
  }
  return opened;
}

/** How the session is replayed. */
export interface ReplayModel {
  readonly fills: FillModels;
  readonly latency: LatencyModel;
  readonly liquidation: LiquidationTerms;
  readonly seed: string;
}

/** An order that the bot sent in the replay. */
export interface SentOrder {
  readonly hash: string;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly level: number;
  /** When it left. */
  readonly atUs: number;
  /** When its cancel left; undefined where none did. */
  cancelledUs: number | undefined;
}

/** What the bot did in one market of the replay. */
export interface RanMarket {
  readonly intents: { readonly atUs: number; readonly intent: Intent }[];
  readonly orders: SentOrder[];
  readonly fills: ReplayFill[];
}

/** A session, run again. */
export interface RanAgain {
  readonly markets: ReadonlyMap<MarketId, RanMarket>;
  readonly profit: ProfitParts;
}

/** Runs the session's bot over the recorded interval once more, by the replay's models. @throws as {@link ReplayRun} does */
export function runAgain(session: Session, opened: readonly OpenedSessionMarket[], strategies: Strategies, model: ReplayModel): RanAgain {
  const markets = new Map(opened.map(({ marketId }) => [marketId, { intents: [], orders: [], fills: [] } as RanMarket]));
  const byHash = new Map<string, SentOrder>();
  const observer: RunObserver = {
    touch() {},
    equity() {},
    quote() {},
    action() {},
    funding() {},
    note() {},
    fill: (fill) => void markets.get(fill.marketId)?.fills.push(fill),
  };
  const run: ReplayRun = new ReplayRun({
    config: session.config,
    rules: session.rules,
    strategies,
    markets: new Map(opened.map(({ marketId, history }) => [marketId, history])),
    fills: model.fills,
    latencyOf: () => model.latency,
    liquidation: model.liquidation,
    startCredit: decimalToScaled(session.start?.equityQuote ?? "0", session.rules.creditDecimals, "start.equityQuote"),
    seed: model.seed,
    startUs: session.startedUs,
    warmupMs: 0,
    sampleUs: DAY_MS * 1000,
    observer,
    onNotice: (notice, atUs) => {
      if (notice.kind === "intent") markets.get(notice.intent.marketId)?.intents.push({ atUs, intent: notice.intent });
      if (notice.kind !== "dispatched") return;
      const { action } = notice;
      if (action.kind === "place") {
        const { hash, side, ticks, lots } = action;
        const level = run.bot.context.account.orders.get(hash)?.level ?? -1;
        const order: SentOrder = { hash, side, ticks, lots, level, atUs, cancelledUs: undefined };
        byHash.set(hash, order);
        markets.get(action.marketId)?.orders.push(order);
      } else if (action.kind === "cancel") {
        const order = byHash.get(action.hash);
        if (order !== undefined) order.cancelledUs = atUs;
      } else if (action.kind === "cancel-all") {
        for (const order of markets.get(action.marketId)?.orders ?? []) order.cancelledUs ??= atUs;
      }
    },
  });
  run.play(session.endedUs);
  run.finish();
  return { markets, profit: run.venue.account.profit() };
}
