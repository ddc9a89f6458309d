import { type ChildProcess, fork } from "node:child_process";
import { closeSync, statSync } from "node:fs";
import { LineReader } from "../../bot/control/control-protocol.js";
import { RunError } from "../../core/errors.js";
import { openPlainFile, readPlainFile } from "../../core/files/plain-files.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { OpenLog } from "../../monitoring/log.js";

/** Another command of ours that runs beside this process, in its own process and process group. */
export interface Companion {
  readonly name: string;
  /** Resolves with the reason of its end. */
  readonly ended: Promise<string>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Processes started beside a bot. */
export interface Companions {
  /** Companions that run, or will once `starting` resolves. */
  readonly companions?: readonly Companion[];
  /** Resolves when all are started; rejects when one does not start. */
  readonly starting?: Promise<void>;
}

/** The command to run, and the file of its log. */
interface CompanionOptions {
  readonly name: string;
  /** This program's own script. */
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Mode 0600. */
  readonly logFile: string;
  readonly clock: Clock;
}

const START_WITHIN_MS = 20_000;
const END_WITHIN_MS = 5_000;
const MOST_ERROR_TEXT = 4000;

/**
 * Starts a companion without waiting for it; its stdout goes to its log. It has its own process
 * group, so that Ctrl-C reaches only this process, which stops things in order. It ends by itself
 * when this process is gone, for whatever reason.
 */
export function launchCompanion(options: CompanionOptions): Companion {
  return forkCompanion(options, "log").companion;
}

/**
 * Starts a companion as {@link launchCompanion} does, and waits for its first line on stdout.
 * @throws RunError with the companion's own message when it ends before its first line.
 */
export async function startCompanion(
  options: CompanionOptions,
): Promise<{ companion: Companion; firstLine: string }> {
  const { name, logFile, clock } = options;
  const { child, companion, logStart } = forkCompanion(options, "pipe");
  const { ended } = companion;
  let timer: Timer | undefined;
  const first = await Promise.race([
    firstLineOf(child).then((line) => ({ line })),
    ended.then((why) => ({ why })),
    new Promise<{ why: string }>((resolve) => {
      timer = clock.setTimer(START_WITHIN_MS, () =>
        resolve({ why: `it printed nothing for ${START_WITHIN_MS} ms` }),
      );
    }),
  ]);
  timer?.cancel();
  if (!("line" in first)) {
    child.kill("SIGKILL");
    throw new RunError(
      `the ${name} did not start: ${first.why}: ${readLogSince(logFile, logStart)}`,
      {
        expected: `a log without errors in ${logFile}`,
      },
    );
  }
  return { firstLine: first.line, companion };
}

/** @param stdout where the stdout of the companion goes: to its log, or to this process */
function forkCompanion(
  { name, script, args, env, logFile, clock }: CompanionOptions,
  stdout: "log" | "pipe",
): { readonly child: ChildProcess; readonly companion: Companion; readonly logStart: number } {
  const log = openPlainFile(logFile, "a", 0o600);
  const logStart = statSync(logFile).size;
  const child = fork(script, [...args], {
    env: { ...env },
    stdio: ["ignore", stdout === "log" ? log : "pipe", log, "ipc"],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  return {
    child,
    logStart,
    companion: { name, ended, stop: () => stop(child, ended, clock) },
  };
}

/**
 * Logs when a companion ends or does not start: the bot continues without it, and the log must show
 * that.
 * @returns a function that stops this.
 */
export function watchCompanions(
  { companions = [], starting }: Companions,
  log: OpenLog,
): () => void {
  let over = false;
  const watched = new Set<Companion>();
  const watch = (): void => {
    for (const companion of companions) {
      if (watched.has(companion)) continue;
      watched.add(companion);
      void companion.ended.then((why) => {
        if (!over) log.error({ companion: companion.name, why }, `the ${companion.name} has ended`);
      });
    }
  };
  watch();
  starting?.then(watch, (error: unknown) => {
    if (!over) log.error({ error }, "what should run beside the bot did not start");
  });
  return () => {
    over = true;
  };
}

function firstLineOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const reader = new LineReader();
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      const [line] = reader.push(chunk) ?? [];
      if (line !== undefined) resolve(line);
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<string>, clock: Clock): Promise<void> {
  child.kill("SIGTERM");
  const timer = clock.setTimer(END_WITHIN_MS, () => child.kill("SIGKILL"));
  await ended;
  timer.cancel();
  if (child.connected) child.disconnect();
}

/** Returns the log lines of a companion since its start: the reason why it did not start. */
function readLogSince(logFile: string, start: number): string {
  return readPlainFile(logFile).subarray(start).toString("utf8").trim().slice(-MOST_ERROR_TEXT);
}
