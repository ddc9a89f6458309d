import { sendToRunningBot } from "../../bot/control/control-client.js";
import type { RunningBotEntry } from "../../bot/state/running-bots.js";
import { RunError } from "../../core/errors.js";
import { formatCount } from "../../core/format-count.js";
import type { MarketId, Ms } from "../../core/units.js";
import { pause } from "../../exchange/rest/pause.js";
import { MANUAL_HALT } from "../../risk/halt.js";
import type { CliContext } from "../cli-context.js";
import type { ControlAnswer } from "../session/control-handler.js";
import { formatBase } from "./amount-text.js";
import {
  countOpenOrders,
  isAccountReported,
  isBelowMinimum,
  openPositionsPhrase,
  positionNames,
  positionsIn,
  positionText,
  whyPositionUnknown,
} from "./market-figures.js";
import { readControlAnswer } from "./read-answer.js";

/** Pause between two readings of the status. */
const POLL_MS: Ms = 200;

/** The end of a wait: no order is open, or the positions are zero too. */
export type WaitGoal = "no-orders" | "flat";

/** A wait for a running bot. */
interface WaitOptions {
  readonly bot: RunningBotEntry;
  readonly goal: WaitGoal;
  readonly marketIds: readonly MarketId[] | undefined;
  readonly forMs: Ms;
  /** The answer to the command; undefined of a bot that was starting. */
  readonly first: ControlAnswer | undefined;
  readonly signal: AbortSignal;
}

/** The result of a wait. */
export interface WaitResult {
  /** The newest status; undefined if the bot has not given any. */
  readonly answer: ControlAnswer | undefined;
  /** Why the goal was not reached; undefined if it was. */
  readonly problem: string | undefined;
}

/**
 * Reads the status of a running bot until no order of its markets is open, for `flat` until their
 * positions are zero too. A terminal shows the progress. Ends early if the goal cannot be reached
 * any more, such as after a resume.
 * @throws the reason of the signal when it is aborted
 */
export async function waitForBot(context: CliContext, options: WaitOptions): Promise<WaitResult> {
  const { clock } = context.runtime;
  const { bot, forMs, signal } = options;
  const startedMs = clock.monotonicMs();
  const progress = new ProgressLine(context);
  // Before the message of the interrupt, which would follow the progress in its line.
  signal.addEventListener("abort", () => progress.clear(), { once: true });
  let answer = options.first;
  try {
    for (;;) {
      const marketIds = options.marketIds ?? Object.keys(answer?.markets ?? {});
      if (answer !== undefined) {
        if (isReached(answer, marketIds, options.goal)) return { answer, problem: undefined };
        const problem = findProblem(answer, marketIds, options.goal);
        if (problem !== undefined) return { answer, problem };
      }
      const waitedMs = clock.monotonicMs() - startedMs;
      if (waitedMs >= forMs)
        return { answer, problem: overText(forMs, answer, marketIds, options.goal) };
      progress.show(progressText(answer, marketIds, waitedMs));
      await pause(clock, Math.min(POLL_MS, forMs - waitedMs), signal);
      signal.throwIfAborted();
      try {
        const read = await sendToRunningBot(bot, { command: "status" }, clock);
        answer = readControlAnswer(read) ?? answer;
      } catch (error) {
        if (!(error instanceof RunError)) throw error;
        // A bot that starts or ends answers that it does; one that is gone does not answer.
        if (error.field !== "control socket") continue;
        return {
          answer,
          problem: `the bot ended, or answers no more, before ${goalText(options.goal)} was seen: its own last lines say what is left (${error.message})`,
        };
      }
    }
  } finally {
    progress.clear();
  }
}

function isReached(answer: ControlAnswer, marketIds: readonly MarketId[], goal: WaitGoal): boolean {
  return (
    isAccountReported(answer, marketIds) &&
    countOpenOrders(answer, marketIds) === 0 &&
    (goal === "no-orders" ||
      (whyPositionUnknown(answer, marketIds) === undefined &&
        positionsIn(answer, marketIds).length === 0))
  );
}

