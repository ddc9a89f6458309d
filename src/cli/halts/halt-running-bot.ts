import { sendToRunningBot } from "../../bot/control/control-client.js";
import type { ControlCommand } from "../../bot/control/control-protocol.js";
import type { RunningBotEntry } from "../../bot/state/running-bots.js";
import { FileStateStore } from "../../bot/state/state-dir.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { haltState } from "./stopped-bot.js";

/**
 * Halts a bot that runs. The halt is in its state directory before the bot is told: one that hangs, or is killed meanwhile, shall not come back
 * quoting. What the bot hears it writes down once more.
 * @throws ConfigError for a market that the bot does not have; RunError when it has not carried it out, saying whether its next start will.
 */
export async function haltRunningBot(
  { runtime: { clock } }: CliContext,
  bot: RunningBotEntry,
  command: Extract<ControlCommand, { readonly command: "halt" }>,
): Promise<unknown> {
  const isWritten = writeAhead(bot, command, clock.nowMs());
  try {
    return await sendToRunningBot(bot, command, clock);
  } catch (cause) {
    if (!isWritten || !(cause instanceof RunError)) throw cause;
    throw new RunError(
      `${cause.message}; the halt is written down: whoever starts next is halted`,
      { cause },
    );
  }
}

/** Whether the halt is written down. One that cannot be written keeps nobody from halting what runs: the bot says itself what it could not keep. */
function writeAhead(
  { state, account }: RunningBotEntry,
  command: Extract<ControlCommand, { readonly command: "halt" }>,
  nowMs: number,
): boolean {
  if (state === undefined) return false;
  try {
    const store = new FileStateStore(state.directory, `${process.pid}.new`);
    haltState({ markets: state.markets, store, account: account as Hex, nowMs }, command);
    return true;
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    return false;
  }
}
