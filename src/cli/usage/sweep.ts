import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { SweepCommandOptions } from "../commands/sweep.js";
import { addQueueOptions } from "./queue-options.js";

const EXAMPLES = `
Examples:
  marketwright sweep config/sweep.yaml --out sweep
  marketwright sweep config/sweep.yaml --out sweep --report-best --json
  marketwright sweep config/sweep.yaml --out sweep --queue redis://queue.example:6379

Writes sweep.html and sweep.json into the folder, and results.jsonl as runs end: the same command continues where a sweep
was interrupted. With --queue the machines that run marketwright worker do the runs. Exit code 1 when it was interrupted,
or a strategy failed.`;

/** `marketwright sweep FILE` */
export function addSweep(program: Command, context: CliContext): void {
  const command = program
    .command("sweep")
    .description("run a backtest with many parameters on all cores, and show which are best")
    .argument("<file>", "the sweep's YAML")
    .requiredOption(
      "--out <folder>",
      "where the results are written, and where an interrupted sweep continues",
    )
    .option("--replace", "replace another sweep's results in that folder");
  addQueueOptions(command, "let workers at this Redis or Valkey do the runs")
    .option("--report-best", "write the whole report of the best point to the subfolder best")
    .option("--json", "the results as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: SweepCommandOptions) => {
      const { sweepCommand } = await import("../commands/sweep.js");
      await sweepCommand(context, file, options);
    });
}