/** Why the goal will not be reached; undefined while it may be. */
function findProblem(
  answer: ControlAnswer,
  marketIds: readonly MarketId[],
  goal: WaitGoal,
): string | undefined {
  const isEnding = answer.phase === "stopping" || answer.phase === "stopped";
  const resumed = marketIds.filter(
    (marketId) =>
      !answer.activeHalts.some(
        (halt) =>
          halt.name === MANUAL_HALT && (halt.marketId === null || halt.marketId === marketId),
      ),
  );
  if (!isEnding && resumed.length > 0)
    return `stopped waiting: ${resumed.join(", ")} was resumed meanwhile`;
  if (goal === "no-orders") return undefined;
  const positions = positionsIn(answer, marketIds);
  if (isEnding)
    return `stopped waiting: the bot is ${answer.phase}, and ${whyPositionUnknown(answer, marketIds) ?? openPositionsPhrase(positions)}`;
  if (countOpenOrders(answer, marketIds) > 0 || whyPositionUnknown(answer, marketIds) !== undefined)
    return undefined;
  const given = positions.filter(({ marketId }) => answer.markets[marketId]?.isFlattening !== true);
  if (given.length < positions.length || given.length === 0) return undefined;
  return given
    .map((position) => {
      const market = answer.markets[position.marketId];
      return isBelowMinimum(position, market)
        ? `position ${positionText(position)} stays open: the market takes no order below ${formatBase(market?.minOrderBase ?? "0", position.baseAsset).replace("+", "")}`
        : `flattening has ended with position ${positionText(position)} open: nobody traded the rest within the bound`;
    })
    .join("; ");
}

function overText(
  forMs: Ms,
  answer: ControlAnswer | undefined,
  marketIds: readonly MarketId[],
  goal: WaitGoal,
): string {
  const left = answer === undefined ? "the bot has not started" : leftText(answer, marketIds, goal);
  return `the wait of ${forMs / 1000} s is over: ${left}; the bot goes on`;
}

function leftText(answer: ControlAnswer, marketIds: readonly MarketId[], goal: WaitGoal): string {
  if (!isAccountReported(answer, marketIds))
    return "the exchange has not reported the account to the bot yet";
  const open = countOpenOrders(answer, marketIds);
  const orders = `${formatCount(open, "order")} ${open === 1 ? "is" : "are"} still open`;
  const positions = positionsIn(answer, marketIds);
  if (goal === "no-orders") return orders;
  const unknown = whyPositionUnknown(answer, marketIds);
  if (unknown !== undefined) return open === 0 ? unknown : `${unknown}, and ${orders}`;
  if (positions.length === 0) return orders;
  const held = `${positionNames(positions)} ${positions.length === 1 ? "is" : "are"} still open`;
  return open === 0 ? held : `${held}, and ${orders}`;
}

function goalText(goal: WaitGoal): string {
  return goal === "flat" ? "a flat position" : "the end of its orders";
}

function progressText(
  answer: ControlAnswer | undefined,
  marketIds: readonly MarketId[],
  waitedMs: Ms,
): string {
  const text =
    answer === undefined
      ? "the bot is starting"
      : `${formatCount(countOpenOrders(answer, marketIds), "order")} open, ${whyPositionUnknown(answer, marketIds) ?? openPositionsPhrase(positionsIn(answer, marketIds))}`;
  return `${text}, ${Math.floor(waitedMs / 1000)} s`;
}

/** One line on a terminal that is replaced in place; nothing elsewhere. */
class ProgressLine {
  readonly #stderr: CliContext["stderr"];
  #shown = "";

  constructor({ stderr }: Pick<CliContext, "stderr">) {
    this.#stderr = stderr;
  }

  show(text: string): void {
    if (this.#stderr.isTTY !== true || text === this.#shown) return;
    this.#shown = text;
    // A line that wraps could not be replaced. A terminal of unknown width reports 0 columns.
    const { columns = 0 } = this.#stderr;
    this.#stderr.write(`\r\x1b[K${text.slice(0, (columns > 0 ? columns : 80) - 1)}`);
  }

  clear(): void {
    if (this.#shown === "") return;
    this.#shown = "";
    this.#stderr.write("\r\x1b[K");
  }
}
