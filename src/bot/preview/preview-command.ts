import type { Lots, MarketId } from "../../core/units.js";
import { DAILY_LOSS } from "../../risk/halt.js";
import type { TradingCommand } from "../control/control-protocol.js";
import type { Bot } from "../engine/bot.js";
import type { MarketTrader } from "../market/market-trader.js";
import { type ActiveHalt, listActiveHalts } from "../status/active-halt.js";
import type { CommandPreview, MarketPreview } from "./command-preview.js";
import { previewFlatten } from "./preview-flatten.js";

/** Returns the effects of a command if it came now, and changes nothing. */
export function previewCommand(
  bot: Bot,
  command: TradingCommand,
  sliceLots: Lots | undefined,
): CommandPreview {
  const { marketId } = command;
  const traders = bot.context.traderList.filter(
    (trader) => marketId === undefined || trader.marketId === marketId,
  );
  const halts = listActiveHalts(bot).filter(
    (halt) => marketId === undefined || halt.marketId === null || halt.marketId === marketId,
  );
  const isResume = command.command === "resume";
  return {
    command: command.command,
    markets: traders.map((trader) => previewMarket(bot, trader, command, sliceLots)),
    haltsEnded: halts.filter((halt) => isResume && endsByResume(halt, marketId)),
    haltsKept: halts.filter((halt) => !isResume || !endsByResume(halt, marketId)),
    flattenStopped: isResume
      ? traders.filter(({ target }) => target?.byOperator === true).map((trader) => trader.marketId)
      : [],
  };
}

function previewMarket(
  bot: Bot,
  trader: MarketTrader,
  command: TradingCommand,
  sliceLots: Lots | undefined,
): MarketPreview {
  const { account } = bot.context;
  const { marketId } = trader;
  const flatten =
    command.command === "flatten" && account.confirmed
      ? previewFlatten(bot, trader, {
          maxSlippageBps: command.maxSlippageBps,
          ...(sliceLots === undefined ? {} : { sliceLots }),
        })
      : undefined;
  return {
    marketId,
    ordersCancelled:
      command.command === "resume" ? 0 : account.orders.mayStillFill(marketId).length,
    positionBase: account.confirmed ? account.positionBase(marketId) : null,
    ...(flatten === undefined ? {} : { flatten }),
  };
}

/**
 * A resume ends the halts that do not end by themselves, and the daily loss. That of one market
 * leaves the account's.
 */
function endsByResume(halt: ActiveHalt, marketId: MarketId | undefined): boolean {
  const isMeant = marketId === undefined || halt.marketId === marketId;
  return isMeant && (!halt.endsByItself || halt.name === DAILY_LOSS);
}
