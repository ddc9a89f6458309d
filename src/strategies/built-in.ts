import { avellanedaStoikov } from "./avellaneda-stoikov.js";
import { glft } from "./glft.js";
import { ladder } from "./ladder.js";
import type { Strategy } from "./strategy.js";

/** The strategies that come with the package, by the name that a bot's YAML calls them. */
export const builtInStrategies: Readonly<Record<string, Strategy>> = {
  "avellaneda-stoikov": avellanedaStoikov,
  glft,
  ladder,
};
