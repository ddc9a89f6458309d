import { Command } from "commander";
import { toUncaughtStrategyError } from "../bot/strategy/uncaught-strategy-error.js";
import { ConfigError } from "../core/errors.js";
import { packageVersion } from "../core/package-version.js";
import type { CliContext } from "./cli-context.js";
import { errorText, exitCodeFor, Interrupted, ReportedFailure } from "./process/exit.js";
import { EXIT, type ExitCode } from "./process/exit-code.js";
import { protectArguments, withMaskedOutput } from "./process/masked-output.js";

type AddCommand = (program: Command, context: CliContext) => void;

const control = async (): Promise<AddCommand> =>
  (await import("./usage/control.js")).addControlCommands;

const set = async (): Promise<AddCommand> => (await import("./usage/set.js")).addSet;

/**
 * The commands, in the order of the help. A file of `usage/` contains the `--help` text, and loads
 * the command's file of `commands/` when the command runs. Loading all commands takes longer than
 * starting a bot and its exchange.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  start: async () => (await import("./usage/start.js")).addStart,
  init: async () => (await import("./usage/init.js")).addInit,
  run: async () => (await import("./usage/run.js")).addRun,
  guard: async () => (await import("./usage/guard.js")).addGuard,
  notify: async () => (await import("./usage/guard.js")).addNotify,
  exchange: async () => (await import("./usage/exchange.js")).addExchange,
  check: async () => (await import("./usage/check.js")).addCheck,
  explain: async () => (await import("./usage/explain.js")).addExplain,
  drill: async () => (await import("./usage/drill.js")).addDrill,
  rehearse: async () => (await import("./usage/rehearsal/rehearse.js")).addRehearse,
  replay: async () => (await import("./usage/replay.js")).addReplay,
  work: async () => (await import("./usage/work/work.js")).addWork,
  bisect: async () => (await import("./usage/records/bisect.js")).addBisect,
  journal: async () => (await import("./usage/records/journal.js")).addJournal,
  call: async () => (await import("./usage/call.js")).addCall,
  status: control,
  halt: control,
  resume: control,
  flatten: control,
  cockpit: async () => (await import("./usage/control.js")).addCockpit,
  set,
  reload: set,
  "cancel-all": async () => (await import("./usage/cancel-all.js")).addCancelAll,
  key: async () => (await import("./usage/key.js")).addKey,
  backtest: async () => (await import("./usage/backtest.js")).addBacktest,
  sweep: async () => (await import("./usage/sweep.js")).addSweep,
  worker: async () => (await import("./usage/worker.js")).addWorker,
  compare: async () => (await import("./usage/compare.js")).addCompare,
  whatif: async () => (await import("./usage/records/whatif.js")).addWhatIf,
  report: async () => (await import("./usage/records/report.js")).addReport,
  data: async () => (await import("./usage/data.js")).addData,
  ledger: async () => (await import("./usage/ledger/ledger.js")).addLedger,
};

/** The part of a command's own help that requires loading the command. */
const LOADED_HELP: Readonly<Record<string, () => Promise<string>>> = {
  call: async () => (await import("./commands/endpoint-table.js")).endpointHelp(),
};

/** Text for a signal that ends a command which does not handle signals itself. */
const EXIT_NOTES: Readonly<Record<string, string>> = {
  init: "no file was left half written",
  check: "nothing was changed",
  explain: "nothing was changed",
  drill: "nothing was changed",
  call: "the exchange may have executed the request",
  status: "nothing was changed",
  halt: "the halt may be in force, and the bot continues; marketwright status shows it",
  resume: "the bot may have executed the command; marketwright status shows it",
  flatten: "the bot may be flattening, and continues; marketwright status shows it",
  cockpit: "nothing was changed",
  set: "the bot may have applied the values; marketwright status shows what differs from the file",
  reload:
    "the bot may have applied the values; marketwright status shows what differs from the file",
  "cancel-all": "orders may be left; the same command cancels them",
  key: "no key was written",
  report: "no report was put in place",
  "data list": "nothing was changed",
  "ledger export": "no file was left half written",
  "ledger query": "nothing was changed",
  "ledger liquidations": "nothing was changed",
};

/**
 * They write nothing, and run a bot turn for turn without a pause: a signal ends them at any point.
 */
const ENDED_BY_SIGNAL: readonly string[] = ["bisect", "compare", "replay", "whatif"];

const LEDGER_ACTIONS: readonly string[] = ["export", "query", "liquidations"];

/**
 * Builds the command line. @param only the command to load; all of them if it is unknown, or
 * absent.
 */
