import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { SweepCommandOptions } from "../commands/sweep.js";
import { addQueueOptions } from "./queue-options.js";

const EXAMPLES = `
Examples:
  marketwright sweep config/sweep.yaml --out sweep
  marketwright sweep config/sweep.yaml --out sweep --report-best --json
  marketwright sweep config/sweep.yaml --out sweep --queue redis://queue.example:6379

Writes sweep.html and sweep.json into the folder, and results.jsonl as runs end: the same command again goes on where a sweep
was interrupted. With --queue the runs are those machines' where marketwright worker waits. Exit code 1 when it was interrupted,
or a strategy failed.`;

/** `marketwright sweep FILE` */
export function addSweep(program: Command, context: CliContext): void {
  const command = program
    .command("sweep")
    .description("run a backtest with many parameters on all cores, and show which are best")
    .argument("<file>", "the sweep's YAML")
    .requiredOption(
      "--out <folder>",
      "where the results are written, and where an interrupted sweep goes on",
    )
    .option("--replace", "drop another sweep's results that lie there");
  addQueueOptions(command, "have the runs done by workers at this Redis or Valkey")
    .option("--report-best", "the best point's whole report into the folder's best")
    .option("--json", "the results as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: SweepCommandOptions) => {
      const { sweepCommand } = await import("../commands/sweep.js");
      await sweepCommand(context, file, options);
    });
}
