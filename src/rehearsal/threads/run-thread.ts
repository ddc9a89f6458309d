import { parentPort, workerData } from "node:worker_threads";
import { serialiseError } from "../../backtest/run/serialised-error.js";
import { toUncaughtStrategyError } from "../../bot/strategy/uncaught-strategy-error.js";
import { RunError } from "../../core/errors.js";
import { onUncaught } from "../../core/uncaught.js";
import type { FromRunThread } from "./run-messages.js";
import { type RunJob, RunPlayer, type SharedRunOptions } from "./run-player.js";

const port = parentPort;
if (port === null)
  throw new RunError("cannot be started directly", {
    field: "run-thread",
    expected: "a rehearsal to start it",
  });
const player = new RunPlayer(workerData as SharedRunOptions);
const tell = (message: FromRunThread): void => port.postMessage(message);

onUncaught((error, how) => {
  const found = toUncaughtStrategyError(error, how);
  if (found !== undefined) tell({ kind: "failed", error: serialiseError(found) });
  return found !== undefined;
});

port.on("message", (job: RunJob) => {
  player.play(job).then(
    (run) => tell({ kind: "run", run }),
    (error: unknown) => tell({ kind: "failed", error: serialiseError(error) }),
  );
});
