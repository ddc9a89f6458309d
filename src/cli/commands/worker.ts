import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ConfigError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { programVersion } from "../process/program-version.js";
import { addQueueOptions, type QueueOptions, queueFrom } from "../queue-option.js";

interface WorkerCommandOptions extends QueueOptions {
  readonly store: string;
  readonly workers?: string;
  readonly lock?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  marketwright worker --queue redis://queue.example:6379 --store /data/history
  marketwright worker --queue-env QUEUE_ADDRESS --store history --workers 4

Runs until it is interrupted, and ends the runs at hand then. It refuses jobs whose history is not, by checksum, the one in its store, with exit code 2.`;

/** `marketwright worker` */
export function addWorker(program: Command, context: CliContext): void {
  const command = program
    .command("worker")
    .description("run the jobs of sweeps that were started with --queue, on this machine's cores");
  addQueueOptions(command, "the sweep's Redis or Valkey")
    .option("--store <folder>", "this machine's history", "history")
    .option("--workers <count>", "runs at once (default: the cores of this machine)")
    .option(
      "--lock <seconds>",
      "how long a job may show no sign of life before another worker runs it (30)",
    )
    .option("--json", "what was run, as JSON on stdout at the end")
    .addHelpText("after", EXAMPLES)
    .action(async ({ store, workers, lock, json = false, ...named }: WorkerCommandOptions) => {
      const queue = queueFrom(named, context);
      if (queue === undefined)
        throw new ConfigError("is missing", {
          field: "--queue",
          expected: "one of --queue, --queue-env and --queue-file",
        });
      const { QueueWorker } = await import("../../backtest/queue/queue-worker.js");
      const ended = { done: 0, failed: 0 };
      const worker = await QueueWorker.open({
        address: queue,
        store: resolve(store),
        workers: workers === undefined ? availableParallelism() : countOf("--workers", workers),
        version: programVersion(),
        ...(lock === undefined ? {} : { lockMs: countOf("--lock", lock) * 1000 }),
        onAway: (what) => context.stderr.write(`${what}\n`),
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
    });
}

const MOST = 1024;

function countOf(field: string, written: string): number {
  const count = Number(written);
  if (Number.isSafeInteger(count) && count > 0 && count <= MOST) return count;
  throw new ConfigError("is no such number", {
    field,
    value: written,
    expected: `a whole number from 1 to ${MOST}`,
  });
}
