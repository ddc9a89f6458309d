import type { PaperModels } from "../../backtest/paper/paper-venue.js";
import type { SessionRecording } from "../../backtest/session/session-recording.js";
import type { BotConfig } from "../../bot/config/config.js";
import type { SessionBeginning, SessionListener } from "../../bot/run/session-listener.js";
import { packageVersion } from "../../core/package-version.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { OpenLog } from "../../monitoring/log.js";

/** Content and folder of a recording. */
interface SessionRecorderOptions {
  readonly folder: string;
  readonly config: BotConfig;
  readonly dryRun: boolean;
  readonly paper: PaperModels | undefined;
  readonly runtime: Runtime;
  readonly log: OpenLog;
}

/** A session's recording, before and after it has started. */
export interface RunSessionRecorder {
  readonly record: (beginning: SessionBeginning) => Promise<SessionListener>;
  /** Closes a started recording properly. */
  readonly close: () => Promise<void>;
  /** Releases a recording that was not closed. */
  readonly abandon: () => void | Promise<void>;
}

/** Claims the folder of a recording. @throws ConfigError for a folder in use. */
export async function openSessionRecorder({
  folder,
  config,
  dryRun,
  paper,
  runtime,
  log,
}: SessionRecorderOptions): Promise<RunSessionRecorder> {
  // It loads a database, which a bot without a recording need not wait for.
  const recordings = await import("../../backtest/session/session-recording.js");
  recordings.SessionRecording.claim(folder);
  let begun: SessionRecording | undefined;
  const onFailed = (error: unknown): void =>
    log.error({ error, folder }, "the recording of the session has stopped");
  const mode = paper !== undefined ? "paper" : dryRun ? "no-fills" : "live";
  const session = {
    folder,
    config,
    mode,
    paper,
    version: packageVersion(),
    runtime,
    onFailed,
  } as const;
  return {
    record: async (beginning) => {
      begun = await recordings.SessionRecording.begin(session, beginning);
      return begun;
    },
    close: async () => {
      await begun?.close();
    },
    abandon: () => begun?.abandon(),
  };
}
