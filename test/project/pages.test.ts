import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { BOT_TEMPLATES } from "#cli/bot-templates.js";
import { RISK_APPETITES } from "#cli/risk-appetites.js";
import { PNL_PARTS } from "#monitoring/pnl-parts.js";
import { LADDER_MEASURES, toHaltRequests } from "#risk/risk-ladder.js";
import { FAULT_KINDS } from "#simulation/faults.js";
import { chainConfigShape } from "#simulator/chain-config.js";
import { choicesShape } from "#simulator/choices.js";
import { exchangeConfigShape, parseExchangeConfig } from "#simulator/config.js";
import { leveragedShape } from "#simulator/leveraged-params.js";
import { shocksShape } from "#simulator/shocks.js";
import { SYNTHETIC_PRESETS } from "#simulator/synthetic-params.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { withRooms } from "../../scripts/rooms.mjs";
import { BREAKS } from "../simulation/breaks.js";
import { REFERENCE_BREAKS } from "../simulation/references/reference-breaks.js";
import { REFERENCE_FAULTS } from "../simulation/references/reference-plan.js";
import { WHOLE_BREAKS } from "../simulation/whole/whole-breaks.js";
import { PROJECT_ROOT } from "./checkout.js";
import {
  allPages,
  blocksOf,
  codesOf,
  deadLinksOf,
  docsPages,
  readPage,
  SHELVES,
  tableOf,
  unpackedLinksOf,
} from "./pages.js";

const source = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");
const sources = (folder: string): string =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => source(join(folder, name)))
    .join("\n");
const found = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? "")),
];
const firstCodes = (page: ReturnType<typeof readPage>, heading: string): readonly string[] =>
  tableOf(page, heading).flatMap(([cell]) => codesOf(cell ?? ""));

