import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RunError } from "#core/errors.js";

/**
 * A server of a benchmark in a separate process, so that its CPU time excludes the load generator.
 */
export interface BenchServer {
  /** The ports on which it listens, in the order in which it reported them. */
  readonly ports: readonly number[];
  /** CPU time of its process so far, user and system. */
  cpuMs(): Promise<number>;
  /** Returns further measurements of a process that makes them. */
  query<Answer>(): Promise<Answer>;
  end(): void;
}

/** The first message of a server. */
export interface BenchServerReady {
  readonly ports: readonly number[];
}

/** Starts a server of this folder. @throws RunError when it ends before it listens */
export async function forkBenchServer(
  file: string,
  args: readonly string[] = [],
): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...args]);
  child.once("exit", (code) => {
    throw new RunError("a server of the benchmark ended early", { value: code });
  });
  const { ports } = await answerOf<BenchServerReady>(child);
  const ask = <Answer>(): Promise<Answer> => {
    child.send("ask");
    return answerOf<Answer>(child);
  };
  return {
    ports,
    cpuMs: () => ask<number>(),
    query: ask,
    end: () => {
      child.removeAllListeners("exit").kill();
    },
  };
}

/** The server's side: reports its ports, and its CPU time on request. */
export function serveBench(ports: readonly number[]): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  });
  process.send?.({ ports } satisfies BenchServerReady);
}

function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve) => {
    child.once("message", (message) => resolve(message as Answer));
  });
}
