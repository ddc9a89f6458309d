import type { Ms } from "../../core/units.js";
import type { Notice } from "../../notify/notice.js";
import { haltMarketId } from "../../risk/halt.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import { actionText } from "../safety/ladder-text.js";
import { resumeCommand } from "./resume-command.js";

type RungEvent = Extract<BotEvent, { kind: "rung" }>;

/** Turns the rungs of the risk ladder into notices. Where a rung halts, the halt is the event. */
export class RungNotices {
  /** Rungs that were told and act, by measure and market; true if a person has to lift it. */
  readonly #told = new Map<string, boolean>();

  forRung(event: RungEvent, bot: Bot, atMs: Ms): Notice | undefined {
    const { measure, marketId, action, widenFactor, why } = event;
    const where = marketId === undefined ? measure : `${measure} of ${marketId}`;
    const before = this.#told.get(where);
    this.#told.delete(where);
    const isHalt = action === "halt" || (action === "flatten" && !isHalted(event, bot));
    // A halt tells its end, too.
    if (isHalt || (action === undefined && before === undefined)) return undefined;
    // While a market is halted for it, only the halt's end is told.
    const needsPerson = action === undefined ? before === true : isLatched(event, bot);
    if (action !== undefined && action !== "flatten") this.#told.set(where, needsPerson);
    const isQuiet = bot.phase === "starting" && !needsPerson;
    return {
      atMs,
      severity: needsPerson ? "critical" : isQuiet ? "info" : "warning",
      kind: "rung",
      title:
        action === undefined
          ? `risk ladder: ${where} is over`
          : `risk ladder: ${where}: ${actionText({ action, widenFactor })}`,
      ...(action === undefined ? {} : { text: why }),
      key: `rung ${where}`,
      state: action ?? "over",
      endsKey: action === undefined && before === true,
      ...(marketId === undefined ? {} : { marketId }),
      ...(action !== undefined && needsPerson ? { command: resumeCommand(bot, marketId) } : {}),
    };
  }
}

/** True if the market or the account is halted already for the measure of a rung. */
function isHalted({ measure, marketId }: RungEvent, { tradingGuards: { halts } }: Bot): boolean {
  return halts.some((halt) => halt.name === measure && haltMarketId(halt) === marketId);
}

function isLatched({ measure, marketId, action }: RungEvent, { tradingGuards }: Bot): boolean {
  return tradingGuards.ladder.tracks.some(
    (track) =>
      track.measure === measure && track.marketId === marketId && track.latch?.action === action,
  );
}
