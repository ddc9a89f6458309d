import { actionLine, clockText, noticeLines } from "../../bot/bisect/notice-lines.js";
import { replayNotes } from "../../bot/bisect/replay-notes.js";
import type { ReplayedTurn, ReplayResult } from "../../bot/journal/journal-replay.js";
import { replayJournal } from "../../bot/journal/replay-journal.js";
import type { CliContext } from "../cli-context.js";
import { readJournal } from "../journal/read-journal.js";
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
  const result = await readJournal("journal", journal, () =>
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

/** Describes the decisions of a turn, one line each; empty if there are none. */
function turnText({ turn, stamp, notices, actions }: ReplayedTurn): string {
  const lines = [...notices.flatMap(noticeLines), ...actions.map(actionLine)];
  return lines.map((line) => `${clockText(stamp.atMs)} turn ${turn}: ${line}\n`).join("");
}

function resultText(result: ReplayResult): string {
  const { header, turns, actions, phase, spanMs } = result;
  const lines = [
    `${header.config.path}: ${turns} turns and ${actions} actions over ${(spanMs / 1000).toFixed(1)} s replayed to the byte; the bot was ${phase}`,
    ...replayNotes(result),
  ];
  return `${lines.join("\n")}\n`;
}
