import type { ProfitParts } from "../../account/profit/account-profit.js";
import type { ChangedValue } from "../../bot/configure/config-difference.js";
import { RunError } from "../../core/errors.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import { readIntents } from "../compare/compare-intents.js";
import { findOutageWindows } from "../compare/find-outage-windows.js";
import { type EvaluatedModel, fitModel } from "../compare/fit-model.js";
import {
  type OpenedSessionMarket,
  openSession,
  openSessionReferences,
  toMarketData,
  toParityInputs,
} from "../compare/open-session.js";
import { chooseRerunModels } from "../compare/replay/choose-rerun-models.js";
import { replayTurns } from "../compare/replay/replay-turns.js";
import {
  findFirstViewUs,
  type RerunMarket,
  type RerunResult,
  rerunSession,
} from "../compare/replay/rerun-session.js";
import { formatInstant } from "../report/page/format-instant.js";
import type { Strategies } from "../run/replay-options.js";
import { recordedTurns } from "../session/read-turns.js";
import type { Session } from "../session/session-file.js";
import type { LiquidationTerms } from "../venue/market-terms.js";
import type { ChangedSession } from "./change-session.js";
import { type ChangeEstimate, estimateChange, type MarketBlocks } from "./estimate-change.js";
import { type BlockSpan, type PricedFill, sumFillBlocks } from "./fill-blocks.js";
import { findRerunDoubts, findSessionDoubts, type WhatIfDoubt } from "./find-doubts.js";
import { findInputDoubts } from "./find-input-doubts.js";
import type { FillModelFit } from "./fit-file.js";
import { findPlausibleModels } from "./plausible-models.js";
import { RecordedMids } from "./recorded-mids.js";

/** A question about a recorded session. */
export interface WhatIfOptions {
  readonly folder: string;
  readonly session: Session;
  /** Of the session's bot. */
  readonly strategies: Strategies;
  readonly changed: ChangedSession;
  readonly liquidation: LiquidationTerms;
  readonly seed: string;
  /** Level of the interval, 0.5, 0.8, 0.9 or 0.95. */
  readonly level: string;
}

/** Profit by its parts, in the quote asset. */
export type ProfitByPart = Readonly<Record<string, string>>;

/** The answer to a question about a recorded session. */
export interface WhatIfAnswer {
  readonly changes: readonly ChangedValue[];
  readonly fit: FillModelFit;
  readonly fills: {
    readonly live: number;
    readonly before: number;
    readonly after: number;
  };
  /** Of the session, of its rerun with the old values, and of the rerun with the new ones. */
  readonly profit: {
    readonly live: ProfitByPart;
    readonly before: ProfitByPart;
    readonly after: ProfitByPart;
  };
  /** Undefined where nothing could be played again. */
  readonly estimate: ChangeEstimate | undefined;
  /** Any with the weight `refuse` means that the estimate is no answer. */
  readonly doubts: readonly WhatIfDoubt[];
}

const BLOCK_US = 10_000_000;
const FEWEST_BLOCKS = 12;
const MOST_BLOCKS = 120;

interface FittedMarket {
  readonly opened: OpenedSessionMarket;
  readonly mids: RecordedMids;
  readonly tried: number;
  /** The best first. */
  readonly models: readonly EvaluatedModel[];
}

/**
 * Plays a recorded session twice by the fill model fitted to it, with its values and with changed
 * ones, and estimates the change of profit. Both begin with the session's position and credit.
 * @throws ConfigError or HistoryError where the recording cannot be replayed; RunError where a
 * strategy fails
 */
export async function answerWhatIf(options: WhatIfOptions): Promise<WhatIfAnswer> {
  const { folder, session, changed } = options;
  const opened = await openSession(folder, session);
  const intents = await readIntents(folder, session);
  const startUs = findFirstViewUs(session, opened, intents[0]?.atUs);
  const span = spanOf(startUs, session.endedUs);
  const markets = opened.map((market) => fitMarket(market, session, span));
  const fit = toFit(session, markets);
  const alike = new Map(Object.entries(fit.markets).map(([id, found]) => [id, found.alike]));
  const doubts = findSessionDoubts(session, markets, alike);
  const live = session.end.profitQuote;
  const fills = opened.reduce((sum, { account }) => sum + account.fills.length, 0);
  const hasFills = opened.every(({ account }) => account.fills.length > 0);
  if (session.mode === "no-fills" || !hasFills)
    return {
      changes: changed.changes,
      fit,
      fills: { live: fills, before: 0, after: 0 },
      profit: { live, before: {}, after: {} },
      estimate: undefined,
      doubts,
    };
  const inputs = await replayTurns(
    recordedTurns(folder, session),
    options.strategies,
    opened.map(toMarketData),
    intents,
    startUs,
  );
  const references = await openSessionReferences(folder, session);
  const outages = findOutageWindows(opened);
  const play = (isChanged: boolean, models: ReadonlyMap<MarketId, EvaluatedModel>) =>
    playSession(options, isChanged, {
      opened,
      models: chooseRerunModels(
        {},
        session,
        markets.map((market) => ({
          market: market.opened,
          fit: { best: models.get(market.opened.marketId) ?? (market.models[0] as EvaluatedModel) },
        })),
      ),
      references,
      outages,
      startUs,
    });
  const best = { before: play(false, new Map()), after: play(true, new Map()) };
  const estimateOf = (reruns: Reruns, spread: number): ChangeEstimate =>
    estimateChange(
      markets.map((market) => blocksOf(market, reruns, span)),
      fundingOf(reruns),
      spread,
      options.level,
    );
  let variance = 0;
  for (const { opened: market, models } of markets) {
    const totals = models.map((model, at) => {
      if (at === 0) return estimateOf(best, 0).total.value;
      const varied = new Map([[market.marketId, model]]);
      const reruns = { before: play(false, varied), after: play(true, varied) };
      return estimateOf(reruns, 0).total.value;
    });
    variance += varianceOf(totals);
  }
  return {
    changes: changed.changes,
    fit,
    fills: { live: fills, before: countFills(best.before), after: countFills(best.after) },
    profit: { live, before: partsOf(best.before.profit), after: partsOf(best.after.profit) },
    estimate: estimateOf(best, Math.sqrt(variance)),
    doubts: [
      ...doubts,
      ...findInputDoubts(session, opened, inputs),
      ...findRerunDoubts(
        session,
        changed.config,
        markets.map((market) => ({ ...market, ...marketOf(best, market.opened.marketId) })),
        best,
      ),
    ],
  };
}

