import { Decimal } from "decimal.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { type Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { Lots, Side, Ticks } from "../../core/units.js";
import type { StrategyError } from "../record/strategy-errors.js";
import { formatInstant } from "../report/page/format-instant.js";
import type { Strategies } from "../run/replay-options.js";
import { recordedTurns } from "../session/read-turns.js";
import type { Session } from "../session/session-file.js";
import type { LiquidationTerms } from "../venue/market-terms.js";
import { intentText, matchIntents, readIntents, type TimedIntent } from "./compare-intents.js";
import {
  buildComparisonNotes,
  fitNote,
  nothingFilledNote,
  worthlessNotes,
} from "./comparison-notes.js";
import type { ComparedDifference, Comparison } from "./comparison-schema.js";
import { type FillDifference, FillExplainer } from "./fill-explainer.js";
import { findOutageWindows } from "./find-outage-windows.js";
import {
  backtestModel,
  type EvaluatedModel,
  evaluateModel,
  type Fit,
  fitModel,
  initialModel,
  type ParityInputs,
  WINDOW_US,
} from "./fit-model.js";
import { type FillMatch, matchedShare, matchFills } from "./match-fills.js";
import {
  type OpenedSessionMarket,
  openSession,
  openSessionReferences,
  toMarketData,
  toParityInputs,
} from "./open-session.js";
import {
  chooseRerunModels,
  type RerunModel,
  type RerunModelOptions,
} from "./replay/choose-rerun-models.js";
import { replayTurns, type TurnReplayResult } from "./replay/replay-turns.js";
import { findFirstViewUs, type RerunMarket, rerunSession } from "./replay/rerun-session.js";
import { RerunFillExplainer } from "./rerun-fill-explainer.js";

/** Options for replaying a session. Anything left out is taken from the recording itself. */
export interface CompareSessionOptions extends RerunModelOptions {
  readonly folder: string;
  readonly session: Session;
  readonly strategies: Strategies;
  readonly liquidation: LiquidationTerms;
  readonly seed: string;
  /**
   * Searches for the queue model and latencies under which the recorded orders fill most alike, and
   * replays with them.
   */
  readonly fit: boolean;
  /** Called with every event of the bot in the rerun. */
  readonly onBotEvent?: (notice: BotEvent) => void;
}

const OBJECTIVE =
  "greatest share of the union's size that both filled, by side and price within the window, in the first half of the session; the second half judges";

/**
 * Compares a recorded session with its replay in two ways: its own orders in the replayed market,
 * and its bot rerun.
 * @throws ConfigError, HistoryError or RunError where the recording or the models cannot be
 * replayed
 */
export async function compareSession(options: CompareSessionOptions): Promise<Comparison> {
  const { folder, session } = options;
  const opened = await openSession(folder, session);
  const judged = opened.map((market) => {
    const inputs = toParityInputs(market, session);
    const fit = options.fit ? fitModel(inputs) : undefined;
    const plain = initialModel(inputs);
    return {
      market,
      inputs,
      fit,
      best: fit?.best ?? evaluateModel(inputs, { ...plain, queue: options.queue ?? plain.queue }),
    };
  });
  const models = chooseRerunModels(options, session, judged);
  const intents = await readIntents(folder, session);
  const cutOff = findOutageWindows(opened);
  const firstViewUs = findFirstViewUs(session, opened, intents[0]?.atUs);
  const again = rerunSession(session, opened, options.strategies, {
    models,
    references: await openSessionReferences(folder, session),
    liquidation: options.liquidation,
    seed: options.seed,
    startUs: firstViewUs,
    outages: cutOff,
    onBotEvent: options.onBotEvent,
  });
  const sameInputs = await replayTurns(
    recordedTurns(folder, session),
    options.strategies,
    opened.map(toMarketData),
    intents,
    firstViewUs,
  );
  const { decimals, ...parts } = again.profit;
  const replayProfit = Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [name, scaledToDecimal(value, decimals)]),
  );
  const liveProfit = session.end.profitQuote;
  return {
    format: 6,
    mode: session.mode,
    from: formatInstant(session.startedUs),
    to: formatInstant(session.endedUs),
    windowSeconds: WINDOW_US / 1e6,
    worthless: worthlessNotes(session, opened, again),
    strategyErrors: again.strategyErrors.map(strategyErrorOf),
    sameInputs: sameInputsOf(sameInputs),
    markets: judged.map(({ market, inputs, fit, best }) => ({
      marketId: market.marketId,
      orders: ordersOf(market, best),
      asHistory: inputs.isShared ? asHistoryOf(inputs, fit !== undefined) : null,
      fit: fitOf(fit),
      again: compareRerun(
        fromFirstView(market, firstViewUs),
        models.fitted.get(market.marketId) ?? models.defaultModel,
        again.markets.get(market.marketId) as RerunMarket,
        intents.filter(({ intent }) => intent.marketId === market.marketId),
        session,
      ),
    })),
    profit: {
      live: liveProfit,
      replay: replayProfit,
      difference: Object.fromEntries(
        Object.entries(replayProfit).map(([name, value]) => [
          name,
          new Decimal(value).minus(liveProfit[name] ?? "0").toFixed(),
        ]),
      ),
    },
    notes: [
      ...judged.flatMap(({ market, fit }) =>
        fit === undefined ? [] : fitNote(market.marketId, fit),
      ),
      ...(session.mode === "no-fills"
        ? []
        : judged.flatMap(({ market, best }) => nothingFilledNote(market.marketId, best))),
      ...buildComparisonNotes(session, opened, again, sameInputs, cutOff),
    ],
  };
}

