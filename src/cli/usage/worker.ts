import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { WorkerCommandOptions } from "../commands/worker.js";
import { addQueueOptions } from "./queue-options.js";

const EXAMPLES = `
Examples:
  marketwright worker --queue redis://queue.example:6379 --store /data/history
  marketwright worker --queue-env QUEUE_ADDRESS --store history --workers 4

When the worker is interrupted, it finishes its current runs and exits. It exits with code 2 if a job's history has another
checksum than the same history in its store.`;

/** `marketwright worker` */
export function addWorker(program: Command, context: CliContext): void {
  const command = program
    .command("worker")
    .description("run the jobs of sweeps that were started with --queue, on this machine's cores");
  addQueueOptions(command, "the sweep's Redis or Valkey")
    .option("--store <folder>", "this machine's history", "history")
    .option("--workers <count>", "number of parallel runs (default: the cores of this machine)")
    .option(
      "--lock <seconds>",
      "time without a sign of life after which another worker takes a job (default: 30)",
    )
    .option("--json", "print the finished runs as JSON on stdout at the end")
    .addHelpText("after", EXAMPLES)
    .action(async (options: WorkerCommandOptions) => {
      const { workerCommand } = await import("../commands/worker.js");
      await workerCommand(context, options);
    });
}
