import { avellanedaStoikov } from "./avellaneda-stoikov.js";
import { funding } from "./funding/funding.js";
import { glft } from "./glft.js";
import { grid } from "./grid.js";
import { imbalance } from "./imbalance.js";
import { ladder } from "./ladder.js";
import { pegged } from "./pegged.js";
import type { Strategy } from "./strategy.js";

/** The strategies of this package, by their names in a bot's YAML. */
export const builtInStrategies: Readonly<Record<string, Strategy>> = {
  "avellaneda-stoikov": avellanedaStoikov,
  funding,
  glft,
  grid,
  imbalance,
  ladder,
  pegged,
};
