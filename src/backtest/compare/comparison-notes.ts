import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import { instantText } from "../../history/day.js";
import { type Span, totalLengthMs } from "../../history/spans.js";
import { MANUAL_HALT } from "../../risk/halt.js";
import {
  AMBIGUITY_TEXTS,
  type AmbiguousFillSum,
  AmbiguousFills,
  describeAmbiguousFees,
} from "../record/ambiguous-fills.js";
import type { ReplayFill } from "../record/run-observer.js";
import { describeMostlyAmbiguous } from "../report/describe-mostly-ambiguous.js";
import type { Session } from "../session/session-file.js";
import { type EvaluatedModel, WINDOW_US } from "./fit-model.js";
import type { HaltRecord } from "./halt-history.js";
import type { FillMatch } from "./match-fills.js";
import type { OpenedSessionMarket } from "./open-session.js";
import type { TurnReplayResult } from "./replay/replay-turns.js";
import { computeStartCredit, type RerunResult } from "./replay/rerun-session.js";

type SessionTime = Pick<Session, "startedUs" | "endedUs">;

/** The unit that a share is counted in. */
interface ShareOfUnion {
  readonly match: Pick<FillMatch<unknown, unknown>, "unionLots">;
}

/** Notes that a reader of a comparison needs in order not to overrate its figures. */
export function buildComparisonNotes(
  session: Session,
  opened: readonly OpenedSessionMarket[],
  again: RerunResult,
  same: TurnReplayResult,
  cutOff: readonly Span[],
): string[] {
  return [
    ...mostlyAmbiguousNotes(opened, again),
    ...sessionNotes(session, again.marketsWithOpeningPosition),
    ...openingOrderNotes(opened),
    ...opened.flatMap(recorderNotes),
    ...cutOff.map(outageNote),
    ...manualHaltNotes(session, same.halts),
    ...(same.firstDifference === undefined
      ? haltNotes(session, opened, same.halts, again.halts)
      : []),
    ...opened.flatMap(takersNote),
    ...opened.flatMap((market) => doubtNotes(market, again)),
  ];
}

/** Reasons why a comparison is unusable, for a reader who reads nothing else. */
export function worthlessNotes(
  { mode }: Pick<Session, "mode">,
  opened: readonly OpenedSessionMarket[],
  again: RerunResult,
): string[] {
  const silent =
    mode === "no-fills" ? [] : opened.filter(({ account }) => account.orders.length === 0);
  return [
    ...silent.map(({ marketId }) => `${marketId}: the session sent no order`),
    ...again.worthless.map((text) => `in the rerun, ${text}`),
  ];
}

/** Notes on markets in which most fills of the rerun are ambiguous. */
function mostlyAmbiguousNotes(
  opened: readonly OpenedSessionMarket[],
  again: RerunResult,
): string[] {
  return opened.flatMap(({ marketId }) => {
    const fills = again.markets.get(marketId)?.fills ?? [];
    const described = describeMostlyAmbiguous({
      marketId,
      fills: { all: { fills: fills.length }, doubtful: sumAmbiguousFills(fills) },
    });
    return described.map((text) => `in the rerun, ${text}`);
  });
}

function sumAmbiguousFills(fills: Iterable<ReplayFill>): AmbiguousFills {
  const ambiguous = new AmbiguousFills();
  for (const fill of fills) ambiguous.add(fill);
  return ambiguous;
}

function haltNotes(
  session: SessionTime,
  opened: readonly OpenedSessionMarket[],
  live: readonly HaltRecord[],
  again: readonly HaltRecord[],
): string[] {
  const markets = opened.map(({ marketId }) => marketId);
  return [
    ...guardHaltNotes(session, markets, live, again),
    ...rungNotes(session, markets, live, again),
  ];
}

