import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { shellWord } from "../../core/files/shell-word.js";
import { createLiveRuntime } from "../../core/runtime/live-runtime.js";
import type { Ms } from "../../core/units.js";
import type { OpenLog } from "../../monitoring/log.js";
import { StallDetector } from "./stall-detector.js";
import {
  BEAT_MS,
  WATCHED,
  type WatchdogCallbacks,
  type WatchdogMessage,
  type WatchdogStart,
  WORD,
} from "./watchdog-memory.js";

/** Time limit of the main thread's response: a thread blocked in a system call gives none. */
const ANSWER_WITHIN_MS: Ms = 1_000;
const STDERR = 2;
const start = workerData as WatchdogStart;
const runtime = createLiveRuntime();
const { clock } = runtime;
const words = new Int32Array(start.memory);
const watch = new StallDetector(start.stallMs, BEAT_MS, clock.monotonicMs());
/** Deadline of the process, on the monotonic clock. */
let endsAtMs = Number.POSITIVE_INFINITY;
/** The report and the cancels for a stuck bot. */
let handled: Promise<void> = Promise.resolve();
let isEnding = false;

parentPort?.on("message", ({ ms }: WatchdogMessage) => {
  endsAtMs = clock.monotonicMs() + ms;
});
checkStall();

function checkStall(): void {
  clock.setTimer(BEAT_MS, checkStall);
  const change = watch.check(Atomics.load(words, WORD.beats), clock.monotonicMs());
  if (change?.isStalled === true) handled = handleStall(change.silentMs);
  else if (change !== undefined)
    // Node drops a signal that waits for the loop when its handler is taken away.
    void writeLogLine(
      "warn",
      `the event loop runs again, after ${seconds(change.silentMs)} s. A signal of its first ${seconds(start.stallMs)} s is lost: send it again`,
    );
  if (watch.isStalled && clock.monotonicMs() > endsAtMs && !isEnding) void end();
}

async function handleStall(silentMs: Ms): Promise<void> {
  const called = start.markets[Atomics.load(words, WORD.called) - 1];
  const place = await interruptMainThread("stalled");
  const where = place === undefined || place === "" ? "" : `, at ${place}`;
  const busy =
    called === undefined
      ? `it is busy${where}`
      : `the strategy of ${called.marketId} (${called.strategy}) was called and has not returned${where}`;
  const signal =
    place === undefined
      ? "Only SIGKILL ends the process now."
      : "A signal ends the process at once.";
  await writeLogLine(
    "error",
    `the event loop has done nothing for ${seconds(silentMs)} s: ${busy}. The bot neither quotes nor cancels until then. ${signal}`,
  );
  const { orders } = start;
  if (orders === undefined) return;
  await withLog(async (log) => {
    const { cancelUnguarded } = await import("./cancel-unguarded.js");
    await cancelUnguarded(orders, runtime, log);
  }).catch((error: unknown) =>
    writeLogLine(
      "error",
      `the watchdog could not cancel: ${String(error)}; run marketwright cancel-all ${shellWord(start.path)}`,
    ),
  );
}

/** Ends the process after its configured time, if the main thread cannot. */
async function end(): Promise<void> {
  isEnding = true;
  await handled;
  if (!watch.isStalled) {
    isEnding = false;
    return;
  }
  // The next step ends the process: the line must be written before.
  await writeLogLine(
    "error",
    `the time is over and the event loop is stuck: the process ends now. The guard cancels its orders; without one run marketwright cancel-all ${shellWord(start.path)}`,
  );
  await interruptMainThread("end");
  process.kill(process.pid, "SIGKILL");
}

/**
 * Runs one of the {@link WatchdogCallbacks} in the main thread, interrupting its current work. The
 * inspector is the only part of Node that can interrupt a thread which never returns to its event
 * loop.
 * @returns the callback's result; undefined if the main thread does not respond, or Node has no
 * inspector.
 */
function interruptMainThread(hook: keyof WatchdogCallbacks): Promise<string | undefined> {
  return new Promise((resolve) => {
    const session = new Session();
    const done = (answer: string | undefined): void => {
      timer.cancel();
      session.disconnect();
      resolve(answer);
    };
    const timer = clock.setTimer(ANSWER_WITHIN_MS, () => done(undefined));
    try {
      session.connectToMainThread();
      const expression = `globalThis.${WATCHED}?.${hook}()`;
      session.post("Runtime.evaluate", { expression, returnByValue: true }, (error, answer) => {
        const value: unknown = error === null ? answer.result.value : undefined;
        done(typeof value === "string" ? value : undefined);
      });
    } catch {
      done(undefined);
    }
  });
}

async function writeLogLine(level: "warn" | "error", message: string): Promise<void> {
  // The log may be a file behind a screen.
  if (start.logFile !== undefined) writeSync(STDERR, maskSecrets(`marketwright: ${message}\n`));
  await withLog((log) => log[level]({ process: "watchdog" }, message));
}

async function withLog(use: (log: OpenLog) => void | Promise<void>): Promise<void> {
  const { logFile } = start;
  // Loaded on demand, which is rare: every bot has this thread.
  const { openLog } = await import("../../monitoring/log.js");
  const log = openLog({
    level: "info",
    clock,
    ...(logFile === undefined ? {} : { file: logFile }),
  });
  try {
    await use(log);
  } finally {
    log.close();
  }
}

function seconds(ms: Ms): string {
  return (ms / 1000).toFixed(1);
}