describe("every page", () => {
  it.each(allPages())("$path leads nowhere that is not there", (page) => {
    expect(deadLinksOf(page)).toEqual([]);
  });

  it.each(allPages())("$path names files and npm scripts that exist", (page) => {
    const { scripts } = JSON.parse(source("package.json")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    // One page is about the files and scripts of a repository that init writes.
    const isOfRepository = page.path === "docs/reference/testing-strategies.md";
    const written = found(source("src/cli/init/strategy-repository.ts"), /^ {8}(\w+): "/gm);
    const others = isOfRepository ? written : [];
    const roots = [
      PROJECT_ROOT,
      ...(isOfRepository ? [join(PROJECT_ROOT, "assets/strategy")] : []),
    ];
    const paths = codesOf(page.text).filter((code) =>
      /^(src|test|bench|scripts|config|docs|deploy|bin)\/[\w./-]+$/.test(code),
    );
    expect(
      paths.filter(
        (path) => !path.includes("NAME") && !roots.some((root) => existsSync(join(root, path))),
      ),
    ).toEqual([]);
    const run = found(page.text, /npm run (?:-s )?([a-z]+(?:[-:][a-z]+)*)/g);
    expect(run.filter((name) => scripts[name] === undefined && !others.includes(name))).toEqual([]);
  });

  it("leads to files of the npm package alone, if it is in the package itself", () => {
    const { files } = JSON.parse(source("package.json")) as { readonly files: readonly string[] };
    const packed = [...files, "README.md", "LICENSE", "package.json"];
    const lost = allPages()
      .filter(({ path }) => packed.includes(path))
      .flatMap((page) => unpackedLinksOf(page, packed).map((link) => `${page.path}: ${link}`));
    expect(lost).toEqual([]);
  });

  it.each([
    ["README.md", /built-in\nstrategies: ([^.]*)\./],
    ["docs/README.md", /parameters and formulas of ([^[]*)\n- \[/],
  ])("names each built-in strategy once where %s lists them", (path, list) => {
    const [, names = ""] = list.exec(readPage(path).text) ?? [];
    expect([...codesOf(names)].sort()).toEqual(Object.keys(builtInStrategies).sort());
  });

  it("stands on a shelf, and the index names it once", () => {
    const index = readPage("docs/README.md").text;
    const pages = docsPages().filter((name) => name !== "README.md");
    expect(pages.length).toBeGreaterThan(20);
    const shelf = new RegExp(`^(${SHELVES.join("|")})/[a-z-]+\\.md$`);
    expect(pages.filter((name) => !shelf.test(name))).toEqual([]);
    expect(pages.filter((name) => index.split(`](${name})`).length !== 2)).toEqual([]);
  });

  it("begins with a title and a sentence", () => {
    // A sentence: prose with a full stop, or with a colon before what it leads to.
    const sentence = /^# .+\n\n(?![#|>-]|```)(?:[^\n]+\n)*?[^\n]*[.:](?:\s|$)/;
    const others = docsPages().filter((name) => !sentence.test(readPage(`docs/${name}`).text));
    expect(others).toEqual([]);
  });
});

describe("docs/ideas/architecture.md", () => {
  const page = readPage("docs/ideas/architecture.md");

  it("has the rooms and walls that `npm run check` holds", () => {
    expect(page.text).toBe(withRooms(page.text));
  });

  it("leads to code that is there", () => {
    const paths = tableOf(page, "question")
      .flatMap(([, cell]) => codesOf(cell ?? ""))
      .filter((code) => /^[\w-]+\/[\w/-]*(?:\.ts)?$/.test(code));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(join(PROJECT_ROOT, "src", path)))).toEqual([]);
  });
});

describe("docs/guides/new-bot.md", () => {
  const page = readPage("docs/guides/new-bot.md");

  it("has every template of init, and no other", () => {
    expect([...firstCodes(page, "template")].sort()).toEqual(Object.keys(BOT_TEMPLATES).sort());
  });

  it("has the risk appetites, with their numbers", () => {
    const rows = tableOf(page, "appetite").map(
      ([name, positions, orders, spread, , loss, then]) => ({
        name: codesOf(name ?? "")[0],
        positionsPercent: Number.parseInt(positions ?? "", 10),
        ordersToLimit: Number(orders),
        touchMultiple: Number.parseInt(spread ?? "", 10),
        drawdownPercent: Number.parseInt(loss ?? "", 10),
        onDrawdown: codesOf(then ?? "")[0],
      }),
    );
    expect(rows).toEqual(
      Object.entries(RISK_APPETITES).map(([name, appetite]) => ({
        name,
        positionsPercent: appetite.positionsPercent,
        ordersToLimit: appetite.ordersToLimit,
        touchMultiple: appetite.touchMultiple,
        drawdownPercent: appetite.drawdownPercent,
        onDrawdown: appetite.onDrawdown,
      })),
    );
  });
});

describe("docs/guides/strategies.md", () => {
  const page = readPage("docs/guides/strategies.md");

  it("shows the same strategy file as the README, which is tried there", () => {
    expect(blocksOf(page, "ts").slice(0, 1)).toEqual(blocksOf(readPage("README.md"), "ts"));
  });
});

describe("docs/reference/built-in-strategies.md", () => {
  const page = readPage("docs/reference/built-in-strategies.md");

  it("has parameters in its first example that the built-in takes", () => {
    const { btcusdc } = parse(blocksOf(page, "yaml")[0]?.text ?? "").markets;
    expect(() => builtInStrategies[btcusdc.strategy]?.bind(btcusdc.params)).not.toThrow();
  });

  it.each(Object.entries(builtInStrategies))(
    "has the parameters of %s, all and no others",
    (name, { definition }) => {
      const at = page.text.indexOf(`## \`${name}\``);
      expect(at).toBeGreaterThan(0);
      const listed = firstCodes({ ...page, text: page.text.slice(at) }, "parameter");
      const { properties } = z.toJSONSchema(definition.params as z.ZodType, {
        io: "input",
        unrepresentable: "any",
      }) as Shape;
      expect([...listed].sort()).toEqual(Object.keys(properties ?? {}).sort());
    },
  );
});

describe("docs/guides/halt-and-resume.md", () => {
  const page = readPage("docs/guides/halt-and-resume.md");

  it("has every reason for a halt, and no other", () => {
    const guards = found(source("src/risk/guards.ts"), /Trip\(\s*(?:marketId,\s*)?"([a-z-]+)"/g);
    const references = found(
      source("src/bot/safety/reference-fault.ts"),
      /"(stale-[a-z]+|[a-z]+-disagrees)"/g,
    );
    expect(references).toHaveLength(2);
    const others = [
      ...found(sources("src/bot"), /haltMarket\(\s*\w+,\s*"([a-z-]+)"/g),
      ...references,
    ];
    expect(guards.length).toBeGreaterThan(8);
    expect([...firstCodes(page, "reason")].sort()).toEqual(
      [...guards, ...others, ...LADDER_MEASURES, "manual"].sort(),
    );
    const blinding = /BLINDING_GUARDS[^{]*\{([^}]*)\}/.exec(source("src/risk/halt.ts"))?.[1] ?? "";
    const notReducible = tableOf(page, "reason").filter((row) => row.at(-1) === "no");
    expect(notReducible.flatMap(([cell]) => codesOf(cell ?? "")).sort()).toEqual(
      [...found(blinding, /"?([a-z-]+)"?: true/g)].sort(),
    );
  });

  it("tells which halts a person has to end", () => {
    const byHand = tableOf(page, "reason").filter((row) => row[2]?.startsWith("by hand"));
    const latched = found(
      source("src/risk/guards.ts"),
      /Trip\(\s*(?:marketId,\s*)?"([a-z-]+)",[^;]*,\s*false,?\s*\)/g,
    );
    const byLadder = toHaltRequests(
      LADDER_MEASURES.map((measure) => ({ measure, action: "halt", why: "" })),
    )
      .filter(({ resumesByItself }) => !resumesByItself)
      .map(({ name }) => name);
    expect(byHand.flatMap(([cell]) => codesOf(cell ?? "")).sort()).toEqual(
      [...latched, ...byLadder, "manual", "revived-orders", "strategy-error"].sort(),
    );
  });
});

describe("docs/guides/keep-the-state.md", () => {
  const page = readPage("docs/guides/keep-the-state.md");

  it("has every file of the state directory", () => {
    // A backtest or a sweep writes its files to a folder of its own.
    const files = found(
      ["bot", "chain", "cli", "liquidator"].map((room) => sources(`src/${room}`)).join("\n"),
      /_FILE = "([\w.-]+)"/g,
    );
    expect(files.length).toBeGreaterThan(5);
    expect([...firstCodes(page, "file")]).toEqual(expect.arrayContaining([...files]));
  });
});

describe("the guides to running a bot", () => {
  const guides = [
    "halt-and-resume",
    "keep-a-key",
    "keep-the-state",
    "limit-losses",
    "many-markets",
    "read-the-status",
    "recover-from-a-crash",
    "run-a-bot",
    "run-the-guard",
    "set-alerts",
    "slow-or-hung-bot",
  ].map((name) => readPage(`docs/guides/${name}.md`));

  it("name keys of the bot's YAML that there are, with their defaults", () => {
    const { properties } = JSON.parse(source("config/schema.json"));
    const keys = guides
      .flatMap(({ text }) => codesOf(text))
      .filter((code) => /^(risk|guard|exchange|quotes)\.\w+(?<!\.(?:log|lock|yaml))$/.test(code));
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) {
      const [section = "", name = ""] = key.split(".");
      expect(Object.keys(properties[section].properties)).toContain(name);
    }
    expect(readPage("docs/guides/run-the-guard.md").text).toContain(
      `\`guard.deadAfterMs\` (${properties.guard.properties.deadAfterMs.default})`,
    );
  });
});

describe("docs/reference/simulation-rules.md", () => {
  const page = readPage("docs/reference/simulation-rules.md");

  it("has every break with what it switches off, and what caught it", () => {
    const rows = tableOf(page, "break").map(([name = "", what = ""]) => ({
      name: codesOf(name)[0],
      what,
    }));
    expect(rows).toEqual(BREAKS.map(({ name, what }) => ({ name, what })));
    const rules = firstCodes(page, "rule");
    for (const row of tableOf(page, "break")) expect(rules).toContain(codesOf(row[2] ?? "")[0]);
  });

  it("has every rule of the witness, every fault and every option", () => {
    const witnesses = [
      "witness",
      "budget-witness",
      "fate-witness",
      "peak-witness",
      "profit-witness",
    ]
      .map((name) => source(`test/simulation/${name}.ts`))
      .join("\n");
    expect([...firstCodes(page, "rule")].sort()).toEqual(
      [...found(witnesses, /#violate\(\s*"([a-z]+)"/g)].sort(),
    );
    expect([...firstCodes(page, "faults")].sort()).toEqual([...FAULT_KINDS].sort());
    const known = /OPTIONS = \[([^\]]*)\]/.exec(source("test/simulation/main.ts"))?.[1] ?? "";
    const listed = firstCodes(page, "option").flatMap((code) => code.match(/--[a-z-]+/g) ?? []);
    expect(listed.sort()).toEqual([...found(known, /"(--[a-z-]+)"/g)].sort());
  });

  it("has every rule and every break of the whole system", () => {
    const files = ["limit-witness", "position-witness"]
      .map((name) => source(`test/simulation/whole/${name}.ts`))
      .join("\n");
    const rules = [
      ...found(files, /#violate\(\s*"([a-z]+)"/g),
      ...found(source("test/simulation/whole/whole-witness.ts"), /#violate\("([a-z]+)"/g),
    ];
    expect([...firstCodes(page, "rule of the whole")].sort()).toEqual([...new Set(rules)].sort());
    const rows = tableOf(page, "break of the whole").map(([name = "", what = "", by = ""]) => [
      codesOf(name)[0],
      what,
      codesOf(by)[0],
    ]);
    expect(rows).toEqual(WHOLE_BREAKS.map(({ name, what, rules: [first] }) => [name, what, first]));
  });
});

describe("docs/reference/simulation-rules.md: reference prices", () => {
  const page = readPage("docs/reference/simulation-rules.md");

  it("has every rule of the oracle, every fault and every break", () => {
    const oracle = source("test/simulation/references/reference-oracle.ts");
    expect([...firstCodes(page, "rule of references")].sort()).toEqual(
      [...new Set([...found(oracle, /#violate\(\s*"([a-z]+)"/g), "crash"])].sort(),
    );
    expect([...firstCodes(page, "faults of references")].sort()).toEqual(
      [...REFERENCE_FAULTS].sort(),
    );
    const rows = tableOf(page, "break of references").map(([name = "", what = "", by = ""]) => [
      codesOf(name)[0],
      what,
      codesOf(by)[0],
    ]);
    expect(rows).toEqual(
      REFERENCE_BREAKS.map(({ name, what, rules: [first] }) => [name, what, first]),
    );
  });
});

describe("docs/reference/venue-choices.md", () => {
  const page = readPage("docs/reference/venue-choices.md");

  it("has every choice with its default", () => {
    const section = page.text.slice(page.text.indexOf("## Under `choices`"));
    const rows = tableOf({ ...page, text: section }, "key").map(([key = "", value = ""]) => [
      codesOf(key)[0],
      codesOf(value)[0],
    ]);
    const defaults = Object.entries(choicesShape.parse({})).map(([key, value]) => [
      key,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]);
    expect(rows.sort()).toEqual(defaults.sort());
  });

  it("has every other key of the exchange's file", () => {
    const keys = keysOf(
      z.toJSONSchema(exchangeConfigShape, { io: "input", unrepresentable: "any" }) as Shape,
    );
    expect(keys.length).toBeGreaterThan(40);
    // The dialect's own page has its keys.
    const text = page.text + readPage("docs/reference/binance-dialect.md").text;
    const missing = keys.filter((key) => !new RegExp(`[\`.]${key}\\b`).test(text));
    expect(missing).toEqual([]);
  });
});

describe("docs/ideas/orders.md", () => {
  const page = readPage("docs/ideas/orders.md");

  it("traces a time-out through functions that are where it says", () => {
    expect(page.text.match(FUNCTION_AT)?.length).toBeGreaterThan(10);
    expect(misplacedFunctions(page)).toEqual([]);
  });

  it("names tests that there are", () => {
    expect(missingTests(page)).toEqual([]);
  });
});

describe("docs/reference/reconciliation-cases.md", () => {
  const page = readPage("docs/reference/reconciliation-cases.md");
  const rows = [...page.text.matchAll(/^\|.*\| ([^|]+) \|$/gm)]
    .map(([, cell = ""]) => cell)
    .filter((cell) => cell !== "test" && !/^-+$/.test(cell));

  it("has a test in every row that there is", () => {
    expect(rows.length).toBeGreaterThan(60);
    const missing = rows.filter((cell) => {
      const [, file = "", title = ""] = /^`([\w-]+\.test\.ts)`: (.+)$/.exec(cell) ?? [];
      return file === "" || !source(`test/account/${file}`).includes(`"${title}"`);
    });
    expect(missing).toEqual([]);
  });
});

describe("docs/ideas/reconciliation.md", () => {
  it("names tests that there are", () => {
    expect(missingTests(readPage("docs/ideas/reconciliation.md"))).toEqual([]);
  });
});

describe("docs/reference/status.md", () => {
  const page = readPage("docs/reference/status.md");
  /** The keys of an interface, without those of objects inside it. */
  const keysOf = (path: string, name: string): readonly string[] => {
    const [, body = ""] =
      new RegExp(`^export interface ${name} [^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(source(path)) ??
      [];
    return found(body, /^ {2}readonly (\w+)\??:/gm);
  };
  const status = "src/bot/status";

  it.each([
    ["key", `${status}/bot-status.ts`, "BotStatus"],
    ["key of a market", `${status}/market-status.ts`, "MarketStatus"],
    ["key of a quote", `${status}/own-quotes.ts`, "OwnQuote"],
    ["key of a reference", `${status}/reference-status.ts`, "ReferenceStatus"],
    ["key of a hedge", `${status}/hedge-status.ts`, "HedgeStatus"],
    ["key of a takeover", `${status}/unwind-status.ts`, "UnwindStatus"],
    ["key of the liquidator", `${status}/liquidator-status.ts`, "LiquidatorStatus"],
    ["key of the summary", `src/bot/run/monitor/run-summary.ts`, "RunSummary"],
    ["count", "src/account/account-counter.ts", "AccountCounts"],
  ])("has each %s, and no other", (heading, path, name) => {
    const keys = keysOf(path, name);
    expect(keys.length).toBeGreaterThan(7);
    expect([...firstCodes(page, heading)].sort()).toEqual([...keys].sort());
  });

  it("has each key of a source of a reference price, and no other", () => {
    const keys = keysOf(`${status}/reference-status.ts`, "ReferenceSourceStatus");
    expect(keys.length).toBeGreaterThan(5);
    expect([...firstCodes(page, "key of a source")].sort()).toEqual([...keys].sort());
  });

  it("has every part of the profit", () => {
    expect([...firstCodes(page, "part")].sort()).toEqual([...PNL_PARTS].sort());
  });
});

describe("docs/guides/why-no-order.md", () => {
  const page = readPage("docs/guides/why-no-order.md");

  it("quotes texts that the bot has", () => {
    const code = ["bot", "executor", "risk", "strategies"]
      .map((room) => sources(`src/${room}`))
      .join("\n");
    // The parts of a text between its variable ones: `...`, numbers, sides and names.
    const texts = [...firstCodes(page, "text"), ...firstCodes(page, "text after the orders")];
    const parts = texts.flatMap((text) =>
      text
        .split(/\.\.\.|\bNAME:|\b(?:BUY|SELL)\b|\b\d+\b|^(?:drawdown|manual):/)
        .map((part) =>
          part
            .trim()
            .replace(/^[,:]|[,:]$/g, "")
            .trim(),
        )
        .filter((part) => part.split(" ").length > 1),
    );
    expect(parts.length).toBeGreaterThan(30);
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });

  it("has every limit of the worst case", () => {
    const [, names = ""] = /type LimitName =([^;]*);/.exec(source("src/risk/breach.ts")) ?? [];
    const limits = found(names, /"([a-z-]+)"/g).filter((name) => name !== "unknown-market");
    expect([...firstCodes(page, "name")].sort()).toEqual([...limits].sort());
  });
});

const FUNCTION_AT = /`(#?\w+)`\s+\(`(src\/[\w./-]+)`\)/g;

/** The functions of a page, each with its file behind it, that the file does not define. */
function misplacedFunctions({ text }: ReturnType<typeof readPage>): readonly string[] {
  return [...text.matchAll(FUNCTION_AT)]
    .filter(
      ([, name = "", path = ""]) =>
        !source(path)
          .split("\n")
          .some((line) => DEFINITION.test(line) && new RegExp(`${name}\\b`).test(line)),
    )
    .map(([all]) => all);
}

/** A line that defines a function, a class or a method. */
const DEFINITION = /^(export )?(async )?(function|class) |^ {2}(async )?#?\w+\(/;

/** The tests that a page names, "title" behind its file, and that the file does not have. */
function missingTests({ text }: ReturnType<typeof readPage>): readonly string[] {
  const named = [...text.matchAll(/`(test\/[\w./-]+\.test\.ts)`,\s+"([^"]+)"/g)];
  if (named.length === 0) throw new Error("the page names no test");
  return named
    .filter(
      ([, path = "", title = ""]) => !source(path).includes(`"${title.replace(/\s+/g, " ")}"`),
    )
    .map(([all]) => all);
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
}

describe("docs/ideas/chain.md", () => {
  it("has every key of the chain", () => {
    const page = readPage("docs/ideas/chain.md");
    const keys = keysOf(
      z.toJSONSchema(chainConfigShape, { io: "input", unrepresentable: "any" }) as Shape,
    );
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.filter((key) => !new RegExp(`[\`.]${key}\\b`).test(page.text))).toEqual([]);
  });
});

/**
 * The last names of all keys but those of the flow and the chain, which have pages of their own,
 * the choices, tried above, and retention.
 */
function keysOf(shape: Shape): readonly string[] {
  return Object.entries(shape.properties ?? {}).flatMap(([key, held]) => {
    if (["flow", "chain", "choices", "retention"].includes(key)) return [];
    if (held.properties !== undefined) return keysOf(held);
    return typeof held.additionalProperties === "object"
      ? keysOf(held.additionalProperties)
      : [key];
  });
}

describe("docs/reference/flow-parameters.md", () => {
  const page = readPage("docs/reference/flow-parameters.md");

  it("has the parameters of the presets, none left out", () => {
    const listed = tableOf(page, "section").flatMap((row) => codesOf(row[1] ?? ""));
    const known = Object.values(SYNTHETIC_PRESETS.lively).flatMap((held) =>
      typeof held === "object" && held !== null ? Object.keys(held) : [],
    );
    expect(new Set(listed)).toEqual(new Set([...known, "referenceEveryMs"]));
  });

  it.each([
    ["shocks", shocksShape],
    ["leveraged", leveragedShape],
  ])("has every key of %s, and no other", (key, shape) => {
    // `sizeBps.min`, `.max`: two bounds of one key.
    const listed = tableOf(page, `\`${key}\``).flatMap((row) =>
      codesOf(row[0] ?? "").map((code) => code.split(".")[0]),
    );
    expect(new Set(listed.filter((name) => name !== ""))).toEqual(
      new Set(Object.keys(shape.shape)),
    );
  });
});

describe("the flows that pages show", () => {
  it.each([
    ["docs/reference/flow-parameters.md", ["synthetic"]],
    ["docs/ideas/order-flow.md", ["synthetic", "synthetic", "synthetic", "replay"]],
  ])("are taken by the exchange, in %s", (path, kinds) => {
    const flows = blocksOf(readPage(path), "yaml").map(({ text }) => parse(text).flow);
    expect(flows.map(({ kind }) => kind)).toEqual(kinds);
    for (const flow of flows)
      expect(() =>
        parseExchangeConfig(parse(stringify({ markets: { btcusdc: { flow } } }))),
      ).not.toThrow();
  });
});
