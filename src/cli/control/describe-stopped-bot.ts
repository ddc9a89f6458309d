import { formatCount } from "../../core/format-count.js";
import type { StoppedBotStatus } from "../halts/stopped-bot.js";
import { haltLines, haltNames } from "./halt-lines.js";

/** Most lines below the sentence. */
const MOST_LINES = 10;

/**
 * Describes a halt or a resume of a bot that does not run, or that starts or ends now.
 * @param resume the command that resumes it
 */
export function describeStoppedBot(
  { phase, halts, resumed }: StoppedBotStatus,
  resume: string,
): string {
  return `${sentenceFor({ phase, halts, resumed })}\n${haltLines(halts, resume, MOST_LINES)}`;
}

function sentenceFor({
  phase,
  halts,
  resumed,
}: Pick<StoppedBotStatus, "phase" | "halts"> & {
  readonly resumed: StoppedBotStatus["resumed"] | undefined;
}): string {
  const waiting = `${formatCount(halts.length, "halt")} ${halts.length === 1 ? "waits" : "wait"} for the next start`;
  if (resumed !== undefined) {
    if (resumed.length === 0)
      return `The bot does not run, and nothing was resumed: ${halts.length === 0 ? "no halt waits for the next start" : waiting}.`;
    return `Resumed ${haltNames(resumed)}: the bot does not run, and ${halts.length === 0 ? "its next start may quote" : waiting}.`;
  }
  const markets = new Set(halts.map((halt) => ("marketId" in halt ? halt.marketId : undefined)));
  const where = markets.has(undefined) ? "" : ` in ${[...markets].join(", ")}`;
  switch (phase) {
    case "starting":
      return `Halted: the bot is starting, and will not quote${where}.`;
    case "ending":
      return `Halted: the bot is ending and cancels its orders; its next start will not quote${where}.`;
    case "not running":
      return `Halted: the bot does not run, and its next start will not quote${where}.`;
  }
}

const PHASES: ReadonlySet<unknown> = new Set(["not running", "starting", "ending"]);

/** The answer for a bot that does not run, starts or ends; undefined if it has another form. */
export function readStoppedBotStatus(answer: unknown): StoppedBotStatus | undefined {
  const status = answer as Partial<StoppedBotStatus> | null | undefined;
  return PHASES.has(status?.phase) && Array.isArray(status?.halts)
    ? (status as StoppedBotStatus)
    : undefined;
}
