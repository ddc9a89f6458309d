import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { BisectCommandOptions } from "../../commands/records/bisect.js";

const EXAMPLES = `
Examples:
  marketwright bisect run.journal --when 'position.btcusdc > 0.4'
  marketwright bisect run.journal --when 'halts contains "drawdown"' --from 2026-11-28T09:00:00Z
  marketwright bisect run.journal --when 'position.btcusdc > 0.4' --shrink slice.journal
  marketwright bisect run.journal --turn 1200
  marketwright bisect run.journal --against other.journal --turns 5

Exit code 0: found; 1: the condition never held, or the runs are equal; 2: a wrong condition or journal.`;

/** `marketwright bisect run.journal` */
export function addBisect(program: Command, context: CliContext): void {
  program
    .command("bisect")
    .description(
      "find the first turn of a journal after which a condition over the status holds, with what led to it; or the first turn in which two journals differ",
    )
    .argument("<journal>", "a file that marketwright run --journal wrote")
    .option("--when <condition>", "comparisons of status fields, joined by and, or, not")
    .option("--turn <number>", "show this turn, without a condition")
    .option("--from <turn|time>", "first turn of the search (default: the first)")
    .option("--to <turn|time>", "last turn of the search (default: the last)")
    .option("--against <journal>", "the first turn in which this other run differs")
    .option("--turns <number>", "with --against: how many turns are shown (default: 3)")
    .option("--shrink <file>", "with --when: write the fewest turns that show it as a journal")
    .option("--shrink-runs <number>", "with --shrink: replays at most (default: 300)")
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (journal: string, options: BisectCommandOptions) => {
      const { bisectCommand } = await import("../../commands/records/bisect.js");
      await bisectCommand(context, journal, options);
    });
}