function sessionNotes(session: Session, begunWith: ReadonlySet<MarketId>): string[] {
  const { start, end, mode } = session;
  const isDeposit = Number(end.transfersQuote) > 0;
  const held = Object.entries(start?.positionsBase ?? {}).filter(
    ([, amount]) => Number(amount) !== 0,
  );
  return [
    ...held
      .filter(([market]) => !begunWith.has(market))
      .map(
        ([market, amount]) =>
          `the session began with a position of ${amount} in ${market}; the replay begins without it, since no mark price was recorded to value it`,
      ),
    ...(isDeposit
      ? [`${end.transfersQuote} was deposited after the first decision; the replay begins with it`]
      : []),
    ...(computeStartCredit(session) === 0n
      ? ["the session's account had no credit: the replay cannot place any order"]
      : []),
    ...(mode === "no-fills"
      ? ["the session sent no orders (no-fills): there are no orders and fills to compare"]
      : []),
  ];
}

/** Notes on orders that were open when the session began: the recording does not show their age. */
function openingOrderNotes(opened: readonly OpenedSessionMarket[]): string[] {
  return opened.flatMap(({ marketId, account: { openingOrders } }) => {
    if (openingOrders === undefined)
      return [
        `the recording does not tell which orders were open in ${marketId} when the session began: the replay begins without any`,
      ];
    return openingOrders.length === 0
      ? []
      : [
          `the session began with open orders in ${marketId}: ${openingOrders.length}; the replay begins with them at the end of the queue at their prices`,
        ];
  });
}

/** Findings of the recorder in a market: a lost stream, a clock step. */
export function recorderNotes({
  marketId,
  findings,
}: Pick<OpenedSessionMarket, "marketId" | "findings">): string[] {
  return findings.map((finding) => `the recorder reported in ${marketId}: ${finding}`);
}

function outageNote([fromMs, toMs]: Span): string {
  return `the session had no connection from ${instantText(fromMs)} to ${instantText(toMs)}: requests of the rerun in that time wait for the connection, or are lost`;
}

/**
 * Note on a session whose quotes a manual halt cancelled. The rerun keeps quoting meanwhile, and
 * earns what live could not.
 */
export function manualHaltNotes(
  { startedUs, endedUs }: SessionTime,
  halts: readonly HaltRecord[],
): string[] {
  const whole = seconds((endedUs - startedUs) / 1000);
  return halts
    .filter(({ reason }) => reason === MANUAL_HALT)
    .map(({ marketId, spans }) => {
      const where = marketId === undefined ? "" : ` in ${marketId}`;
      return `the session was halted manually${where} for ${seconds(totalLengthMs(spans))} of its ${whole} s: the rerun was not halted, and quoted in that time`;
    });
}

/**
 * Notes on guards that kept the quotes of one run down longer than those of the other. Meanwhile
 * the other earned what this one could not.
 */
export function guardHaltNotes(
  { startedUs, endedUs }: SessionTime,
  markets: readonly MarketId[],
  live: readonly HaltRecord[],
  again: readonly HaltRecord[],
): string[] {
  const whole = seconds((endedUs - startedUs) / 1000);
  return markets.flatMap((marketId) => {
    const [ofLive, ofAgain] = [live, again].map((halts) =>
      halts.filter(
        (halt) =>
          halt.reason !== MANUAL_HALT &&
          halt.isRung !== true &&
          (halt.marketId === undefined || halt.marketId === marketId),
      ),
    ) as [HaltRecord[], HaltRecord[]];
    const [liveMs, againMs] = [standstillMs(ofLive), standstillMs(ofAgain)];
    if (Math.abs(liveMs - againMs) * 1000 <= WINDOW_US) return [];
    return [
      `in ${marketId} guards kept the session from quoting for ${seconds(liveMs)} of its ${whole} s${reasonsText(ofLive)}, and the rerun for ${seconds(againMs)} s${reasonsText(ofAgain)}`,
    ];
  });
}

/**
 * Notes on steps of the risk ladder that changed the quotes of one run longer than those of the
 * other.
 */
