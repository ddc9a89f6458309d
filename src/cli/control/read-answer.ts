import { z } from "zod";
import type { ControlAnswer } from "../session/control-handler.js";

const text = z.string();

/** The fields that tell a status of this version from that of another one. */
const answerShape = z.looseObject({
  phase: text,
  account: text,
  activeHalts: z.array(z.looseObject({ name: text, why: text, marketId: text.nullable() })),
  openPositions: z.array(z.looseObject({ marketId: text, positionBase: text })),
  markets: z.record(
    text,
    z.looseObject({ openBids: z.number(), openAsks: z.number(), ordersCancelled: z.number() }),
  ),
});

/**
 * The answer of a running bot; undefined if it has another form, such as that of a bot that starts
 * or ends, or of another version.
 */
export function readControlAnswer(answer: unknown): ControlAnswer | undefined {
  return answerShape.safeParse(answer).success ? (answer as ControlAnswer) : undefined;
}
