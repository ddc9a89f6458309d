import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";

/** A kind of bot that `init` writes. */
export interface BotTemplate {
  readonly description: string;
  /** True if the bot quotes. */
  readonly makesMarkets: boolean;
  /** The strategy of its name; absent if any may be chosen. */
  readonly strategy?: string;
  /** True if the bot takes over positions of unsafe accounts. */
  readonly liquidates: boolean;
}

/** The templates, by name. */
export const BOT_TEMPLATES: Readonly<Record<string, BotTemplate>> = {
  maker: {
    description: "quotes with the strategy that --strategy names, or else ladder; never takes",
    makesMarkets: true,
    liquidates: false,
  },
  "ladder-maker": {
    description: "quotes at a fixed distance from the mid, and leans against its position",
    makesMarkets: true,
    strategy: "ladder",
    liquidates: false,
  },
  "pegged-maker": {
    description: "quotes around a reference price, its costs and an edge away from it",
    makesMarkets: true,
    strategy: "pegged",
    liquidates: false,
  },
  "imbalance-maker": {
    description: "quotes around a price that the amounts of the best bid and ask predict",
    makesMarkets: true,
    strategy: "imbalance",
    liquidates: false,
  },
  "funding-maker": {
    description: "quotes that lean towards the side that funding pays, as far as it pays",
    makesMarkets: true,
    strategy: "funding",
    liquidates: false,
  },
  "grid-maker": {
    description: "buys a size at each level below the price, sells one at each above, in a range",
    makesMarkets: true,
    strategy: "grid",
    liquidates: false,
  },
  "glft-maker": {
    description: "quotes by the model of Guéant, Lehalle and Fernandez-Tapia, for long runs",
    makesMarkets: true,
    strategy: "glft",
    liquidates: false,
  },
  "avellaneda-stoikov-maker": {
    description: "quotes by the model of Avellaneda and Stoikov, over a horizon of a minute",
    makesMarkets: true,
    strategy: "avellaneda-stoikov",
    liquidates: false,
  },
  liquidator: {
    description: "takes over positions of unsafe accounts and sells them; quotes nothing else",
    makesMarkets: false,
    liquidates: true,
  },
  "maker-and-liquidator": {
    description: "a maker that also takes over positions of unsafe accounts",
    makesMarkets: true,
    liquidates: true,
  },
};

/** The strategies that templates quote by. */
export const TEMPLATE_STRATEGIES: readonly string[] = Object.values(BOT_TEMPLATES)
  .flatMap(({ strategy }) => strategy ?? [])
  .sort();

/**
 * Finds a template by its name, or by its strategy's: `grid` is `grid-maker`. @throws ConfigError
 * for an unknown name
 */
export function findTemplate(name: string): BotTemplate {
  for (const known of [name, `${name}-maker`])
    if (Object.hasOwn(BOT_TEMPLATES, known)) return BOT_TEMPLATES[known] as BotTemplate;
  const names = Object.keys(BOT_TEMPLATES);
  const near = findNearestName(name, names);
  throw new ConfigError(`no such template${near === undefined ? "" : `, did you mean ${near}?`}`, {
    field: "--template",
    value: name,
    expected: `one of ${names.join(", ")}`,
  });
}
