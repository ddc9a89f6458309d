import { parentPort, workerData } from "node:worker_threads";
import { bindStrategies, loadStrategies } from "../../bot/run/market-strategies.js";
import { toUncaughtStrategyError } from "../../bot/strategy/uncaught-strategy-error.js";
import { RunError } from "../../core/errors.js";
import { createLiveRuntime } from "../../core/runtime/live-runtime.js";
import { onUncaught } from "../../core/uncaught.js";
import { openLog } from "../../monitoring/log.js";
import { playedHistory } from "./opening/shared-history.js";
import type { FromPath, PathStart, ToPath } from "./path-messages.js";
import { type PathRun, runPath } from "./path-run.js";
import { serialiseError } from "./serialised-error.js";

const port = parentPort;
if (port === null)
  throw new RunError("cannot be started directly", {
    field: "path-thread",
    expected: "a backtest to start it",
  });
const { config, run, history, path } = workerData as PathStart;
const tell = (message: FromPath): void => port.postMessage(message);

/** Progress is reported each time that this much of the history has been played. */
const TELL_EVERY_US = 86_400_000_000;

let isStopped = false;
let reportedUs = 0;
/** An unhandled error of a strategy. */
let stray: Error | undefined;
onUncaught((error, how) => {
  const found = toUncaughtStrategyError(error, how);
  stray ??= found;
  return found !== undefined;
});

async function play(): Promise<PathRun> {
  const loaded = await loadStrategies(
    config.bot,
    openLog({ level: config.bot.logLevel, clock: createLiveRuntime().clock }),
  );
  const strategies = bindStrategies(config.bot, loaded);
  const onProgress = (atUs: number): boolean => {
    if (stray !== undefined) throw stray;
    if (atUs >= reportedUs + TELL_EVERY_US) {
      reportedUs = atUs;
      tell({ kind: "progress", atUs });
    }
    return !isStopped;
  };
  return runPath(config, { ...run, strategies, onProgress }, playedHistory(history), path);
}

const playing = play();

const obey = async (message: ToPath): Promise<void> => {
  isStopped ||= message.kind !== "finish";
  if (message.kind === "stop") return;
  try {
    const played = await playing;
    if (message.kind === "abandon") await played.abandon();
    else tell({ kind: "finished", paths: await played.finish(message.outcome) });
  } catch (error) {
    tell({ kind: "failed", error: serialiseError(error) });
  }
  port.close();
};

port.on("message", obey);
playing.then(
  ({ outcome, headline }) => tell({ kind: "played", outcome, headline: headline() }),
  (error: unknown) => {
    tell({ kind: "failed", error: serialiseError(error) });
    port.close();
  },
);
