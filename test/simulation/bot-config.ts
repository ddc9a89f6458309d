import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";

/** A bot's file as an object, with defaults for everything that a simulation does not vary. */
export function botConfig(file: Record<string, unknown>): BotConfig {
  const whole = {
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    risk: { maxDrawdownQuote: "1000000" },
    ...file,
  };
  return { ...botSchema.parse(whole), path: "/simulation/bot.yaml" };
}
