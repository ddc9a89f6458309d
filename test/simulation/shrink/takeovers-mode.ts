import {
  type AcquiredPositionsPlan,
  acquiredPositionsPlanOf,
  runAcquiredPositionsPlan,
} from "../acquired-positions.js";
import { ACQUIRED_POSITIONS_BREAKS } from "../acquired-positions-breaks.js";
import { MAKER_SHAPE, withOneMarket } from "./maker-mode.js";
import { acquiredPositionsPlan } from "./plan-schemas.js";
import { preparedBy, type StoryMode } from "./story-mode.js";

/** Time in which the last takeover is sold, before the calm of a market maker's run. */
const SALE_MS = 35_000;

/** The market maker with acquired positions. */
export const TAKEOVERS_MODE: StoryMode<AcquiredPositionsPlan> = {
  name: "takeovers",
  marketMs: 3_600_000,
  breaks: ACQUIRED_POSITIONS_BREAKS,
  schema: acquiredPositionsPlan,
  shape: {
    ...MAKER_SHAPE,
    lists: [...MAKER_SHAPE.lists, "takeovers"],
    fewerMarkets: withOneMarket,
    calmAfterMs: MAKER_SHAPE.calmAfterMs + SALE_MS,
    withLength: (plan, marketMs) => ({ ...plan, marketMs }),
  },
  draw: (seed, marketMs, breakName) => {
    const drawn = acquiredPositionsPlanOf(seed, marketMs);
    return { ...drawn, ...breakNamed(breakName)?.plan?.(drawn) };
  },
  run: (plan, breakName, options) => runAcquiredPositionsPlan(plan, breakNamed(breakName), options),
  replayParts: (_, breakName) => preparedBy(breakNamed(breakName)?.bot),
};

function breakNamed(name: string | undefined) {
  return ACQUIRED_POSITIONS_BREAKS.find((broken) => broken.name === name);
}
