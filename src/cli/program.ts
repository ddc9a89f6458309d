import { Command } from "commander";
import type { CliContext } from "./cli-context.js";
import { addCall } from "./commands/call.js";
import { addCancelAll } from "./commands/cancel-all.js";
import { addCheck } from "./commands/check.js";
import { addControlCommands } from "./commands/control.js";
import { addDrill } from "./commands/drill.js";
import { addExchange } from "./commands/exchange.js";
import { addExplain } from "./commands/explain.js";
import { addGuard } from "./commands/guard.js";
import { addKey } from "./commands/key.js";
import { addReplay } from "./commands/replay.js";
import { addRun } from "./commands/run.js";
import { addStart } from "./commands/start.js";
import { EXIT, type ExitCode, errorText, exitCodeOf, NotWell } from "./exit.js";
import { packageVersion } from "./package-version.js";

/** The whole command line, with every command on it. */
export function buildProgram(context: CliContext): Command {
  const program = new Command("marketwright")
    .description("Makes markets on an on-chain-settled perpetual-futures exchange, and brings that exchange along.")
    .version(packageVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "say what it takes")
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 failure at run time, 2 wrong usage or configuration.\nData goes to stdout, logs and errors to stderr.",
    );
  addStart(program, context);
  addRun(program, context);
  addGuard(program, context);
  addExchange(program, context);
  addCheck(program, context);
  addExplain(program, context);
  addDrill(program, context);
  addReplay(program, context);
  addCall(program, context);
  addControlCommands(program, context);
  addCancelAll(program, context);
  addKey(program, context);
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
      .showHelpAfterError(`(${command === program ? "marketwright" : `marketwright ${command.name()}`} --help says what it takes)`);
  }
  return program;
}

/**
 * Runs one command line to its end.
 * @param args without the node binary and the script.
 * @returns the exit code; errors have been written to stderr.
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<ExitCode> {
  try {
    await buildProgram(context).parseAsync([...args], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // Commander has written its own errors and helps.
    if (!(error instanceof NotWell) && !isCommanders(error)) context.stderr.write(errorText(error));
    return exitCodeOf(error);
  }
}

function isCommanders(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("commander.");
}
