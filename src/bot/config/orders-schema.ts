import { z } from "zod";
import { botShape, createMarketsSchema } from "./config-schema.js";

const unread = z.unknown().optional();

/**
 * The part of a bot file that names its orders: the account, the exchange, the markets, and the
 * settings of its guard. Top-level keys have to be known ones, since a misspelt key may be one of
 * these. The content of the other keys is not checked.
 */
export const botOrdersSchema = z.strictObject({
  ...botShape,
  markets: createMarketsSchema(z.unknown()),
  quotes: unread,
  decide: unread,
  risk: unread,
  chain: unread,
  liquidator: unread,
  paper: unread,
  metrics: unread,
});

/** The part that {@link botOrdersSchema} reads. */
export type BotOrdersFile = Pick<
  z.output<typeof botOrdersSchema>,
  "exchange" | "account" | "guard" | "stateDir" | "logLevel" | "markets"
>;
