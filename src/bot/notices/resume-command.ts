import { shellWord } from "../../core/files/shell-word.js";
import type { MarketId } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

/** The command that lifts the halts of a market, or of all. */
export function resumeCommand({ context }: Bot, marketId: MarketId | undefined): string {
  const market = marketId === undefined ? "" : ` --market ${marketId}`;
  return `marketwright resume ${shellWord(context.config.path)}${market}`;
}
