import type { ProfitParts } from "../../../account/profit/account-profit.js";
import type { BotEvent } from "../../../bot/engine/bot-event.js";
import { decimalToScaled } from "../../../core/instrument.js";
import {
  type CreditUnits,
  DAY_MS,
  type Hex,
  type Lots,
  type MarketId,
  type Side,
  type Ticks,
} from "../../../core/units.js";
import type { VenueOrder } from "../../../exchange/records.js";
import type { ReferenceTape } from "../../../history/columns/reference-tape.js";
import type { Span } from "../../../history/spans.js";
import type { Intent } from "../../../strategies/intent.js";
import { ReplayRun } from "../../engine/replay-run.js";
import type { ReplayFill, RunObserver } from "../../record/run-observer.js";
import type { StrategyError } from "../../record/strategy-errors.js";
import type { Strategies } from "../../run/replay-options.js";
import type { RecordedAccount } from "../../session/recorded-orders.js";
import type { Session } from "../../session/session-file.js";
import { constantLatency, type LatencyModel } from "../../venue/latency/latency.js";
import type { LiquidationTerms } from "../../venue/market-terms.js";
import type { OpeningPosition } from "../../venue/replay-account.js";
import { HaltHistory, type HaltRecord } from "../halt-history.js";
import type { OpenedSessionMarket } from "../open-session.js";
import type { RerunModel, RerunModels } from "./choose-rerun-models.js";

/** Options for replaying the session. */
export interface RerunOptions {
  readonly models: RerunModels;
  /** The prices of its reference sources, by their names. */
  readonly references: ReadonlyMap<string, ReferenceTape>;
  readonly liquidation: LiquidationTerms;
  readonly seed: string;
  /** Start of the rerun, microseconds since 1970. */
  readonly startUs: number;
  /** Times at which its requests do not get through, on the bot's clock, ascending. */
  readonly outages: readonly Span[];
  /** Called with every event of the bot. */
  readonly onBotEvent?: ((notice: BotEvent) => void) | undefined;
}

/** An order that the bot sent in the replay, or that was open at its beginning. */
export interface RerunOrder {
  readonly hash: string;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly level: number;
  /** When it was sent, or when the replay began. */
  readonly atUs: number;
  /** When its cancel was sent; undefined where none was. */
  cancelledUs: number | undefined;
}

/** The bot's actions in one market of the replay. */
export interface RerunMarket {
  readonly intents: { readonly atUs: number; readonly intent: Intent }[];
  readonly orders: RerunOrder[];
  readonly fills: ReplayFill[];
}

/** The result of a rerun. */
export interface RerunResult {
  readonly markets: ReadonlyMap<MarketId, RerunMarket>;
  readonly profit: ProfitParts;
  /** Markets in which it began with the session's opening position. */
  readonly marketsWithOpeningPosition: ReadonlySet<MarketId>;
  /** Reasons why the rerun is unusable, as text. */
  readonly worthless: readonly string[];
  /** The first error of each market's strategy. */
  readonly strategyErrors: readonly StrategyError[];
  /** Until the session ended. */
  readonly halts: readonly HaltRecord[];
}

/**
 * Computes the opening credit of the replayed account, in the quote asset's credit units: the
 * credit at the first decision plus all later deposits, which the replay has from the beginning.
 * Withdrawals are left out.
 */
export function computeStartCredit({ start, end, rules }: Session): CreditUnits {
  const found = decimalToScaled(
    start?.equityQuote ?? "0",
    rules.creditDecimals,
    "start.equityQuote",
  );
  const transferred = decimalToScaled(
    end.transfersQuote,
    rules.creditDecimals,
    "end.transfersQuote",
  );
  return transferred > 0n ? found + transferred : found;
}

/**
 * The positions that a session began with, each valued at the market's mark price of that instant.
 * A market without a recorded mark price is left out: the value of its position is not known.
 * @param startUs when the replay begins, microseconds since 1970
 */
export function openingPositions(
  { start }: Pick<Session, "start">,
  opened: readonly Pick<OpenedSessionMarket, "marketId" | "instrument" | "history">[],
  startUs: number,
): Map<MarketId, OpeningPosition> {
  return new Map(
    opened.flatMap(({ marketId, instrument, history }): [MarketId, OpeningPosition][] => {
      const amount = start?.positionsBase[marketId] ?? "0";
      const lots = instrument.parseAmount(amount.replace("-", ""));
      const mark = markAt(history.marks, startUs);
      return lots === 0 || mark === undefined
        ? []
        : [[marketId, { lots: amount.startsWith("-") ? -lots : lots, mark }]];
    }),
  );
}

/**
 * The orders that were open when the replay begins, with what was filled of them until then.
 * @param startUs when the replay begins, microseconds since 1970
 */
export function listOpenOrders(
  { openingOrders = [] }: Pick<RecordedAccount, "openingOrders">,
  startUs: number,
): readonly VenueOrder[] {
  return openingOrders.flatMap(({ reported, ticks, lots, steps, timeInForce, expirationMs }) => {
    const last = steps.findLast(({ atUs }) => atUs <= startUs) ?? steps[0];
    const isExpired = timeInForce === "GTT" && expirationMs * 1000 <= startUs;
    const availableLots = last?.openLots ?? 0;
    return availableLots === 0 || isExpired ? [] : [{ ...reported, ticks, lots, availableLots }];
  });
}

