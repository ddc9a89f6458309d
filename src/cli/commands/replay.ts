import type { BotEvent } from "../../bot/engine/bot-event.js";
import {
  type ReplayedTurn,
  type ReplayResult,
  replayJournal,
} from "../../bot/journal/replay-journal.js";
import { actionText as rungActionText } from "../../bot/safety/ladder-text.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import type { Action } from "../../exchange/venue.js";
import type { Intent } from "../../strategies/intent.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText } from "../process/output.js";

export interface ReplayCommandOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Replays a journal. @throws ReportedFailure if an action differs from the recorded one */
export async function replayCommand(
  context: CliContext,
  journal: string,
  { json, quiet }: ReplayCommandOptions,
): Promise<void> {
  const silent = json === true || quiet === true;
  const result = await readable(journal, () =>
    replayJournal(journal, {
      onTurn: (turn) => {
        if (!silent) context.stdout.write(turnText(turn));
      },
    }),
  );
  const { header, ...told } = result;
  const identical = result.divergence === undefined;
  context.stdout.write(
    json === true
      ? jsonText(
          { journal, identical, account: header.account, config: header.config.path, ...told },
          2,
        )
      : resultText(result),
  );
  if (!identical) throw new ReportedFailure();
}

/**
 * A file that is not a journal is wrong usage, not a failure of the replay. @throws ConfigError
 * naming the file and its line.
 */
async function readable<T>(journal: string, replay: () => Promise<T>): Promise<T> {
  try {
    return await replay();
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError("cannot be replayed", {
      field: "journal",
      value: journal,
      expected: `a file that marketwright run --journal wrote: ${cause.message}`,
      cause,
    });
  }
}

/** Describes the decisions of a turn, one line each; empty if there are none. */
function turnText({ turn, stamp, notices, actions }: ReplayedTurn): string {
  const lines = [...notices.flatMap(noticeText), ...actions.map(actionText)];
  return lines.map((line) => `${timeText(stamp.atMs)} turn ${turn}: ${line}\n`).join("");
}

function noticeText(notice: BotEvent): string[] {
  switch (notice.kind) {
    case "intent":
      return [intentText(notice.intent)];
    case "intent-refused":
      return [`${notice.marketId} intent refused: ${notice.refusal}: ${notice.why}`];
    case "held-back":
      return [`${notice.marketId} held back: ${notice.limit}: ${notice.why}`];
    case "halted":
      return [
        `${notice.marketId ?? "all markets"} ${notice.on ? "halted" : "no longer halted"}: ${notice.reason}: ${notice.why}`,
      ];
    case "rung": {
      const { measure, marketId, action, widenFactor, why } = notice;
      return [
        `${marketId ?? "all markets"} risk ladder, ${measure}: ${action === undefined ? "over" : rungActionText({ action, widenFactor })}: ${why}`,
      ];
    }
    case "book-lost":
      return [`${notice.marketId} book given up: ${notice.reason}`];
    default:
      return [];
  }
}

function intentText(intent: Intent): string {
  const { fairTicks, reservationTicks, halfSpreadTicks, terms, clamps } = intent.reason;
  const wanted =
    intent.kind === "quotes"
      ? intent.quotes
          .map(({ side, level, ticks, lots }) => `${side} ${level} ${lots}@${ticks}`)
          .join(", ") || "nothing"
      : `position ${intent.targetLots} no worse than ${intent.worstTicks}`;
  const why = [
    `fair ${short(fairTicks)}`,
    `reservation ${short(reservationTicks)}`,
    `half spread ${short(halfSpreadTicks)}`,
  ];
  for (const [name, value] of Object.entries(terms)) why.push(`${name} ${short(value)}`);
  return `${intent.marketId} wants ${wanted} (${[...why, ...clamps].join(", ")})`;
}

function actionText(action: Action): string {
  switch (action.kind) {
    case "place":
      return `${action.marketId} place ${action.side} ${action.lots}@${action.ticks} ${action.timeInForce} ${action.hash}`;
    case "build":
      return `${action.marketId} build ${action.side} ${action.lots}@${action.ticks} ${action.timeInForce}`;
    case "cancel":
      return `${action.marketId} cancel ${action.orderId} ${action.hash}`;
    case "cancel-all":
      return `${action.marketId} cancel-all`;
    case "question":
      return `ask ${action.ask}`;
  }
}

function resultText({
  header,
  turns,
  actions,
  divergence,
  tornLine,
  changedStrategies,
  broke,
  phase,
  spanMs,
}: ReplayResult): string {
  const lines = [
    `${header.config.path}: ${turns} turns and ${actions} actions over ${(spanMs / 1000).toFixed(1)} s replayed to the byte; the bot was ${phase}`,
  ];
  for (const {
    marketId,
    name,
    recorded,
    found,
    recordedVersion,
    foundVersion,
  } of changedStrategies) {
    const digests = `sha256 ${recorded ?? "of a built-in"} then, ${found ?? "of a built-in"} now`;
    const versions =
      recordedVersion === foundVersion
        ? ""
        : `version ${recordedVersion ?? "none"} then, ${foundVersion ?? "none"} now; `;
    lines.push(
      `markets.${marketId}.strategy: ${name} is not the strategy that was recorded (${versions}${digests})`,
    );
  }
  if (tornLine !== undefined)
    lines.push(
      `line ${tornLine} was cut short when the process that wrote it ended, and is skipped`,
    );
  if (broke !== undefined) lines.push(`the last turn failed, then and now: ${broke}`);
  if (divergence !== undefined) {
    const { turn, line, why, expected, actual } = divergence;
    lines.push(
      `turn ${turn} (line ${line}) differs: ${why}`,
      `  recorded: ${expected}`,
      `  replayed: ${actual}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Formats a time as `12:34:56.789`, UTC. */
function timeText(atMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const seconds = atMs / 1000;
  return `${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${String(atMs % 1000).padStart(3, "0")}`;
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(8)));
}
