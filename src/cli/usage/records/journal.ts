import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { JournalCommandOptions } from "../../commands/records/journal.js";

const EXAMPLES = `
Examples:
  marketwright journal run.journal
  marketwright journal run.journal --turn 1200
  marketwright journal run.journal --from 2026-11-28T09:00:00Z --to 2026-11-28T10:00:00Z
  marketwright journal run.journal --against other.journal

The page needs no running bot and no key, and can command nothing. Ctrl-C ends it.`;

/** `marketwright journal run.journal` */
export function addJournal(program: Command, context: CliContext): void {
  program
    .command("journal")
    .description(
      "look at a journal in a browser: each turn's book, orders, reasons and actions on a time line; alone or beside another run. Prints a link that works once",
    )
    .argument("<journal>", "a file that marketwright run --journal wrote")
    .option("--against <journal>", "show this other run beside it, and where they differ")
    .option("--from <turn|time>", "first turn of the page (default: the first)")
    .option("--to <turn|time>", "last turn of the page (default: the last)")
    .option("--turn <number>", "the turn that the page opens at (default: the first)")
    .option("--port <number>", "port on 127.0.0.1; 0 takes a free one (default: 0)")
    .option("--json", "one JSON object on stdout: the url")
    .addHelpText("after", EXAMPLES)
    .action(async (journal: string, options: JournalCommandOptions) => {
      const { journalCommand } = await import("../../commands/records/journal.js");
      await journalCommand(context, journal, options);
    });
}