interface Reruns {
  readonly before: RerunResult;
  readonly after: RerunResult;
}

function spanOf(startUs: number, endUs: number): BlockSpan {
  const blocks = Math.round((endUs - startUs) / BLOCK_US);
  return { startUs, endUs, blocks: Math.max(FEWEST_BLOCKS, Math.min(MOST_BLOCKS, blocks)) };
}

function fitMarket(opened: OpenedSessionMarket, session: Session, span: BlockSpan): FittedMarket {
  const fit = fitModel(toParityInputs(opened, session));
  return {
    opened,
    mids: new RecordedMids(opened.history.tape),
    tried: fit.tried.length,
    models: findPlausibleModels(fit, opened.account.fills, span),
  };
}

function toFit(session: Session, markets: readonly FittedMarket[]): FillModelFit {
  const { exchange, mode, startedUs, endedUs } = session;
  const chosen = chooseRerunModels(
    {},
    session,
    markets.map(({ opened, models }) => ({
      market: opened,
      fit: { best: models[0] as EvaluatedModel },
    })),
  );
  return {
    session: {
      exchange,
      mode: mode === "paper" ? "paper" : "live",
      from: formatInstant(startedUs),
      to: formatInstant(endedUs),
    },
    markets: Object.fromEntries(
      markets.map(({ opened: { marketId, account }, models, tried }) => {
        const { queue, orderLatencyMs, responseLatencyMs } =
          chosen.fitted.get(marketId) ?? chosen.defaultModel;
        return [
          marketId,
          {
            queue,
            orderLatencyMs,
            responseLatencyMs,
            alike: (models[0] as EvaluatedModel).whole.share,
            fills: account.fills.length,
            tried,
            plausible: models.length,
          },
        ];
      }),
    ),
  };
}

/** @throws RunError where a strategy fails */
function playSession(
  { session, strategies, changed, liquidation, seed }: WhatIfOptions,
  isChanged: boolean,
  {
    opened,
    ...rerun
  }: Pick<Parameters<typeof rerunSession>[3], "models" | "references" | "outages" | "startUs"> & {
    readonly opened: readonly OpenedSessionMarket[];
  },
): RerunResult {
  const played = isChanged ? { ...session, config: changed.config } : session;
  const result = rerunSession(played, opened, isChanged ? changed.strategies : strategies, {
    ...rerun,
    liquidation,
    seed,
  });
  const [failed] = result.strategyErrors;
  if (failed !== undefined)
    throw new RunError(
      `the strategy failed in the rerun with the ${isChanged ? "new" : "old"} values: ${failed.why}`,
      { field: failed.marketId, expected: "a strategy that runs" },
    );
  return result;
}

function marketOf({ before, after }: Reruns, marketId: MarketId) {
  const of = ({ markets }: RerunResult): RerunMarket => markets.get(marketId) as RerunMarket;
  return { before: of(before), after: of(after) };
}

function blocksOf({ opened, mids }: FittedMarket, reruns: Reruns, span: BlockSpan): MarketBlocks {
  const { instrument, account, marketId } = opened;
  const { before, after } = marketOf(reruns, marketId);
  const creditPerQuote = 10 ** instrument.creditDecimals;
  const priced = ({ fills }: RerunMarket): PricedFill[] =>
    fills.map((fill) => ({ ...fill, feeQuote: Number(fill.fee) / creditPerQuote }));
  const sums = (fills: readonly PricedFill[]) => sumFillBlocks(fills, mids, instrument, span);
  return {
    live: sums(account.fills.map((fill) => ({ ...fill, feeQuote: Number(fill.fee) }))),
    before: sums(priced(before)),
    after: sums(priced(after)),
  };
}

function fundingOf({ before, after }: Reruns): number {
  const funding = ({ profit }: RerunResult): number =>
    Number(profit.funding) / 10 ** profit.decimals;
  return funding(after) - funding(before);
}

function countFills({ markets }: RerunResult): number {
  return [...markets.values()].reduce((sum, { fills }) => sum + fills.length, 0);
}

function partsOf({ decimals, ...parts }: ProfitParts): ProfitByPart {
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [name, scaledToDecimal(value, decimals)]),
  );
}

function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
