import { describe, expect, it } from "vitest";
import { CHANGEABLE_KEYS, findChangeableKey } from "#bot/changeable-keys.js";
import { botSchema } from "#bot/config-schema.js";
import { jsonSchemaOf } from "#core/config-json-schema.js";
import { withChangeableKeys } from "../../scripts/interface/changeable-keys.js";
import { readPage } from "../project/pages.js";
import type { SchemaNode } from "../support/schema-places.js";

/** Every key of a bot's file that holds a value, with MARKET for the name of a market. */
function leaves(node: SchemaNode, path: readonly string[] = []): readonly (readonly string[])[] {
  if (path.at(-1) === "params") return [path];
  const below = Object.entries(node.properties ?? {});
  const named = typeof node.additionalProperties === "object" ? [node.additionalProperties] : [];
  if (below.length === 0 && named.length === 0) return [path];
  return [
    ...below.flatMap(([key, child]) => leaves(child, [...path, key])),
    ...named.flatMap((child) => leaves(child, [...path, "MARKET"])),
  ];
}

const KEYS = leaves(jsonSchemaOf(botSchema) as SchemaNode);

describe("the keys that may change while a bot runs", () => {
  it("are decided for every key of the schema: none is forgotten", () => {
    expect(KEYS.length).toBeGreaterThan(60);
    const open = KEYS.filter((path) => findChangeableKey(path) === undefined);
    expect(open.map((path) => path.join("."))).toEqual([]);
  });

  it("are all in the schema: no entry covers nothing", () => {
    const used = new Set(KEYS.map(findChangeableKey));
    expect(
      CHANGEABLE_KEYS.filter((entry) => !used.has(entry)).map(({ path }) => path.join(".")),
    ).toEqual(["markets"]);
  });

  it("are never the account, the exchange, the chain or a place of files", () => {
    const running = KEYS.filter((path) => findChangeableKey(path)?.whileRunning === true);
    expect(new Set(running.map(([section]) => section))).toEqual(
      new Set(["decide", "markets", "quotes", "risk"]),
    );
  });

  it("stand in docs/reference/change-a-running-bot.md", () => {
    const { text } = readPage("docs/reference/change-a-running-bot.md");
    expect(withChangeableKeys(text)).toBe(text);
  });
});
