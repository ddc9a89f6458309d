import { WORKED } from "../account/markouts/markouts.js";
import { TARGET_LEVEL } from "./plan-target.js";

/**
 * The level of the markouts for an order's level. Orders that work a position have a level of their
 * own, which is not a distance from the touch.
 * @param level undefined for an order that is not the bot's
 */
export function toMarkoutLevel(level: number | undefined): number {
  return level === undefined || level === TARGET_LEVEL ? WORKED : level;
}
