import { RunError } from "../../core/errors.js";
import type { BotCommand } from "../engine/input.js";
import { startLiquidator } from "./run-liquidator.js";
import type { Assembled, RunBotOptions, RunningBot } from "./running-bot.js";

/**
 * The same bot with its liquidator, if its file has one: a stop then ends the liquidator first,
 * while the bot can still sell.
 * @throws as `startLiquidator` does, after the bot has stopped with every order cancelled; RunError
 * if the bot has no access to the chain
 */
export async function withLiquidator(
  options: RunBotOptions,
  running: Assembled,
): Promise<RunningBot> {
  const {
    config,
    privateKey,
    runtime,
    store,
    log,
    dryRun = false,
    withoutLiquidator = false,
    chain,
    notices,
  } = options;
  const { bot, client, account, monitor } = running;
  if (config.liquidator === undefined || withoutLiquidator)
    return { ...running, liquidator: undefined };
  if (chain === undefined)
    throw new RunError("a bot that liquidates needs access to its chain", {
      field: "chain",
    });
  try {
    const liquidator = await startLiquidator({
      config,
      privateKey,
      account,
      runtime,
      store,
      client,
      bot,
      access: chain,
      dryRun,
      command: running.command,
      log: monitor.liquidation.log,
      onLedgerChange: (note) => {
        monitor.liquidation.onLedgerChange(note);
        notices?.onLedgerChange(note, bot.context.rules.creditDecimals);
      },
      nowMs: () => bot.context.exchangeTime.nowMs(),
    });
    if (liquidator === undefined) return { ...running, liquidator };
    monitor.liquidation.attach(liquidator);
    running.addListener((notice) => liquidator.onBotEvent(notice));
    // However the bot ends, the liquidator starts no more takeovers for it.
    running.stopped
      .then(
        () => liquidator.stop(),
        () => liquidator.stop(),
      )
      .catch((error: unknown) => log.error({ error }, "the liquidator failed while it stopped"));
    const command = (wanted: BotCommand): void => {
      if (wanted.command !== "stop") return running.command(wanted);
      void liquidator
        .stop()
        .catch((error: unknown) => log.error({ error }, "the liquidator failed while it stopped"))
        .finally(() => running.command(wanted));
    };
    return { ...running, command, liquidator };
  } catch (error) {
    // The bot may have quoted while the chain was queried: none of its orders may remain.
    running.command({ command: "stop", reason: "its liquidator could not be started" });
    await running.stopped.catch((broken: unknown) =>
      log.error({ error: broken }, "the bot failed while it stopped"),
    );
    running.close();
    throw error;
  }
}
