import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { backtestSchema } from "#backtest/backtest-schema.js";
import { sweepSchema } from "#backtest/sweep-schema.js";
import { configJsonSchema } from "#core/config-json-schema.js";

const CONFIG = new URL("../../../config/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, CONFIG), "utf8");

type Node = { readonly [key: string]: unknown };

/** The path of every key of a file whose node has no description. */
function undescribed(node: Node, path = ""): string[] {
  const properties = Object.entries((node.properties ?? {}) as Record<string, Node>);
  const own = properties
    .filter(([, child]) => typeof child.description !== "string")
    .map(([key]) => `${path}${key}`);
  const below = properties.flatMap(([key, child]) => undescribed(child, `${path}${key}.`));
  const values =
    typeof node.additionalProperties === "object"
      ? undescribed(node.additionalProperties as Node, `${path}*.`)
      : [];
  const forms = ((node.anyOf ?? []) as Node[]).flatMap((form) => undescribed(form, path));
  return [...own, ...below, ...values, ...forms];
}

describe.each([
  ["backtest.yaml", "backtest.schema.json", backtestSchema],
  ["sweep.yaml", "sweep-file.schema.json", sweepSchema],
] as const)("the schema of %s", (example, file, schema) => {
  const published = JSON.parse(read(file)) as Node;
  const validate = new Ajv2020({ allowUnionTypes: true, strictTypes: false }).compile(published);
  const written = parse(read(example)) as Record<string, unknown>;

  it("is what npm run schema writes", () => {
    expect(read(file)).toBe(configJsonSchema(schema));
  });

  it("is named in the example's first line, where an editor looks for it, and takes the example", () => {
    expect(read(example).split("\n")[0]).toBe(`# yaml-language-server: $schema=./${file}`);
    expect(validate(written), JSON.stringify(validate.errors)).toBe(true);
  });

  it("describes every key", () => {
    expect(Object.keys(published.properties as object).length).toBeGreaterThan(5);
    expect(undescribed(published)).toEqual([]);
  });

  it("refuses an unknown key, as the program does", () => {
    const wrong = { ...written, latency: 5 };
    expect([validate(wrong), schema.safeParse(wrong).success]).toEqual([false, false]);
  });
});

describe("the schema of a backtest's file", () => {
  const validate = new Ajv2020({ allowUnionTypes: true, strictTypes: false }).compile(
    JSON.parse(read("backtest.schema.json")),
  );
  const written = parse(read("backtest.yaml")) as { history: object; rules: object };

  it.each([
    ["a market and markets", { history: { ...written.history, markets: { btcusdc: "x" } } }],
    ["no market", { history: { from: 0, to: 1 } }],
    ["rules twice", { rules: { ...written.rules, exchangeInfo: "info.json" } }],
    ["no rules", { rules: {} }],
    ["a queue model that is none", { fills: { queue: "fifo" } }],
    ["a power of a queue model too fine", { fills: { queue: "power-1.12345678" } }],
    ["a latency below zero", { fills: { orderLatencyMs: -1 } }],
    ["an asset of two words", { rules: { ...written.rules, quoteAsset: "US dollars" } }],
  ])("refuses %s, as the program does", (_what, change) => {
    const wrong = { ...written, ...change };
    expect([validate(wrong), backtestSchema.safeParse(wrong).success]).toEqual([false, false]);
  });

  it.each(["risk-averse", "log", "log2", "power-2", "power2-1.5", "power3-100"])(
    "accepts the queue model %s, as the program does",
    (queue) => {
      const right = { ...written, fills: { queue } };
      expect([validate(right), backtestSchema.safeParse(right).success]).toEqual([true, true]);
    },
  );
});