export function rungNotes(
  { startedUs, endedUs }: SessionTime,
  markets: readonly MarketId[],
  live: readonly HaltRecord[],
  again: readonly HaltRecord[],
): string[] {
  const whole = seconds((endedUs - startedUs) / 1000);
  return markets.flatMap((marketId) => {
    const bearing = (halts: readonly HaltRecord[]) =>
      halts.filter(
        ({ isRung, marketId: where }) =>
          isRung === true && (where === undefined || where === marketId),
      );
    const [ofLive, ofAgain] = [bearing(live), bearing(again)];
    const [liveMs, againMs] = [standstillMs(ofLive), standstillMs(ofAgain)];
    if (Math.abs(liveMs - againMs) * 1000 <= WINDOW_US) return [];
    return [
      `in ${marketId} the risk ladder widened or reduced the session's quotes for ${seconds(liveMs)} of its ${whole} s${reasonsText(ofLive)}, and the rerun's quotes for ${seconds(againMs)} s${reasonsText(ofAgain)}`,
    ];
  });
}

function standstillMs(halts: readonly HaltRecord[]): Ms {
  return totalLengthMs(halts.flatMap(({ spans }) => spans));
}

function reasonsText(halts: readonly HaltRecord[]): string {
  const reasons = halts.map(({ reason, spans }) => `${reason} ${seconds(totalLengthMs(spans))} s`);
  return reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
}

function seconds(ms: Ms): string {
  return (ms / 1000).toFixed(1);
}

/** Note on a fit whose result is not confirmed by the second half of the session. */
export function fitNote(
  marketId: string,
  { best, plain }: Record<"best" | "plain", Pick<EvaluatedModel, "secondHalf">>,
): string[] {
  const [fitted, unfitted] = [best.secondHalf.share, plain.secondHalf.share];
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  return fitted < unfitted
    ? [
        `in ${marketId} the fit is worse than no fit in the second half of the session, ${percent(fitted)} against ${percent(unfitted)}: its values come from chance, do not use them`,
      ]
    : [];
}

/** Note that a share of nothing counts as 100 %. */
export function nothingFilledNote(
  marketId: string,
  judged: Record<"whole" | "firstHalf" | "secondHalf", ShareOfUnion>,
): string[] {
  const lacking = (["whole", "firstHalf", "secondHalf"] as const).find(
    (part) => judged[part].match.unionLots === 0,
  );
  if (lacking === undefined) return [];
  const when = { whole: "", firstHalf: " in the first half", secondHalf: " in the second half" }[
    lacking
  ];
  return [
    `in ${marketId} none of the session's orders was filled${when}, neither live nor in the replay: the agreement of 100 % there means nothing`,
  ];
}

/** Limits of the comparison for fills that took liquidity on arrival. */
function takersNote({ marketId, instrument, account, isInBook }: OpenedSessionMarket): string[] {
  const takers = account.fills.filter(({ isMaker }) => !isMaker);
  if (!isInBook || takers.length === 0) return [];
  const amount = instrument.formatReportedAmount(takers.reduce((sum, { lots }) => sum + lots, 0));
  return [
    `${takers.length} of ${account.fills.length} fills in ${marketId}, ${amount}, took liquidity on arrival: the recorded prints contain these fills, so this share tests only their times and the rest of their orders; the share by a backtest's rules shows how a backtest would have filled them`,
  ];
}

/**
 * Share of the rerun's result that depends on ambiguous fills: the recording does not show whether
 * their orders rested first.
 */
function doubtNotes({ marketId, instrument }: OpenedSessionMarket, again: RerunResult): string[] {
  const ambiguous = sumAmbiguousFills(again.markets.get(marketId)?.fills ?? []);
  const credit = (units: CreditUnits): string => instrument.creditToDecimal(units);
  const note = ({ fills, lots, fees, feesOtherwise }: AmbiguousFillSum, what: string): string[] =>
    fills === 0
      ? []
      : [
          `in ${marketId} ${fills} of the rerun's fills, ${instrument.formatAmount(Number(lots))} base units, ${what}: ${describeAmbiguousFees(credit(fees), credit(feesOtherwise))}`,
        ];
  return (["asTakers", "asMakers", "postOnly"] as const).flatMap((kind) =>
    note(ambiguous[kind], AMBIGUITY_TEXTS[kind]),
  );
}
