import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DayRecorder } from "#bot/day-recorder.js";
import { FileStateStore, type StateStore } from "#bot/state-dir.js";
import type { Clock } from "#core/runtime.js";
import { DAYS_FOLDER } from "#ledger/day-folder.js";
import type { DayRow, RunFacts } from "#ledger/day-row.js";
import { DayWriter } from "#ledger/day-writer.js";

/** A state folder with the recorder of its day files, as a session has them. */
export interface RecordedDays {
  readonly stateDir: string;
  readonly folder: string;
  readonly store: StateStore;
  readonly rows: DayRow[];
  /** Days whose file was opened, in order. */
  readonly days: string[];
  readonly troubles: (string | undefined)[];
  /** The facts of the newest run. */
  facts(): RunFacts;
  /** The recorder of one more run. */
  recorderOf(clock: Clock): DayRecorder;
  /** Ends the newest recorder. */
  close(): void;
}

/** Opens a state folder. @param everyMs interval of the rows */
export function openRecordedDays(everyMs = 60_000): RecordedDays {
  const stateDir = mkdtempSync(join(tmpdir(), "marketwright-days-"));
  const folder = join(stateDir, DAYS_FOLDER);
  const rows: DayRow[] = [];
  const days: string[] = [];
  const troubles: (string | undefined)[] = [];
  let newest: RunFacts | undefined;
  let open: { readonly recorder: DayRecorder; readonly writer: DayWriter } | undefined;
  return {
    stateDir,
    folder,
    store: new FileStateStore(stateDir),
    rows,
    days,
    troubles,
    facts: () => newest as RunFacts,
    recorderOf: (clock) => {
      const writer = new DayWriter({
        folder,
        onTrouble: (why) => troubles.push(why),
        onDay: (day) => days.push(day),
      });
      const recorder = new DayRecorder({
        clock,
        everyMs,
        version: "1.0.0",
        write: (written, facts) => {
          rows.push(...written);
          newest = facts;
          writer.write(written, facts);
        },
      });
      open = { recorder, writer };
      return recorder;
    },
    close: () => {
      open?.recorder.close();
      open?.writer.close();
    },
  };
}
