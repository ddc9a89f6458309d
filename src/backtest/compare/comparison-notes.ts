import type { CreditUnits } from "../../core/units.js";
import { instantText } from "../../history/day.js";
import type { Span } from "../../history/spans.js";
import { DOUBTS, DoubtfulFills, type DoubtfulSum } from "../record/doubtful-fills.js";
import type { Session } from "../session/session-file.js";
import type { Judged } from "./fit.js";
import type { HandHalt } from "./halted-by-hand.js";
import type { FillMatch } from "./match-fills.js";
import type { OpenedSessionMarket } from "./open-session.js";
import { type RanAgain, startCreditOf } from "./run-again.js";

/** Of what a share is one. */
interface ShareOfUnion {
  readonly match: Pick<FillMatch<unknown, unknown>, "unionLots">;
}

/** What a reader of a comparison must know, so that nobody takes its figures for more than they are. */
export function notesOf(
  session: Session,
  opened: readonly OpenedSessionMarket[],
  again: RanAgain,
  handHalts: readonly HandHalt[],
  cutOff: readonly Span[],
): string[] {
  return [
    ...sessionNotes(session),
    ...opened.flatMap(recorderNotes),
    ...cutOff.map(cutOffNote),
    ...handHaltNotes(session, handHalts),
    ...opened.flatMap(takersNote),
    ...opened.flatMap((market) => doubtNotes(market, again)),
  ];
}

function sessionNotes(session: Session): string[] {
  const { start, end, mode } = session;
  const isDeposit = Number(end.transfersQuote) > 0;
  const held = Object.entries(start?.positionsBase ?? {}).filter(([, amount]) => Number(amount) !== 0);
  return [
    ...held.map(([market, amount]) => `the session began with ${amount} in ${market}, which the replay does not have`),
    ...(isDeposit ? [`${end.transfersQuote} was deposited after the first decision; the replay has it from the beginning`] : []),
    ...(startCreditOf(session) === 0n ? ["the session's account had no credit: the replay can place nothing"] : []),
    ...(mode === "no-fills" ? ["nothing was sent in this session: there are no orders and fills to compare"] : []),
  ];
}

/** What the recorder said of a market: a stream that was lost, a clock that was set. */
export function recorderNotes({ marketId, findings }: Pick<OpenedSessionMarket, "marketId" | "findings">): string[] {
  return findings.map((finding) => `the recording of ${marketId} says: ${finding}`);
}

function cutOffNote([fromMs, toMs]: Span): string {
  return `the session was cut off from ${instantText(fromMs)} to ${instantText(toMs)}: what the bot run again sends meanwhile waits for the line, or is lost`;
}

/** Of a session whose quotes a person took down. The bot run again has its quotes out meanwhile, and a profit that live had no chance of. */
export function handHaltNotes({ startedUs, endedUs }: Pick<Session, "startedUs" | "endedUs">, halts: readonly HandHalt[]): string[] {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const whole = seconds((endedUs - startedUs) / 1000);
  return halts.map(({ marketId, ms }) => {
    const where = marketId === undefined ? "" : ` in ${marketId}`;
    return `the session was halted by hand${where} for ${seconds(ms)} of its ${whole} s: the bot run again is not, and quotes meanwhile`;
  });
}

/** What a fit is worth, where the half that it did not see says nothing for it. */
export function fitNote(marketId: string, { best, plain }: Record<"best" | "plain", Pick<Judged, "secondHalf">>): string[] {
  const [fitted, unfitted] = [best.secondHalf.share, plain.secondHalf.share];
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  return fitted < unfitted
    ? [
        `in ${marketId} the fit does worse than no fit in the half that it did not see, ${percent(fitted)} against ${percent(unfitted)}: what it found is chance, and not to be used`,
      ]
    : [];
}

/** Of shares of nothing, which are 100 %. */
export function nothingFilledNote(marketId: string, judged: Record<"whole" | "firstHalf" | "secondHalf", ShareOfUnion>): string[] {
  const lacking = (["whole", "firstHalf", "secondHalf"] as const).find((part) => judged[part].match.unionLots === 0);
  if (lacking === undefined) return [];
  const when = { whole: "", firstHalf: " in the first half", secondHalf: " in the second half" }[lacking];
  return [
    `in ${marketId} none of the session's orders was filled${when}, neither live nor again: that they are alike to 100 % there says nothing`,
  ];
}

/** What a comparison cannot say of fills that took on arrival. */
function takersNote({ marketId, instrument, account, isInBook }: OpenedSessionMarket): string[] {
  const takers = account.fills.filter(({ isMaker }) => !isMaker);
  if (!isInBook || takers.length === 0) return [];
  const amount = instrument.amountOf(takers.reduce((sum, { lots }) => sum + lots, 0));
  return [
    `${takers.length} of ${account.fills.length} fills in ${marketId}, ${amount}, took on arrival: their own prints tell what they found, so only their times and what rested of them are put to the test here; what a backtest would have given them shows in the share of its rules`,
  ];
}

/** What hangs on fills of the run again of which the market does not tell whether their orders had come to rest. */
function doubtNotes({ marketId, instrument }: OpenedSessionMarket, again: RanAgain): string[] {
  const doubtful = new DoubtfulFills();
  for (const fill of again.markets.get(marketId)?.fills ?? []) doubtful.add(fill);
  const credit = (units: CreditUnits): string => instrument.creditToDecimal(units);
  const note = ({ fills, lots, fees, feesOtherwise }: DoubtfulSum, what: string): string[] =>
    fills === 0
      ? []
      : [
          `in ${marketId} ${fills} of the run again's fills, ${instrument.amountOf(Number(lots))} base units, ${what}: they paid ${credit(fees)} in fees, and would otherwise ${credit(feesOtherwise)}`,
        ];
  return (["asTakers", "asMakers", "postOnly"] as const).flatMap((kind) => note(doubtful[kind], DOUBTS[kind]));
}