function sameInputsOf({
  turns,
  intents,
  equal,
  firstDifference,
  strategyErrors,
}: TurnReplayResult): Comparison["sameInputs"] {
  const replayed = { turns, intents, equal, strategyErrors: strategyErrors.map(strategyErrorOf) };
  if (firstDifference === undefined) return { ...replayed, firstDifference: null };
  const { turn, atMs, why, live, replay } = firstDifference;
  return {
    ...replayed,
    firstDifference: { turn, at: formatInstant(atMs * 1000), why, live, replay },
  };
}

function strategyErrorOf({
  marketId,
  atUs,
  why,
}: StrategyError): Comparison["strategyErrors"][number] {
  return { marketId, at: formatInstant(atUs), why };
}

function ordersOf({ instrument, account }: OpenedSessionMarket, judged: EvaluatedModel) {
  const { model, replay, whole, firstHalf, secondHalf } = judged;
  return {
    sent: account.orders.length,
    model,
    firstHalfShare: firstHalf.share,
    secondHalfShare: secondHalf.share,
    ...fillsOf(
      instrument,
      account.fills.length,
      replay.fills.length,
      whole.match,
      differencesOf({ instrument, account }, judged),
    ),
  };
}

function differencesOf(
  { instrument, account }: Pick<ParityInputs, "instrument" | "account">,
  { model, replay, whole }: EvaluatedModel,
): FillDifference[] {
  const explainer = new FillExplainer(instrument, account, replay, model.isShared);
  return [
    ...whole.match.liveOnly.map((unmatched) => explainer.explainLive(unmatched)),
    ...whole.match.replayedOnly.map((unmatched) => explainer.explainReplayed(unmatched)),
  ];
}

function asHistoryOf(
  inputs: ParityInputs,
  isFitted: boolean,
): Comparison["markets"][number]["asHistory"] {
  const plain = backtestModel(inputs);
  const judged = isFitted ? fitModel(inputs, plain).best : evaluateModel(inputs, plain);
  const { model, replay, whole, firstHalf, secondHalf } = judged;
  return {
    model,
    fills: replay.fills.length,
    unionBase: inputs.instrument.formatReportedAmount(whole.match.unionLots),
    firstHalfShare: firstHalf.share,
    secondHalfShare: secondHalf.share,
    share: whole.share,
    differences: inOrder(differencesOf(inputs, judged)),
  };
}

function fitOf(fit: Fit | undefined): Comparison["markets"][number]["fit"] {
  if (fit === undefined) return null;
  const { firstHalf, secondHalf } = fit.plain;
  return {
    objective: OBJECTIVE,
    tried: fit.tried.length,
    plain: { firstHalfShare: firstHalf.share, secondHalfShare: secondHalf.share },
  };
}

/** A market without the fills before an instant, which are in the opening position of the rerun. */
function fromFirstView(
  { instrument, account }: OpenedSessionMarket,
  firstViewUs: number,
): Pick<OpenedSessionMarket, "instrument" | "account"> {
  const fills = account.fills.filter(({ atUs }) => atUs >= firstViewUs);
  return { instrument, account: { ...account, fills } };
}

