import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideConfigFor, loadBotConfig } from "#bot/config.js";
import { ConfigError } from "#core/errors.js";

const KEY = `0x${"1f".repeat(32)}`;
const env = { MARKETWRIGHT_KEY: KEY };
const folder = mkdtempSync(join(tmpdir(), "marketwright-config-"));
const BOT = `exchange:
  rest: http://127.0.0.1:8620/v1
  stream: ws://127.0.0.1:8620/v1/
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: avellaneda-stoikov
    params: { riskAversion: 0.05, horizonMs: 60000, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
  ethusdc:
    strategy: ladder
    decide: { everyMs: 1000 }
risk: { maxDrawdownQuote: 500, maxBookAgeMs: 2000 }
metrics: { port: 9464 }
`;

function load(text: string, variables: Record<string, string | undefined> = env) {
  const path = join(folder, "bot.yaml");
  writeFileSync(path, text);
  return loadBotConfig(path, variables);
}

function messageOf(text: string, variables?: Record<string, string | undefined>): string {
  try {
    load(text, variables);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the file was taken");
}

const changed = (from: string | RegExp, to: string): string => {
  const text = BOT.replace(from, to);
  expect(text).not.toBe(BOT);
  return text;
};

describe("a bot's file that is right", () => {
  it("gets defaults for absent keys", () => {
    const config = load(BOT);
    expect(config.exchange).toMatchObject({
      requestTimeoutMs: 2000,
      signatureWindowMs: 5000,
      placement: "local",
      buyRounding: "up",
      reconcileMs: 30000,
    });
    expect(config.exchange.stream).toBe("ws://127.0.0.1:8620/v1");
    expect(config.quotes).toEqual({
      timeInForce: "POST_ONLY",
      quoteLifeMs: 300000,
      priceToleranceTicks: 0,
      sizeToleranceFraction: 0,
    });
    expect(config.risk).toMatchObject({ maxDrawdownQuote: "500", maxBookAgeMs: 2000 });
    expect(config.markets.ethusdc?.limits).toEqual({});
  });

  it("uses a market's own decision times if it has some", () => {
    const config = load(BOT);
    expect(decideConfigFor(config, "ethusdc")).toEqual({
      everyMs: 1000,
      onTouchChange: true,
      onFill: true,
      onReferenceMove: true,
      minGapMs: 20,
    });
    expect(decideConfigFor(config, "btcusdc").everyMs).toBe(250);
  });

  it("resolves its paths from the file, not from where the command runs", () => {
    writeFileSync(join(folder, "mine.ts"), "export default 1;\n");
    const config = load(
      changed("strategy: ladder", "strategy: ./mine.ts").replace(
        "metrics:",
        "stateDir: state\nmetrics:",
      ),
    );
    expect(config.markets.ethusdc?.strategy).toBe(join(folder, "mine.ts"));
    expect(config.stateDir).toBe(join(folder, "state"));
  });

  it("holds no key, so that a journal of it holds none", () => {
    expect(JSON.stringify(load(BOT))).not.toContain("1f1f");
  });

  it("needs no key if nothing is signed", () => {
    const path = join(folder, "bot.yaml");
    writeFileSync(path, BOT);
    expect(loadBotConfig(path, {}, { key: "unused" }).account.keyEnv).toBe("MARKETWRIGHT_KEY");
  });

  it("keeps every digit of a quantity, where a float would round the limit", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 2n * 10n ** 13n, max: 10n ** 15n - 1n }),
        fc.integer({ min: 0, max: 15 }),
        fc.boolean(),
        (digits, decimals, quoted) => {
          const padded = digits.toString().padStart(decimals + 1, "0");
          const written =
            decimals === 0 ? padded : `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
          // That is the file's own value, and not a change of it.
          fc.pre(quoted || written !== "0.5");
          const exact = (
            decimals === 0 ? written : written.replace(/0+$/, "").replace(/\.$/, "")
          ).replace(/^0+(?=\d)/, "");
          const config = load(
            changed(
              "maxPositionBase: 0.5",
              `maxPositionBase: ${quoted ? `"${written}"` : written}`,
            ),
          );
          return config.markets.btcusdc?.limits.maxPositionBase === exact;
        },
      ),
      { numRuns: 60 },
    );
  });

  it("may be shared by several bots through YAML anchors", () => {
    const text = changed(
      "strategy: ladder",
      "strategy: ladder\n    limits: &tight { maxOrderBase: 0.1 }",
    ).replace(
      "limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }",
      "limits: { maxOrderBase: 0.2 }",
    );
    expect(load(`${text}`).markets.ethusdc?.limits.maxOrderBase).toBe("0.1");
  });
});

describe("the error of a wrong bot file names the path, the value and the expected value", () => {
  const cases: readonly (readonly [string, string | RegExp, string, readonly string[]])[] = [
    [
      "unknown key",
      "maxOrderBase: 0.1",
      "maxOrderBsae: 0.1",
      ["markets.btcusdc.limits.maxOrderBsae", "did you mean maxOrderBase?", "0.1", "line 10"],
    ],
    [
      "seconds for milliseconds",
      "{ timeInForce",
      "{ quoteLifeS: 30, timeInForce",
      ["quotes.quoteLifeS", "did you mean quoteLifeMs: 30000", "30"],
    ],
    [
      "a key without its unit",
      "maxBookAgeMs: 2000",
      "maxBookAge: 2000",
      ["risk.maxBookAge:", "did you mean maxBookAgeMs (milliseconds)?"],
    ],
    [
      "percent for a fraction",
      "maxBookAgeMs: 2000",
      "maxMarginUsePct: 50",
      ["risk.maxMarginUsePct", "did you mean maxMarginUseFraction"],
    ],
    [
      "a limit of zero",
      "maxOrderBase: 0.1",
      "maxOrderBase: 0.0",
      ["markets.btcusdc.limits.maxOrderBase", "must not be zero", '"0.0"', "above 0"],
    ],
    [
      "a limit below zero",
      "maxOrderBase: 0.1",
      "maxOrderBase: -3",
      ["markets.btcusdc.limits.maxOrderBase", '"-3"', "above 0"],
    ],
    [
      "a limit without end",
      "maxPositionBase: 0.5",
      "maxPositionBase: 1e400",
      ["markets.btcusdc.limits.maxPositionBase", '"1e400"', "is too high", "below 1e15"],
    ],
    [
      "a limit in the wrong exponent",
      "maxDrawdownQuote: 500",
      "maxDrawdownQuote: 5e20",
      ["risk.maxDrawdownQuote", '"5e20"', "below 1e15"],
    ],
    [
      "a largest order below the size that is quoted",
      "maxOrderBase: 0.1",
      "maxOrderBase: 0.01",
      [
        "markets.btcusdc.limits.maxOrderBase",
        '"0.01"',
        "markets.btcusdc.params.sizeBase, 0.02",
        "line 10",
      ],
    ],
    [
      "a target beyond the position limit: the position would go to the limit and stand there, with nothing quoted",
      "sizeBase: 0.02 }",
      "sizeBase: 0.02, targetPositionBase: -5 }",
      [
        "markets.btcusdc.params.targetPositionBase",
        "got -5",
        "markets.btcusdc.limits.maxPositionBase, 0.5, either way",
        "line 9",
      ],
    ],
    [
      "a state folder that is a file",
      "metrics:",
      "stateDir: ./bot.yaml\nmetrics:",
      ["stateDir: leads to a file", '"./bot.yaml"', "a folder", "line 15"],
    ],
    [
      "a state folder below a file",
      "metrics:",
      "stateDir: bot.yaml/state\nmetrics:",
      ["stateDir: leads to a file", '"bot.yaml/state"'],
    ],
    [
      "a second document",
      "metrics:",
      "---\nmetrics:",
      ["bot.yaml line 15 begins a second document", "one YAML document per file"],
    ],
    [
      "a home folder",
      "metrics:",
      "stateDir: ~/state\nmetrics:",
      ["stateDir: holds a ~", '"~/state"', "a path without ~", "line 15"],
    ],
    [
      "a market with a space",
      "  ethusdc:",
      "  eth usdc:",
      ["markets.eth usdc", '"eth usdc"', "a market's id on the exchange"],
    ],
    [
      "a thousands comma",
      "maxDrawdownQuote: 500",
      "maxDrawdownQuote: 1,000",
      ["risk.0", "the comma ended the value before it"],
    ],
    [
      "a number for an address",
      "rest: http://127.0.0.1:8620/v1",
      "rest: 8620",
      ["exchange.rest", "8620", "an address such as http://127.0.0.1:8620/v1"],
    ],
    [
      "a limit that is no number",
      "maxOrderBase: 0.1",
      "maxOrderBase: lots",
      ["markets.btcusdc.limits.maxOrderBase", '"lots"', "decimal number of base units"],
    ],
    [
      "an infinite limit",
      "maxDrawdownQuote: 500",
      "maxDrawdownQuote: .inf",
      ["risk.maxDrawdownQuote", ".inf", "quote units"],
    ],
    [
      "no time in force",
      "timeInForce: POST_ONLY",
      "quoteLifeMs: 5000",
      ["quotes.timeInForce", "is missing", "POST_ONLY, GTT, GTC"],
    ],
    [
      "a time in force in the wrong case",
      "POST_ONLY",
      "post_only",
      ["quotes.timeInForce", '"post_only"', "did you mean POST_ONLY?"],
    ],
    ["a port that is none", "port: 9464", "port: 94640", ["metrics.port", "94640", "0 to 65535"]],
    [
      "a fraction of a millisecond",
      "maxBookAgeMs: 2000",
      "maxBookAgeMs: 0.5",
      ["risk.maxBookAgeMs", "0.5", "whole number of milliseconds"],
    ],
    [
      "a stream address in the place of REST",
      "rest: http",
      "rest: ws",
      ["exchange.rest", "ws://127.0.0.1:8620/v1", "http:"],
    ],
    [
      "a password in an address",
      "rest: http://",
      "rest: http://me:secret@",
      ["exchange.rest", "must not hold a name or password"],
    ],
    [
      "no market",
      /markets:[\s\S]*risk:/,
      "markets: {}\nrisk:",
      ["markets:", "at least one market"],
    ],
    [
      "the same market twice",
      "  ethusdc:",
      "  btcusdc:",
      ["markets.btcusdc", "written twice", "one market has one strategy", "7 and 11"],
    ],
    [
      "two strategies on one market",
      "strategy: ladder",
      "strategy: [ladder, grid]",
      ["markets.ethusdc.strategy", '["ladder","grid"]', "a text"],
    ],
    [
      "the same key twice",
      "quotes: {",
      "risk: {}\nquotes: {",
      ["risk:", "written twice", "each key once"],
    ],
    [
      "a strategy file that is not there",
      "strategy: ladder",
      "strategy: ./none.ts",
      ["markets.ethusdc.strategy", '"./none.ts"', "a file at"],
    ],
    [
      "a heartbeat that the guard cannot wait for",
      "metrics:",
      "guard: { heartbeatMs: 2000, deadAfterMs: 3000 }\nmetrics:",
      ["guard.deadAfterMs", "3000", "4000"],
    ],
    ["an empty section", /risk: .*/, "risk:", ["risk: is empty", "maxDrawdownQuote"]],
    ["a list", /^[\s\S]*$/, "- a\n- b\n", ["the file", "wrong type"]],
    ["an empty file", /^[\s\S]*$/, "# nothing\n", ["bot.yaml is empty"]],
    [
      "broken YAML",
      "{ timeInForce: POST_ONLY }",
      "{ timeInForce: POST_ONLY",
      ["bot.yaml line 6 is not valid YAML"],
    ],
    [
      "a bracket for a brace",
      "risk: { maxDrawdownQuote: 500, maxBookAgeMs: 2000 }",
      "risk: [ maxDrawdownQuote: 500, maxBookAgeMs: 2000 }",
      ["risk", "is not valid YAML", "risk: [ maxDrawdownQuote", "each { closed by }"],
    ],
    ["a tab", "metrics:", "\tmetrics:", ["is not valid YAML", "metrics:", "spaces"]],
    [
      "a key deeper than the one above",
      "metrics:",
      "logLevel: info\n  metrics:",
      ["logLevel", "is not valid YAML", "one indentation"],
    ],
    [
      "an alias to nothing, by its key",
      "strategy: ladder",
      "strategy: *none",
      ["markets.ethusdc.strategy", "*none", "an anchor (&none) above it"],
    ],
    [
      "a private key in a broken line",
      "keyEnv: MARKETWRIGHT_KEY }",
      `key: ${KEY}`,
      ["is not valid YAML", "not shown"],
    ],
    ["an alias to nothing", "strategy: ladder", "strategy: *none", ["bot.yaml", "none"]],
    // If it were ignored, a variable's name would pass for the variable's content.
    [
      "a tag that nobody knows",
      "keyEnv: MARKETWRIGHT_KEY",
      "keyEnv: !env MARKETWRIGHT_KEY",
      ["account", "!env", "the value without its tag"],
    ],
    [
      "a key that is a list",
      "risk: {",
      "[risk, account]: {",
      ["bot.yaml line", "[risk, account]", "a text as a key"],
    ],
    [
      "an alias of what it lies in",
      "strategy: ladder",
      "strategy: &own { params: *own }",
      ["markets.ethusdc.strategy.params", "bot.yaml"],
    ],
  ];
  it.each(cases)("%s", (_name, from, to, parts) => {
    const message = messageOf(changed(from, to));
    for (const part of parts) expect(message).toContain(part);
    expect(message.split("\n")).toHaveLength(1);
  });

  it("counts the problems that it does not list", () => {
    expect(
      messageOf(changed("port: 9464", "port: -1").replace("maxBookAgeMs: 2000", "maxBookAgeMs: 0")),
    ).toContain("and 1 problem more");
  });

  it("reports a path without a file", () => {
    expect(() => loadBotConfig(join(folder, "absent.yaml"), env)).toThrow(
      /absent\.yaml does not exist/,
    );
    expect(() => loadBotConfig(folder, env)).toThrow(/is a folder, not a file/);
  });
});

describe("the key", () => {
  it("is reported by the variable's name if it is missing", () => {
    expect(messageOf(BOT, {})).toContain(
      "account.keyEnv: names an environment variable that is not set",
    );
    expect(messageOf(BOT, { MARKETWRIGHT_KEY: "  " })).toContain("MARKETWRIGHT_KEY");
  });

  it.each([
    ["too short", `0x${"ab".repeat(31)}`],
    ["without 0x", "ab".repeat(32)],
    ["zero", `0x${"00".repeat(32)}`],
    ["the group's order", "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"],
    ["a phrase", "test test test junk"],
  ])("is refused and never shown: %s", (_name, secret) => {
    const message = messageOf(BOT, { MARKETWRIGHT_KEY: secret });
    expect(message).toContain("account.keyEnv");
    expect(message).not.toContain(secret.slice(2, 12));
  });

  it.each([KEY, KEY.slice(2), `"${KEY}"`])(
    "is not shown when it was pasted into the file: %#",
    (pasted) => {
      for (const text of [
        changed("keyEnv: MARKETWRIGHT_KEY", `keyEnv: ${pasted}`),
        changed("keyEnv: MARKETWRIGHT_KEY", `key: ${pasted}`),
      ]) {
        expect(messageOf(text)).not.toContain("1f1f1f1f");
      }
      const within = messageOf(
        changed("keyEnv: MARKETWRIGHT_KEY", `keyEnv: { ${pasted.replaceAll('"', "")}: 1 }`),
      );
      expect(within).toContain("not shown");
      expect(within).not.toContain("1f1f1f1f");
    },
  );

  it.each([
    ["the name of a key", `${KEY}: x`],
    ["a key written twice", `${KEY}: x\n  ${KEY}: y`],
    ["a key that is a list", `? [${KEY}]\n  : x`],
    ["an alias of nothing", `keyEnv: *${KEY}`],
    ["a tag", `keyEnv: !${KEY} x`],
    ["the key of braces that are not closed", `${KEY}: {a: 1`],
  ])("is not shown if it was pasted as %s", (_name, written) => {
    const message = messageOf(`account:\n  ${written}\n`);
    expect(message).toContain("not shown");
    expect(message).not.toContain("1f1f1f1f");
  });
});
