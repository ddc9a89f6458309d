import { CONTROL_SOCKET, sendToRunningBot } from "../../bot/control/control-client.js";
import type { ControlCommand } from "../../bot/control/control-protocol.js";
import { appendAudit } from "../../bot/state/audit-log.js";
import type { RunningBotEntry } from "../../bot/state/running-bots.js";
import { FileStateStore } from "../../bot/state/state-dir.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { haltState } from "./stopped-bot.js";

/**
 * Halts a running bot. The halt is in its state directory before the bot receives it: a bot that is
 * stuck, or killed meanwhile, must not restart quoting. The bot stores the halt again when it
 * receives it.
 * @throws ConfigError for a market that the bot does not have; RunError when the bot has not
 * applied it, saying if its next start will.
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
    if (cause.field === CONTROL_SOCKET) auditUnanswered(bot, command, cause, clock.nowMs());
    throw new RunError(`${cause.message}; the halt is stored: the next bot that starts is halted`, {
      cause,
    });
  }
}

/**
 * Stores the halt; returns false if that fails. A failure must not prevent halting a running bot:
 * the bot itself reports what it could not store.
 */
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

/**
 * The bot writes the commands that it receives into its audit file. This one it did not answer, and
 * the halt is in force from its next start.
 */
function auditUnanswered(
  { state }: RunningBotEntry,
  { via = "command-line", ...command }: Extract<ControlCommand, { readonly command: "halt" }>,
  { message }: RunError,
  atMs: Ms,
): void {
  if (state === undefined) return;
  const entry = { via, outcome: "error", error: message } as const;
  appendAudit(state.directory, { atMs, command, ...entry });
}
