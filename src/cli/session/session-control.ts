import type { BotConfig } from "../../bot/config/config.js";
import { ConfigFile } from "../../bot/configure/config-file.js";
import type { AnsweredCommand } from "../../bot/control/control-protocol.js";
import {
  type ControlHandler,
  type ControlServer,
  controlSocketPath,
  startControlServer,
} from "../../bot/control/control-server.js";
import type { BotCommand } from "../../bot/engine/input.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import type { StateStore } from "../../bot/state/state-dir.js";
import { buildFrame } from "../../bot/status/frame.js";
import type { CockpitLink } from "../../cockpit/cockpit-messages.js";
import { RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { Log } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { haltState, type StoppedBotStatus } from "../halts/stopped-bot.js";
import { auditedHandler } from "./audited-handler.js";
import { controlHandler, requirePermission } from "./control-handler.js";

/** The bot to control, and the storage of its halts. */
interface SessionControlOptions {
  readonly config: BotConfig;
  readonly account: Hex;
  readonly state: StateStore;
  /** The state directory. */
  readonly directory: string;
  readonly log: Log;
  /** True if nothing reaches the exchange: the audit file tells these commands apart. */
  readonly dryRun: boolean;
  /** The bot once it runs. */
  readonly running: () => RunningBot | undefined;
  /** A fresh link to the bot's cockpit. @throws RunError if it has none, or it is not open. */
  readonly cockpitLink: () => Promise<CockpitLink>;
}

/** The control socket of a session, from before the bot's start to its end. */
interface SessionControl {
  readonly server: ControlServer;
  /** Executes a command as one of the socket. */
  readonly handle: ControlHandler;
  /** Halts that came before the bot could receive them. */
  readonly earlyHalts: readonly BotCommand[];
}

/**
 * Handles commands to a session's bot; while it starts or stops, only a halt. @throws RunError when
 * the socket cannot be opened.
 */
export async function startSessionControl(
  { env, runtime }: CliContext,
  options: SessionControlOptions,
): Promise<SessionControl> {
  const { config, account, state, directory, log } = options;
  const file = new ConfigFile(config, env);
  const haltsMeanwhile: BotCommand[] = [];
  const runningBot = (): RunningBot | undefined => {
    const running = options.running();
    return running === undefined || running.hasFailed() ? undefined : running;
  };
  const phase = (): "starting" | "ending" =>
    options.running() === undefined ? "starting" : "ending";
  const requireRunning = (command: string): RunningBot => {
    const running = runningBot();
    if (running !== undefined) return running;
    throw new RunError(`the bot is ${phase()}`, {
      field: "command",
      value: command,
      expected: "a bot that runs",
    });
  };
  const respond = async (command: AnsweredCommand): Promise<unknown> => {
    if (command.command === "cockpit-link") return options.cockpitLink();
    const running = runningBot();
    if (running !== undefined || command.command !== "halt")
      return controlHandler(requireRunning(command.command), file)(command);
    requirePermission(config, command);
    // Stored at once, because the bot may be restarted. A starting bot that has already read its
    // state receives it too.
    const halts = haltState(
      { markets: Object.keys(config.markets), store: state, account, nowMs: runtime.clock.nowMs() },
      command,
    );
    const { marketId, reason } = command;
    haltsMeanwhile.push({
      command: "halt",
      reason,
      ...(marketId === undefined ? {} : { marketId }),
    });
    return { phase: phase(), account, halts } satisfies StoppedBotStatus;
  };
  const handle = auditedHandler(respond, {
    directory,
    dryRun: options.dryRun,
    clock: runtime.clock,
    log,
  });
  const server = await startControlServer(controlSocketPath(directory, env), handle, {
    clock: runtime.clock,
    frame: () => {
      const running = requireRunning("watch");
      return buildFrame(running, file.compare(running.bot.context.config));
    },
  });
  return { server, handle, earlyHalts: haltsMeanwhile };
}
