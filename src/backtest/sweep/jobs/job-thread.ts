import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { toUncaughtStrategyError } from "../../../bot/strategy/uncaught-strategy-error.js";
import { RunError } from "../../../core/errors.js";
import { createLiveRuntime } from "../../../core/runtime/live-runtime.js";
import { onUncaught } from "../../../core/uncaught.js";
import { openLog } from "../../../monitoring/log.js";
import { disableParallelGc } from "../../run/disable-parallel-gc.js";
import { playedHistory } from "../../run/opening/shared-history.js";
import type { PlayedHistory } from "../../run/played-history.js";
import { serialiseError } from "../../run/serialised-error.js";
import { JobPlayer } from "./job-player.js";
import type { FromThread, ThreadStart, ToThread } from "./thread-messages.js";

const port = parentPort;
if (port === null)
  throw new RunError("cannot be started directly", {
    field: "job-thread",
    expected: "a sweep to start it",
  });
const { version } = workerData as ThreadStart;

// A heap is collected when it is two and a half times as large as its last live data. V8's default
// is four times, 110 MB a thread instead of 75, which makes no run faster. Twice as large would
// cost 3 % of processor time in marking (bench `sweep-scaling`). This is not a limit: a strategy
// may keep as much as before.
setFlagsFromString("--heap-growing-percent=150");
disableParallelGc();

/** An unhandled error of a strategy since the last job. */
let stray: Error | undefined;
onUncaught((error, how) => {
  const found = toUncaughtStrategyError(error, how);
  stray ??= found;
  return found !== undefined;
});
const isOn = (): boolean => {
  const found = stray;
  stray = undefined;
  if (found !== undefined) throw found;
  return true;
};

const player = new JobPlayer(
  openLog({ level: "warn", clock: createLiveRuntime().clock }),
  version,
  isOn,
);
let history: PlayedHistory | undefined;

port.on("message", (message: ToThread) => {
  if (message.kind === "history") {
    history = playedHistory(message.history);
    return;
  }
  const played = history;
  const answer = (message: FromThread): void => port.postMessage(message);
  if (played === undefined) {
    answer({
      kind: "failed",
      error: serialiseError(new RunError("a job arrived before its history")),
    });
    return;
  }
  player.play(message.job, played).then(
    (result) => answer({ kind: "result", result }),
    (error: unknown) => answer({ kind: "failed", error: serialiseError(error) }),
  );
});
