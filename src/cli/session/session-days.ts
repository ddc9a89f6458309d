import { join } from "node:path";
import type { BotConfig } from "../../bot/config/config.js";
import { DayRecorder } from "../../bot/days/day-recorder.js";
import type { NoticeRecorder } from "../../bot/notices/notice-recorder.js";
import { packageVersion } from "../../core/package-version.js";
import type { Clock } from "../../core/runtime/runtime.js";
import { DAYS_FOLDER } from "../../ledger/days/day-folder.js";
import { DaySealer } from "../../ledger/days/day-sealer.js";
import { DayWriter } from "../../ledger/days/day-writer.js";
import type { OpenLog } from "../../monitoring/log.js";

/** The recording of a session's day files. */
export interface SessionDays {
  readonly recorder: DayRecorder;
  /** Writes the last rows. Call it once the bot has stopped. */
  close(): Promise<void>;
}

/**
 * Opens the day files of a session that trades; undefined if its file wants none.
 * @param directory folder of the bot's state
 * @param notices where people want to know if nothing can be recorded
 */
export function openSessionDays(
  { days: { record, everyMs } }: BotConfig,
  directory: string,
  clock: Clock,
  log: OpenLog,
  notices: NoticeRecorder | undefined,
): SessionDays | undefined {
  if (!record) return undefined;
  const folder = join(directory, DAYS_FOLDER);
  const sealer = new DaySealer(folder, (result) => {
    if ("days" in result) {
      if (result.days.length > 0) log.info({ days: result.days }, "day files are sealed");
    } else if (result.isMissing)
      log.info({ why: result.why }, "day files stay lines of JSON: reports read these too");
    else log.warn({ why: result.why }, "day files could not be sealed: they stay lines of JSON");
  });
  const writer = new DayWriter({
    folder,
    onTrouble: (why) => {
      const isOver = why === undefined;
      notices?.record({
        atMs: clock.nowMs(),
        severity: "warning",
        kind: "days-unwritten",
        title: isOver ? "the day files are written again" : "the day files cannot be written",
        ...(isOver ? {} : { text: why }),
        key: "day files",
        state: isOver ? "off" : "on",
      });
      if (isOver) log.info({ folder }, "the day files are written again");
      else log.error({ folder, error: why }, "the day files cannot be written: it is tried again");
    },
    onDay: (day) => sealer.seal(day),
  });
  const recorder = new DayRecorder({
    clock,
    everyMs,
    version: packageVersion(),
    write: (rows, facts) => writer.write(rows, facts),
  });
  return {
    recorder,
    close: async () => {
      recorder.close();
      writer.close();
      await sealer.stop();
    },
  };
}
