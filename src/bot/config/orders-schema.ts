import { z } from "zod";
import { botShape, createMarketsSchema } from "./config-schema.js";

const unread = z.unknown().optional();

/**
 * Of a bot file what names its orders, and where they are: whose they are, on which exchange, in
 * which markets, and what its guard goes by. Keys at its top are known ones, since a key that is
 * written wrong may be one of these; what stands below the others is not looked at.
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

/** What {@link botOrdersSchema} yields of what it reads. */
export type BotOrdersFile = Pick<
  z.output<typeof botOrdersSchema>,
  "exchange" | "account" | "guard" | "stateDir" | "logLevel" | "markets"
>;
