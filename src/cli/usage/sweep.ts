import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { SweepCommandOptions } from "../commands/sweep.js";
import { addQueueOptions } from "./queue-options.js";

const EXAMPLES = `
Examples:
  marketwright sweep config/sweep.yaml --out sweep
  marketwright sweep config/sweep.yaml --out sweep --report-best --json
  marketwright sweep config/sweep.yaml --out sweep --queue redis://queue.example:6379

Writes sweep.html and sweep.json into the folder, and adds each finished run to results.jsonl. The same command continues an
interrupted sweep. With --queue, the machines that run marketwright worker execute the runs. Exit code 1 if the sweep was
interrupted or a strategy failed.`;

/** `marketwright sweep FILE` */
export function addSweep(program: Command, context: CliContext): void {
  const command = program
    .command("sweep")
    .description("run a backtest with many sets of parameters on all cores, and rank them")
    .argument("<file>", "the sweep's YAML")
    .requiredOption(
      "--out <folder>",
      "where the results are written, and where an interrupted sweep continues",
    )
    .option("--replace", "replace another sweep's results in that folder");
  addQueueOptions(command, "execute the runs on workers, through a Redis or Valkey queue")
    .option("--report-best", "write the full report of the best point to the subfolder best")
    .option("--json", "print the results as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: SweepCommandOptions) => {
      const { sweepCommand } = await import("../commands/sweep.js");
      await sweepCommand(context, file, options);
    });
}
