import type { BotConfig } from "../../bot/config/config.js";
import {
  type ControlServer,
  controlSocketPath,
  startControlServer,
} from "../../bot/control/control-server.js";
import type { BotCommand } from "../../bot/engine/input.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import type { StateStore } from "../../bot/state/state-dir.js";
import { RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { haltState, type StoppedBotStatus } from "../halts/stopped-bot.js";
import { controlHandler } from "./control-handler.js";

/** Whose commands are answered, and where what a halt says is written down. */
interface SessionControlOptions {
  readonly config: BotConfig;
  readonly account: Hex;
  readonly state: StateStore;
  /** The state directory. */
  readonly directory: string;
  /** The bot once it runs. */
  readonly running: () => RunningBot | undefined;
}

/** The socket of a session from before its bot runs to its end. */
interface SessionControl {
  readonly server: ControlServer;
  /** Halts that came before the bot was there to be told of them. */
  readonly earlyHalts: readonly BotCommand[];
}

/** Answers what is asked of a session's bot; while that starts or ends, a halt alone. @throws RunError when nobody can listen there. */
export async function startSessionControl(
  { env, runtime: seam }: CliContext,
  options: SessionControlOptions,
): Promise<SessionControl> {
  const { config, account, state, directory } = options;
  const haltsMeanwhile: BotCommand[] = [];
  const server = await startControlServer(controlSocketPath(directory, env), async (command) => {
    const running = options.running();
    if (running !== undefined && !running.hasFailed()) return controlHandler(running)(command);
    const phase = running === undefined ? "starting" : "ending";
    if (command.command !== "halt")
      throw new RunError(`the bot is ${phase}`, {
        field: "command",
        value: command.command,
        expected: "a bot that runs",
      });
    // Somebody may start it again: written down at once. Where one that starts has read its state already, it is told.
    const halts = haltState(
      { markets: Object.keys(config.markets), store: state, account, nowMs: seam.clock.nowMs() },
      command,
    );
    const { marketId, reason } = command;
    haltsMeanwhile.push({
      command: "halt",
      reason,
      ...(marketId === undefined ? {} : { marketId }),
    });
    return { phase, account, halts } satisfies StoppedBotStatus;
  });
  return { server, earlyHalts: haltsMeanwhile };
}
