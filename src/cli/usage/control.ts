import { type Command, Option } from "commander";
import type { OperatorRequest } from "../../bot/control/control-protocol.js";
import { ConfigError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";

interface ControlOptions {
  readonly json?: boolean;
  readonly market?: string;
  readonly reason?: string;
  readonly maxSlippageBps?: string;
  readonly sliceBase?: string;
  /** True for the option without a duration. */
  readonly wait?: string | true;
}

/** How long `--wait` waits if no duration is given: a flatten itself gives up after two minutes. */
const HALT_WAIT_MS: Ms = 30_000;
const FLATTEN_WAIT_MS: Ms = 150_000;

/**
 * `marketwright status|halt|resume|flatten [bot.yaml]`: commands to a running bot through its
 * control socket.
 */
export function addControlCommands(program: Command, context: CliContext): void {
  addControlCommand(
    program,
    context,
    "status",
    "show the state of a running bot: halts, positions, orders and profit",
    () => ({
      command: "status",
    }),
  );
  addControlCommand(
    program,
    context,
    "halt",
    "cancel a bot's quotes and place no more until resume, also after a restart; a bot that is not running starts halted",
    ({ market, reason }) => ({
      command: "halt",
      marketId: market,
      reason,
    }),
    HALT_WAIT_MS,
  )
    .addOption(marketOption())
    .option("--wait [duration]", "wait until no order is open (default: 30s)")
    .option("--reason <text>", "why, for the log and the screen");
  addControlCommand(
    program,
    context,
    "resume",
    "let a halted bot quote again; if it is not running, from its next start",
    ({ market }) => ({
      command: "resume",
      marketId: market,
    }),
  ).addOption(marketOption());
  addControlCommand(
    program,
    context,
    "flatten",
    "trade a running bot's position to zero",
    ({ market, maxSlippageBps, sliceBase }) => ({
      command: "flatten",
      marketId: market,
      maxSlippageBps: maxSlippageBps === undefined ? undefined : slippageOf(maxSlippageBps),
      sliceBase,
    }),
    FLATTEN_WAIT_MS,
  )
    .addOption(marketOption())
    .option(
      "--wait [duration]",
      "wait until the position is zero and no order is open (default: 150s)",
    )
    .option(
      "--max-slippage-bps <bps>",
      "worst price: at most so many basis points worse than the best bid or ask (default: 50)",
    )
    .option("--slice-base <amount>", "largest single order (default: a fifth of the position)");
}

function addControlCommand(
  program: Command,
  context: CliContext,
  name: string,
  description: string,
  request: (options: ControlOptions) => OperatorRequest,
  defaultWaitMs: Ms = 0,
): Command {
  return program
    .command(name)
    .description(description)
    .argument("[file]", "the bot's file (default: the only running bot)")
    .option("--json", "the whole status, as JSON on stdout")
    .action(async (file: string | undefined, options: ControlOptions) => {
      const { controlCommand } = await import("../commands/control.js");
      const { json, wait } = options;
      // In `halt --wait bot.yaml` the file stands where a duration may.
      const isFile = file === undefined && typeof wait === "string" && !isDuration(wait);
      const waitMs =
        wait === undefined
          ? undefined
          : wait === true || isFile
            ? defaultWaitMs
            : parseDuration(wait, "--wait");
      await controlCommand(context, isFile ? wait : file, request(options), { json, waitMs });
    });
}

function isDuration(text: string): boolean {
  return /^[\d.]+[a-z]*$/.test(text);
}

function marketOption(): Option {
  return new Option("--market <id>", "only this market (default: all)");
}

function slippageOf(text: string): number {
  const bps = Number(text);
  if (text.trim() !== "" && bps > 0 && bps <= 10_000) return bps;
  throw new ConfigError("is not a slippage", {
    field: "--max-slippage-bps",
    value: text,
    expected: "a number of basis points above 0, at most 10000",
  });
}

/** `marketwright cockpit [bot.yaml]`: a fresh link to the page of the running bots. */
export function addCockpit(program: Command, context: CliContext): void {
  program
    .command("cockpit")
    .description("print a fresh link to the page that shows all running bots; it works once")
    .argument("[file]", "the file of the bot whose cockpit it is (default: any running bot)")
    .option("--json", "one JSON object on stdout: the url")
    .action(async (file: string | undefined, options: { readonly json?: boolean }) => {
      const { cockpitCommand } = await import("../commands/cockpit.js");
      await cockpitCommand(context, file, options);
    });
}