/**
 * Finds when a session's bot first saw the market that it decided on, microseconds of its own
 * clock. Before that it had requested its account and its rules, which a replayed bot has at once.
 * If it never decided, this is the start of the session.
 */
export function findFirstViewUs(
  { startedUs }: Session,
  opened: readonly OpenedSessionMarket[],
  firstDecisionUs: number | undefined,
): number {
  if (firstDecisionUs === undefined) return startedUs;
  const lastHeardUs = opened.map(({ recordedTape: { localUs } }) =>
    localUs.reduce(
      (lastUs, us) => (us <= firstDecisionUs ? Math.max(lastUs, us) : lastUs),
      startedUs,
    ),
  );
  return Math.max(startedUs, Math.min(firstDecisionUs, ...lastHeardUs) - 1);
}

/**
 * Reruns the session's bot over the recorded interval with the replay's models.
 * @throws as {@link ReplayRun} does
 */
export function rerunSession(
  session: Session,
  opened: readonly OpenedSessionMarket[],
  strategies: Strategies,
  model: RerunOptions,
): RerunResult {
  const openOrders = opened.flatMap(({ account }) => listOpenOrders(account, model.startUs));
  const byHash = new Map<string, RerunOrder>();
  const markets = new Map(
    opened.map(({ marketId }) => {
      const orders = openOrders
        .filter((order) => order.marketId === marketId)
        .map((order) => toRerunOrder(order, -1, model.startUs));
      for (const order of orders) byHash.set(order.hash, order);
      return [marketId, { intents: [], orders, fills: [] } as RerunMarket];
    }),
  );
  const observer: RunObserver = {
    touch() {},
    equity() {},
    quote() {},
    action() {},
    prediction() {},
    funding() {},
    note() {},
    fill: (fill) => void markets.get(fill.marketId)?.fills.push(fill),
  };
  const halts = new HaltHistory(model.startUs / 1000);
  const { defaultModel, fitted } = model.models;
  const opening = openingPositions(session, opened, model.startUs);
  const latency = latencyOf(defaultModel);
  const run: ReplayRun = new ReplayRun({
    config: session.config,
    rules: session.rules,
    strategies,
    markets: new Map(opened.map(({ marketId, history }) => [marketId, history])),
    references: model.references,
    fills: {
      queue: defaultModel.queue,
      partialFills: true,
      doubtful: defaultModel.doubtful,
      queueAheadBase: undefined,
      slippageTicks: 1,
      path: "ohlc",
      volumeShare: 0.1,
    },
    createLatency: () => latency,
    marketModels: new Map(
      [...fitted].map(([marketId, own]) => [
        marketId,
        { queue: own.queue, latency: latencyOf(own) },
      ]),
    ),
    liquidation: model.liquidation,
    startCredit: computeStartCredit(session),
    opening,
    openOrders,
    account: session.account as Hex,
    seed: model.seed,
    startUs: model.startUs,
    outages: model.outages,
    warmupMs: 0,
    sampleUs: DAY_MS * 1000,
    observer,
    onBotEvent: (notice, atUs) => {
      model.onBotEvent?.(notice);
      halts.onBotEvent(notice, atUs / 1000);
      if (notice.kind === "intent")
        markets.get(notice.intent.marketId)?.intents.push({ atUs, intent: notice.intent });
      if (notice.kind !== "dispatched") return;
      const { action } = notice;
      if (action.kind === "place") {
        const level = run.bot.context.account.orders.get(action.hash)?.level ?? -1;
        const order = toRerunOrder(action, level, atUs);
        byHash.set(action.hash, order);
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
  const stood = halts.haltsUntil(session.endedUs / 1000);
  const { worthless, strategyErrors } = run;
  run.finish();
  return {
    marketsWithOpeningPosition: new Set(opening.keys()),
    worthless,
    strategyErrors,
    markets,
    profit: run.venue.account.profit(),
    halts: stood,
  };
}

function toRerunOrder(
  { hash, side, ticks, lots }: Pick<RerunOrder, "hash" | "side" | "ticks" | "lots">,
  level: number,
  atUs: number,
): RerunOrder {
  return { hash, side, ticks, lots, level, atUs, cancelledUs: undefined };
}

function latencyOf({ orderLatencyMs, responseLatencyMs }: RerunModel): LatencyModel {
  return constantLatency(orderLatencyMs, responseLatencyMs);
}

/** The newest mark price at an instant, or the first after it. */
function markAt(
  marks: OpenedSessionMarket["history"]["marks"],
  atUs: number,
): CreditUnits | undefined {
  if (marks === undefined) return undefined;
  const after = marks.localUs.findIndex((us) => us > atUs);
  return marks.markCredit[Math.max(0, (after === -1 ? marks.localUs.length : after) - 1)];
}
