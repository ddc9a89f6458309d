import type { Int64Id, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { Outcome, Query, QueryResponses } from "../../exchange/venue.js";
import type { AccountChange } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";
import { type HistoryWindow, PAGE_LIMIT, windowsAfterPage } from "./history-windows.js";
import type { PendingQuery } from "./pending-queries.js";
import type { ReconcileRun } from "./reconcile-run.js";

/** A follow-up query. For a page of the history it has a window. */
export interface FollowUpQuery {
  readonly query: Query;
  readonly window?: HistoryWindow;
}

/** The changes that a response made, and the further pages that it requires. */
export interface ResponseResult {
  readonly changes: AccountChange[];
  readonly followUps: FollowUpQuery[];
}

type Answered = Extract<Outcome, { result: "answered" }>;

/** Applies a response to the books and to the run. */
export function applyResponse(
  run: ReconcileRun,
  pending: PendingQuery,
  outcome: Answered,
  nowMs: Ms,
): ResponseResult {
  const { updater } = run;
  const { query } = pending;
  const changes: AccountChange[] = [];
  const next: FollowUpQuery[] = [];
  switch (outcome.ask) {
    case "time":
      run.exchangeTimeMs = outcome.data.serverTimeMs;
      if (run.cause === "start") updater.incomes.begin(outcome.data.serverTimeMs);
      break;
    case "openOrders":
      changes.push(...openOrders(run, pending.sentAtMs, outcome.data, nowMs));
      break;
    case "balances":
      changes.push(...applyBalances(run, outcome.data, nowMs));
      break;
    case "historyOrders":
      for (const order of outcome.data)
        changes.push(...updater.applyOrder(order, "history", nowMs, pending.sentAtMs));
      if (query.ask === "historyOrders" && pending.window !== undefined) {
        const { marketId } = query;
        const verdict = windowsAfterPage(
          pending.window,
          outcome.data.map(({ createdAtMs }) => createdAtMs),
        );
        if (!verdict.complete) run.incompleteHistory.add(marketId);
        for (const window of verdict.rest)
          next.push({ query: createHistoryQuery(marketId, window), window });
      }
      break;
    case "userTrades":
      if (query.ask === "userTrades")
        applyTrades(query, outcome.data, updater, nowMs, changes, next);
      break;
    case "incomes":
      for (const income of outcome.data)
        changes.push(...updater.applyIncome(income, "rest", nowMs));
      if (query.ask === "incomes") next.push(...furtherIncomes(query, outcome.data));
      break;
    default:
      break;
  }
  return { changes, followUps: next };
}

/** Creates the query for the next page of trades of a market, after `afterId`. */
export function createTradesQuery(
  intake: AccountUpdater,
  marketId: MarketId,
  afterId?: Int64Id,
): Query {
  const fromId = intake.trades.nextTradeId(marketId, afterId);
  return { ask: "userTrades", marketId, ...(fromId === undefined ? {} : { fromId }) };
}

/** The queries for the incomes that a page leaves open. */
function furtherIncomes(
  question: Extract<Query, { ask: "incomes" }>,
  page: QueryResponses["incomes"],
): FollowUpQuery[] {
  const window = { startMs: question.startTimeMs ?? 0, endMs: question.endTimeMs };
  const { rest } = windowsAfterPage(
    window,
    page.map(({ timeMs }) => timeMs),
  );
  return rest.map(({ startMs, endMs }) => ({
    query: {
      ...question,
      startTimeMs: startMs,
      ...(endMs === undefined ? {} : { endTimeMs: endMs }),
    },
  }));
}

/** Creates a query for the history of a market in a window. */
export function createHistoryQuery(marketId: MarketId, window: HistoryWindow): Query {
  const end = window.endMs === undefined ? {} : { endTimeMs: window.endMs };
  return { ask: "historyOrders", marketId, startTimeMs: window.startMs, ...end };
}

function openOrders(
  run: ReconcileRun,
  requestedAtMs: Ms,
  open: readonly VenueOrder[],
  nowMs: Ms,
): readonly AccountChange[] {
  const { updater } = run;
  const { orders } = updater;
  const changes: AccountChange[] = [];
  const listed = new Set<string>();
  for (const order of open) {
    const before = orders.recognise(order);
    const news = updater.applyOrder(order, "open-orders", nowMs, requestedAtMs);
    changes.push(...news);
    const unexpected = news.some(
      (c) => c.kind === "adopted" || (c.kind === "order" && c.change.change === "revived"),
    );
    if (unexpected && run.cause !== "start") {
      const ours = before === undefined ? "not in the table" : before.phase;
      const theirs = `${order.status}, ${order.availableLots} of ${order.lots} lots available`;
      run.differences.push({
        kind: "order-unexpected",
        marketId: order.marketId,
        subject: order.hash,
        ours,
        theirs,
      });
    }
    listed.add(orders.recognise(order)?.hash ?? order.id);
  }
  for (const order of orders.unresolved()) {
    if (listed.has(order.hash)) continue;
    if (order.place === "unknown" || order.place === "sent") {
      if (run.exchangeTimeMs > order.requestTimestampMs + run.options.signatureWindowMs)
        run.overdueUnknown.push(order.hash);
    } else if (
      order.place === "seen" &&
      order.seenAtMs !== undefined &&
      order.seenAtMs < requestedAtMs
    ) {
      run.missing.push(order.hash);
    }
  }
  for (const order of orders.foreign()) {
    if (!listed.has(order.id) && order.createdAtMs < run.exchangeTimeMs)
      run.foreignMissing.push(order.id);
  }
  return changes;
}

function applyBalances(
  run: ReconcileRun,
  { balances, positions }: QueryResponses["balances"],
  nowMs: Ms,
): readonly AccountChange[] {
  const { count, updater } = run;
  if (count === undefined) return [];
  count.positions = positions;
  // A stream update since the query is as new as the response, or newer.
  if (count.streamBalancesSerial !== updater.streamBalancesSerial) return [];
  const before = updater.netValue.reported;
  const quiet =
    count.moneySerial === updater.balancesMoneySerial && count.moneySerial === updater.moneySerial;
  if (
    before !== undefined &&
    quiet &&
    run.cause !== "start" &&
    creditOf(before.balances) !== creditOf(balances)
  ) {
    run.differences.push({
      kind: "balance",
      marketId: undefined,
      subject: "credit",
      ours: `credit ${creditOf(before.balances)}`,
      theirs: `credit ${creditOf(balances)}`,
    });
  }
  return updater.applyAccount(balances, positions, "rest", nowMs);
}

function applyTrades(
  question: Extract<Query, { ask: "userTrades" }>,
  trades: QueryResponses["userTrades"],
  intake: AccountUpdater,
  nowMs: Ms,
  changes: AccountChange[],
  next: FollowUpQuery[],
): void {
  const { marketId, fromId } = question;
  intake.trades.beginList(marketId, trades);
  for (const trade of trades) changes.push(...intake.applyTrade(trade, "rest", nowMs));
  const ids = trades.map(({ id }) => id);
  if (fromId === undefined) {
    intake.trades.readLatest(marketId, ids);
    return;
  }
  const last = ids.reduce<bigint | undefined>(
    (most, id) => (most === undefined || BigInt(id) > most ? BigInt(id) : most),
    undefined,
  );
  const wentOn = last !== undefined && last >= BigInt(fromId);
  if (trades.length >= PAGE_LIMIT && wentOn)
    next.push({ query: createTradesQuery(intake, marketId, last.toString()) });
  else intake.trades.readTo(marketId, last?.toString());
}

function creditOf(balances: {
  readonly primaryCredit: bigint;
  readonly secondaryCredit: bigint;
}): bigint {
  return balances.primaryCredit + balances.secondaryCredit;
}
