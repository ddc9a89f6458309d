import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { editYaml } from "#core/edit-yaml.js";
import { ConfigError } from "#core/errors.js";

const FILE = `# The bot of the desk.
exchange: { rest: "http://a", stream: "ws://a" }   # do not touch

markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 3, sizeBase: 0.02 } # bps
    limits:
      # as agreed on Monday
      maxPositionBase: 0.5     # BTC

      maxOrderBase: "0.1"
  ethusdc:
    strategy: ladder
    params:
      halfSpreadBps:   4
      levels: 2
    limits: {}
risk:
  maxDrawdownQuote: 500
  ladder:
    drawdown:
      - { fromQuote: 100, action: warn }
      - fromQuote: 200 # half
        action: widen
    inventory: [{ fromFraction: 0.5, action: widen }]
`;

/** The lines that an edit takes out, and those that it puts in. */
function changed(path: string, text: string | undefined): readonly string[] {
  const before = FILE.split("\n");
  const after = editYaml(FILE, [{ path: path.split("."), text }]).split("\n");
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `-${line.trim()}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+${line.trim()}`),
  ];
}

describe("a value of a YAML text is replaced", () => {
  it.each([
    [
      "markets.btcusdc.params.halfSpreadBps",
      "5",
      "+params: { halfSpreadBps: 5, sizeBase: 0.02 } # bps",
    ],
    ["markets.btcusdc.limits.maxPositionBase", "0.4", "+maxPositionBase: 0.4     # BTC"],
    ["markets.btcusdc.limits.maxOrderBase", "0.2", "+maxOrderBase: 0.2"],
    ["markets.ethusdc.params.halfSpreadBps", "6", "+halfSpreadBps:   6"],
    ["risk.ladder.drawdown.1.fromQuote", "250", "+- fromQuote: 250 # half"],
    ["risk.ladder.drawdown.0.action", "reduce", "+- { fromQuote: 100, action: reduce }"],
  ])("at %s, and nothing else of its line", (path, text, line) => {
    expect(changed(path, text)).toEqual([expect.stringMatching(/^-/), line]);
  });

  it("also where it is a whole list, in either style", () => {
    const list = "[{ fromQuote: 50, action: warn }]";
    for (const path of ["risk.ladder.drawdown", "risk.ladder.inventory"]) {
      const text = editYaml(FILE, [{ path: path.split("."), text: list }]);
      expect(parse(text).risk.ladder[path.split(".")[2] as string]).toEqual([
        { fromQuote: 50, action: "warn" },
      ]);
    }
  });
});

describe("a key that a YAML text does not have is added", () => {
  it.each([
    [
      "markets.btcusdc.params.levels",
      "+params: { halfSpreadBps: 3, sizeBase: 0.02, levels: 9 } # bps",
    ],
    ["markets.btcusdc.limits.maxOpenOrders", "+maxOpenOrders: 9"],
    ["markets.ethusdc.params.sizeBase", "+sizeBase: 9"],
    ["markets.ethusdc.limits.maxOrderBase", "+limits: { maxOrderBase: 9 }"],
    ["risk.maxLeverage", "+maxLeverage: 9"],
    ["decide.everyMs", "+decide: { everyMs: 9 }"],
  ])("at %s", (path, line) => {
    const text = editYaml(FILE, [{ path: path.split("."), text: "9" }]);
    const value = path
      .split(".")
      .reduce<unknown>((held, key) => (held as Record<string, unknown>)[key], parse(text));
    expect(value).toBe(9);
    expect(changed(path, "9").filter((one) => one.startsWith("+"))).toEqual([line]);
    expect(text).toContain("# as agreed on Monday");
  });
});

describe("a key is removed from a YAML text", () => {
  it.each([
    ["markets.btcusdc.params.halfSpreadBps", "+params: { sizeBase: 0.02 } # bps"],
    ["markets.btcusdc.params.sizeBase", "+params: { halfSpreadBps: 3 } # bps"],
    ["markets.ethusdc.params.levels", undefined],
    ["risk.ladder.drawdown", undefined],
  ])("at %s", (path, line) => {
    const text = editYaml(FILE, [{ path: path.split("."), text: undefined }]);
    const keys = path.split(".");
    const last = keys.pop() as string;
    const map = keys.reduce<unknown>(
      (held, key) => (held as Record<string, unknown>)[key],
      parse(text),
    );
    expect(map).not.toHaveProperty(last);
    if (line !== undefined) expect(changed(path, undefined)).toContain(line);
  });
});

describe("a YAML text where a value is not alone", () => {
  it("is refused: an alias would change elsewhere, an anchor would vanish", () => {
    const shared = "a: &p { x: 1 }\nb: *p\nc:\n  <<: *p\n";
    expect(() => editYaml(shared, [{ path: ["b"], text: "2" }])).toThrow(ConfigError);
    expect(() => editYaml(shared, [{ path: ["b", "x"], text: "2" }])).toThrow(ConfigError);
    expect(() => editYaml(shared, [{ path: ["a"], text: "2" }])).toThrow(ConfigError);
  });
});
