import {
  configJsonSchema,
  type JsonSchema,
  jsonSchemaOf,
} from "../../core/config/config-json-schema.js";
import { type KeyRule, when } from "../../core/config/key-rules.js";
import { builtInStrategies } from "../../strategies/built-in.js";
import { quotingPartsField } from "../../strategies/parts/quoting-parts.js";
import { USER_FILE_ENDINGS } from "../strategy/load-user-file.js";
import { botSchema } from "./config-schema.js";

/** Name of the definition of the parts that any strategy takes. */
const PARTS = "quotingParts";

/**
 * The JSON Schema of a bot's YAML, as text: the content of `config/schema.json`, from which editors
 * complete. The parameters of a built-in strategy have its own schema; those of a strategy file are
 * open.
 */
export function botJsonSchema(): string {
  return configJsonSchema(botSchema, (bot) => {
    const markets = object(bot.properties?.markets);
    const market = object(markets.additionalProperties);
    const strategy = object(market.properties?.strategy);
    const withParams = {
      ...market,
      properties: { ...market.properties, strategy: { ...strategy, anyOf: strategyNames() } },
      allOf: [...(market.allOf ?? []), ...Object.keys(builtInStrategies).map(paramsRule)],
    };
    const { $schema: _, ...parts } = jsonSchemaOf(quotingPartsField);
    return {
      ...bot,
      $defs: { ...bot.$defs, [PARTS]: parts },
      properties: { ...bot.properties, markets: { ...markets, additionalProperties: withParams } },
    } as JsonSchema;
  });
}

/** Values of a market's `strategy`: the name of a built-in one, or a file's path. */
function strategyNames(): JsonSchema[] {
  const endings = USER_FILE_ENDINGS.map((ending) => ending.slice(1)).join("|");
  return [{ enum: Object.keys(builtInStrategies) }, { pattern: `[^/]\\.(${endings})$` }];
}

/** The parameters of a market whose strategy is the built-in one of this name. */
function paramsRule(name: string): KeyRule {
  const { $schema: _, ...own } = jsonSchemaOf(builtInStrategies[name].params);
  const params = { ...own, properties: { ...own.properties, parts: { $ref: `#/$defs/${PARTS}` } } };
  return when(
    { required: ["strategy"], properties: { strategy: { const: name } } },
    {
      properties: { params },
      ...(params.required === undefined ? {} : { required: ["params"] }),
    },
  );
}

function object(node: JsonSchema | boolean | undefined): JsonSchema {
  if (typeof node !== "object") throw new TypeError("the schema of a bot has no such mapping");
  return node;
}