function compareRerun(
  { instrument, account }: Pick<OpenedSessionMarket, "instrument" | "account">,
  model: RerunModel,
  ran: RerunMarket,
  live: readonly TimedIntent[],
  { endedUs }: Session,
) {
  // The shutdown of both comes after the last decision and is not compared.
  const fillsAgain = ran.fills.filter(({ atUs }) => atUs <= endedUs);
  const wanted = matchIntents(live, ran.intents, WINDOW_US);
  const { firstDifference } = wanted;
  // Where one of the two has no further intent, they differ from the next intent of the other on.
  const next = live[wanted.equalFirst] ?? ran.intents[wanted.equalFirst];
  const divergedUs =
    firstDifference === null
      ? next?.atUs
      : Math.min(firstDifference.live.atUs, firstDifference.replay.atUs);
  const match = matchFills(account.fills, fillsAgain, WINDOW_US);
  const explainer = new RerunFillExplainer(instrument, account, ran, WINDOW_US, divergedUs);
  const differences = [
    ...match.liveOnly.map((unmatched) => explainer.explainLive(unmatched)),
    ...match.replayedOnly.map((unmatched) => explainer.explainReplayed(unmatched)),
  ];
  const asOne = ({
    side,
    ticks,
    level,
    atUs,
  }: {
    side: Side;
    ticks: Ticks;
    level: number;
    atUs: number;
  }) => ({
    side,
    ticks,
    rank: level,
    atUs,
    lots: 1,
  });
  const orders = matchFills(
    account.orders.map((order) => asOne({ ...order, atUs: order.sentUs })),
    ran.orders.map(asOne),
    WINDOW_US,
  );
  const { creditDecimals } = instrument;
  return {
    model,
    intents: {
      live: wanted.live,
      replay: wanted.replay,
      equalFirst: wanted.equalFirst,
      firstDifference:
        firstDifference === null
          ? null
          : {
              liveAt: formatInstant(firstDifference.live.atUs),
              replayAt: formatInstant(firstDifference.replay.atUs),
              live: intentText(firstDifference.live),
              replay: intentText(firstDifference.replay),
            },
      share: wanted.share,
    },
    orders: { live: account.orders.length, replay: ran.orders.length, matched: orders.matchedLots },
    fills: fillsOf(instrument, account.fills.length, fillsAgain.length, match, differences),
    meanPrice: {
      live: meanPrices(instrument, account.fills),
      replay: meanPrices(instrument, fillsAgain),
    },
    fees: {
      live: account.fills.reduce((sum, { fee }) => sum.plus(fee), new Decimal(0)).toFixed(),
      replay: scaledToDecimal(
        fillsAgain.reduce((sum, { fee }) => sum + fee, 0n),
        creditDecimals,
      ),
    },
  };
}

function fillsOf(
  instrument: Instrument,
  live: number,
  replay: number,
  match: FillMatch<unknown, unknown>,
  differences: readonly FillDifference[],
) {
  return {
    live,
    replay,
    matchedBase: instrument.formatReportedAmount(match.matchedLots),
    unionBase: instrument.formatReportedAmount(match.unionLots),
    share: matchedShare(match),
    differences: inOrder(differences),
  };
}

function inOrder(differences: readonly FillDifference[]): ComparedDifference[] {
  return [...differences].sort((one, other) => one.atUs - other.atUs).map(toComparedDifference);
}

function toComparedDifference({
  atUs,
  only,
  side,
  price,
  amount,
  kind,
  why,
}: FillDifference): ComparedDifference {
  return { only, at: formatInstant(atUs), side, price, amount, kind, why };
}

function meanPrices(
  { tickQuote }: Instrument,
  fills: readonly { readonly side: Side; readonly ticks: Ticks; readonly lots: Lots }[],
): Record<Side, number | null> {
  const mean = (side: Side): number | null => {
    const ofSide = fills.filter((fill) => fill.side === side);
    const lots = ofSide.reduce((sum, fill) => sum + fill.lots, 0);
    return lots === 0
      ? null
      : (ofSide.reduce((sum, fill) => sum + fill.ticks * fill.lots, 0) / lots) * tickQuote;
  };
  return { BUY: mean("BUY"), SELL: mean("SELL") };
}
