import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { loadOptional, requireInstalled } from "../../core/optional-part.js";
import type { CliContext } from "../cli-context.js";
import { programVersion } from "../process/program-version.js";
import { type QueueOptions, readQueueAddress } from "../queue-option.js";

export interface WorkerCommandOptions extends QueueOptions {
  readonly store: string;
  readonly workers?: string;
  readonly lock?: string;
  readonly json?: boolean;
}

/** Runs the jobs of other machines' sweeps until a signal arrives. */
export async function workerCommand(
  context: CliContext,
  { store, workers, lock, json = false, ...named }: WorkerCommandOptions,
): Promise<void> {
  const queue = readQueueAddress(named, context);
  if (queue === undefined)
    throw new ConfigError("is missing", {
      field: "--queue",
      expected: "one of --queue, --queue-env and --queue-file",
    });
  requireInstalled(["@duckdb/node-api", "bullmq", "ioredis"]);
  await loadOptional("@duckdb/node-api");
  const { QueueWorker } = await import("../../backtest/queue/queue-worker.js");
  const ended = { done: 0, failed: 0 };
  const worker = await QueueWorker.open({
    address: queue,
    store: resolve(store),
    workers: workers === undefined ? availableParallelism() : countOf("--workers", workers),
    version: programVersion(),
    ...(lock === undefined ? {} : { lockMs: countOf("--lock", lock) * 1000 }),
    onAvailability: (what) => context.stderr.write(`${what}\n`),
    onJob: (id, what) => {
      if (what !== "begins") ended[what] += 1;
      context.stderr.write(`${id} ${what}\n`);
    },
  });
  context.stderr.write("waiting for jobs\n");
  try {
    await Promise.race([context.interrupted(), worker.refused]);
  } finally {
    await worker.close();
    if (json) context.stdout.write(`${JSON.stringify(ended)}\n`);
  }
}

const MOST = 1024;

function countOf(field: string, written: string): number {
  const count = Number(written);
  if (Number.isSafeInteger(count) && count > 0 && count <= MOST) return count;
  throw new ConfigError("is not a valid number", {
    field,
    value: written,
    expected: `a whole number from 1 to ${MOST}`,
  });
}
