import type { BotConfig } from "../../bot/config/config.js";
import type { ConfigDifference } from "../../bot/configure/config-difference.js";
import type { ConfigFile } from "../../bot/configure/config-file.js";
import type { ConfigureCommand } from "../../bot/control/configure-request.js";
import type { AnsweredCommand, TradingCommand } from "../../bot/control/control-protocol.js";
import type { CommandPreview } from "../../bot/preview/command-preview.js";
import { previewCommand } from "../../bot/preview/preview-command.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import type { ActiveHalt } from "../../bot/status/active-halt.js";
import { type BotStatus, buildBotStatus } from "../../bot/status/bot-status.js";
import { ConfigError, FormatError, RunError } from "../../core/errors.js";
import type { Lots, MarketId } from "../../core/units.js";
import { configureBot } from "./configure-handler.js";

/** The effect of a halt, a resume or a flatten, beside the status after it. */
export interface CommandOutcome {
  readonly command: "halt" | "resume" | "flatten";
  /** The markets that the command is for. */
  readonly marketIds: readonly MarketId[];
  /** The halts that it ended. */
  readonly endedHalts: readonly ActiveHalt[];
  /** Markets whose position is no longer traded to zero. */
  readonly abandonedFlattening: readonly MarketId[];
}

/** The response to a command: the bot's status after it, and the command's effect. */
export type ControlAnswer = BotStatus & {
  readonly outcome?: CommandOutcome;
  /** The effect of a `set` or a `reload`. */
  readonly difference?: ConfigDifference;
};

/** Executes commands for a running bot. @param file the file that it runs from */
export function controlHandler(
  running: RunningBot,
  file: ConfigFile,
): (
  command: Exclude<AnsweredCommand, { readonly command: "cockpit-link" }>,
) => Promise<ControlAnswer | CommandPreview> {
  return async (command) => {
    const read = (): BotStatus =>
      buildBotStatus(running.bot, running.liquidator, file.compare(running.bot.context.config));
    if (command.command === "status") return read();
    if (command.command === "preview") return previewFor(running, command.of);
    requirePermission(running.bot.context.config, command);
    requireRunning(running, command.command);
    if (command.command === "set" || command.command === "reload") {
      const difference = configureBot(running, file, command);
      checkWhole(running, command.command);
      return { ...read(), difference };
    }
    const before = read();
    applyCommand(running, command);
    checkWhole(running, command.command);
    checkKept(running, command.command);
    const after = read();
    return { ...after, outcome: outcomeOf(command, before, after) };
  };
}

function outcomeOf(
  { command, marketId }: TradingCommand,
  before: BotStatus,
  after: BotStatus,
): CommandOutcome {
  const marketIds = marketId === undefined ? Object.keys(after.markets) : [marketId];
  return {
    command,
    marketIds,
    endedHalts: before.activeHalts.filter(
      (ended) =>
        !after.activeHalts.some(
          (halt) => halt.name === ended.name && halt.marketId === ended.marketId,
        ),
    ),
    abandonedFlattening: marketIds.filter(
      (id) =>
        before.markets[id]?.isFlattening === true && after.markets[id]?.isFlattening === false,
    ),
  };
}

function previewFor(running: RunningBot, command: TradingCommand): CommandPreview {
  marketOf(running, command.marketId);
  const sliceBase = command.command === "flatten" ? command.sliceBase : undefined;
  const slice =
    sliceBase === undefined ? undefined : sliceLots(running, command.marketId, sliceBase);
  return previewCommand(running.bot, command, slice);
}

/**
 * The page of another bot shows this one too. Its file alone decides if a page or a chat may
 * command it. A chat may halt; it never resumes or configures.
 * @throws ConfigError
 */
export function requirePermission(
  { cockpit, notify, path }: Pick<BotConfig, "cockpit" | "notify" | "path">,
  { command, via }: TradingCommand | ConfigureCommand,
): void {
  if (via === "chat" && command !== "halt" && !(command === "flatten" && notify?.control === true))
    throw new ConfigError(`does not allow a chat to ${command} this bot`, {
      field: "notify.control",
      value: notify?.control,
      expected:
        command === "flatten"
          ? `control: true under notify in ${path}, and a restart of the bot`
          : `marketwright ${command} on the command line`,
    });
  if (via !== "cockpit" || cockpit?.control === true) return;
  throw new ConfigError(`is not true, so that a cockpit may not ${command} this bot`, {
    field: "cockpit.control",
    value: cockpit?.control,
    expected: `control: true under cockpit in ${path}, and a restart of the bot`,
  });
}

function requireRunning({ bot }: RunningBot, command: string): void {
  if (bot.phase === "stopping" || bot.phase === "stopped")
    throw new RunError("the bot is stopping", {
      field: "command",
      value: command,
      expected: "a bot that runs",
    });
}

function applyCommand(running: RunningBot, command: TradingCommand): void {
  const market = marketOf(running, command.marketId);
  switch (command.command) {
    case "halt":
      return running.command({ command: "halt", reason: command.reason, ...market });
    case "resume":
      return running.command({ command: "resume", ...market });
    case "flatten": {
      const { maxSlippageBps } = command;
      const slice =
        command.sliceBase === undefined
          ? {}
          : { sliceLots: sliceLots(running, command.marketId, command.sliceBase) };
      return running.command({ command: "flatten", maxSlippageBps, ...market, ...slice });
    }
  }
}

/** A failing bot accepts no more commands, and its status is outdated. @throws RunError */
function checkWhole(running: RunningBot, command: string): void {
  if (!running.hasFailed()) return;
  const expected = "the bot to end (its log has the reason); after that halt changes its state";
  throw new RunError(
    "the bot has failed and is cancelling its orders: the command was not executed",
    {
      field: "command",
      value: command,
      expected,
    },
  );
}

/** The caller of a halt or a resume must know if it cannot be stored for the next run. */
function checkKept({ bot }: RunningBot, command: string): void {
  const { haltWriteError } = bot.tradingGuards;
  if (haltWriteError === undefined) return;
  throw new RunError(
    `done, but not stored: a restarted bot would not know it (${haltWriteError})`,
    {
      field: "command",
      value: command,
      expected: "a state directory that this user may write; the bot tries again",
    },
  );
}

function marketOf({ bot }: RunningBot, marketId: MarketId | undefined): { marketId?: MarketId } {
  if (marketId === undefined) return {};
  const known = [...bot.context.traders.keys()];
  if (known.includes(marketId)) return { marketId };
  throw new ConfigError("is not a market of this bot", {
    field: "marketId",
    value: marketId,
    expected: `one of ${known.join(", ")}`,
  });
}

/**
 * A slice in lots. Lots differ between markets, so with several of them one must be named. @throws
 * ConfigError for an invalid slice
 */
function sliceLots({ bot }: RunningBot, marketId: MarketId | undefined, sliceBase: string): Lots {
  const [only, second] = bot.context.traders.values();
  const trader =
    marketId === undefined
      ? second === undefined
        ? only
        : undefined
      : bot.context.traders.get(marketId);
  if (trader === undefined)
    throw new ConfigError("needs a market", {
      field: "sliceBase",
      value: sliceBase,
      expected: "a slice together with its market",
    });
  try {
    return trader.instrument.parseAmount(sliceBase);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError("is not a size on the market's grid", {
      field: "sliceBase",
      value: sliceBase,
      expected: `a whole multiple of ${trader.instrument.stepSize}`,
      cause,
    });
  }
}