export async function buildProgram(context: CliContext, only?: string): Promise<Command> {
  const program = new Command("marketwright")
    .description(
      "Runs market-making and liquidation bots on an on-chain-settled perpetual-futures exchange. Includes such an exchange for tests.",
    )
    .version(packageVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "show the arguments and options")
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 failure at run time, 2 wrong usage or configuration; 129, 130 or 143 if a signal ended the command early.\nData goes to stdout, logs and errors to stderr.",
    );
  const wanted =
    only !== undefined && Object.hasOwn(COMMANDS, only) ? [only] : Object.keys(COMMANDS);
  const added = await Promise.all(
    [...new Set(wanted.flatMap((name) => COMMANDS[name] ?? []))].map((load) => load()),
  );
  for (const add of added) add(program, context);
  if (only !== undefined && Object.hasOwn(LOADED_HELP, only))
    program.commands[0]?.addHelpText("after", (await LOADED_HELP[only]?.()) ?? "");
  rejectRepeatedOptions(program);
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        writeErr: (text) => context.stderr.write(text),
      })
      .showHelpAfterError(
        `(${command === program ? "marketwright" : `marketwright ${command.name()}`} --help shows the arguments and options)`,
      );
  }
  return program;
}

/**
 * Makes a command and its subcommands reject an option whose value is given twice. Commander would
 * silently take the last one: a halt of two markets would leave the first one quoting.
 * @param command its parsing throws ConfigError with the option and its second value
 */
function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    // One with a parser collects its values.
    const isCollected = option.variadic || option.parseArg !== undefined;
    if (!(option.required || option.optional) || isCollected) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, (value: string | null) => {
      if (isGiven)
        throw new ConfigError("is given twice", {
          field: option.long ?? option.flags,
          value,
          expected: "each option once",
        });
      isGiven = true;
    });
  }
  for (const below of command.commands) rejectRepeatedOptions(below);
}

/**
 * Runs one command line.
 * @param args without the node binary and the script.
 * @returns the exit code; errors have been written to stderr.
 */
export async function runCli(args: readonly string[], given: CliContext): Promise<ExitCode> {
  protectArguments(args);
  const context = withMaskedOutput(given);
  try {
    const program = await buildProgram(context, commandNamedIn(args));
    const signalled = untilSignalled(context, program);
    await orUncaught(context, () =>
      Promise.race([program.parseAsync(withActionFirst(args), { from: "user" }), signalled]),
    );
    return EXIT.ok;
  } catch (error) {
    // Commander prints its own errors and help.
    if (!(error instanceof ReportedFailure) && !isCommanders(error))
      context.stderr.write(errorText(error));
    return exitCodeFor(error);
  }
}

/** The command that a command line runs, or shows the help of; undefined if it names none. */
function commandNamedIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  return first === "help" ? second : first;
}

/**
 * `ledger bot.yaml export` is `ledger export bot.yaml`: the name of the file may come before the
 * action.
 */
function withActionFirst(args: readonly string[]): string[] {
  const [command, file, action, ...rest] = args;
  // A wrong action moves too: the error then names it, and not the file.
  const isSwapped =
    command === "ledger" &&
    file !== undefined &&
    action !== undefined &&
    !LEDGER_ACTIONS.includes(file) &&
    (LEDGER_ACTIONS.includes(action) || /\.ya?ml$/.test(file));
  return isSwapped ? [command, action, file, ...rest] : [...args];
}

/**
 * Rejects with Interrupted when a signal arrives during a command that does not handle signals
 * itself.
 */
function untilSignalled(context: CliContext, program: Command): Promise<never> {
  return new Promise((_resolve, reject) => {
    program.hook("preAction", (_program, command) => {
      const { parent } = command;
      const left =
        EXIT_NOTES[
          parent === null || parent === program
            ? command.name()
            : `${parent.name()} ${command.name()}`
        ];
      if (ENDED_BY_SIGNAL.includes(command.name())) context.endOnSignal?.();
      if (left !== undefined)
        void context.interrupted().then((by) => reject(new Interrupted(by, left)));
    });
  });
}

/**
 * Runs the work, and rejects for an uncaught error elsewhere too. @throws the uncaught error; any
 * error of the work
 */
async function orUncaught(context: CliContext, work: () => Promise<unknown>): Promise<void> {
  let quiet: (() => void) | undefined;
  const uncaught = new Promise<never>((_resolve, reject) => {
    quiet = context.onUncaught?.((error, how) => {
      reject(toUncaughtStrategyError(error, how) ?? error);
      return true;
    });
  });
  try {
    await Promise.race([work(), uncaught]);
  } finally {
    quiet?.();
  }
}

function isCommanders(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("commander.")
  );
}
