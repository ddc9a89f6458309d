import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsIn } from "#bot/condition.js";
import { parseCondition } from "#bot/parse-condition.js";
import { ConfigError } from "#core/errors.js";

const MARKETS = ["btcusdc", "eth-usdc"];

/** The values of one status, under the names that conditions use. */
interface Values {
  readonly position: number | null;
  readonly fills: number;
  readonly equity: number | undefined;
  readonly phase: string;
  readonly halts: readonly string[];
  readonly isFlattening: boolean;
}

const WORDS = ["running", "stopping", "manual: lunch", "stale-book", ""];

const values: fc.Arbitrary<Values> = fc.record({
  position: fc.option(fc.integer({ min: -300, max: 300 }).map((lots) => lots / 100)),
  fills: fc.nat({ max: 5 }),
  equity: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
  phase: fc.constantFrom(...WORDS),
  halts: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
  isFlattening: fc.boolean(),
});

/** A status as the bot writes it: amounts are text, and what is not known is null or undefined. */
function documentOf({ position, fills, equity, phase, halts, isFlattening }: Values) {
  return {
    phase,
    halts,
    equityQuote: equity === undefined ? undefined : equity.toFixed(6),
    markets: {
      btcusdc: {
        positionBase: position === null ? null : position.toFixed(3),
        fills,
        isFlattening,
      },
    },
  };
}

/** A condition as text, and what it is for these values by plain code. */
interface Tree {
  readonly text: string;
  readonly holds: (values: Values) => boolean;
}

type Read = (values: Values) => readonly (number | string)[];

const NUMBERS: readonly (readonly [string, Read])[] = [
  ["position.btcusdc", ({ position }) => (position === null ? [] : [position])],
  ["markets.btcusdc.positionBase", ({ position }) => (position === null ? [] : [position])],
  ["abs(position.btcusdc)", ({ position }) => (position === null ? [] : [Math.abs(position)])],
  ["fills.btcusdc", ({ fills }) => [fills]],
  ["equity", ({ equity }) => (equity === undefined ? [] : [equity])],
  ["count(equityQuote)", ({ equity }) => [equity === undefined ? 0 : 1]],
  ["count(halts)", ({ halts }) => [halts.length]],
];

const TEXTS: readonly (readonly [string, Read])[] = [
  ["phase", ({ phase }) => [phase]],
  ["halts", ({ halts }) => halts],
];

const literal = fc
  .integer({ min: -300, max: 300 })
  .map((hundredths) => [String(hundredths / 100), () => [hundredths / 100]] as const);

const quoted = fc
  .tuple(fc.constantFrom(...WORDS, "manual"), fc.constantFrom('"', "'"))
  .map(([word, quote]) => [`${quote}${word}${quote}`, word] as const);

const ORDERS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => !(a < b),
  "<": (a, b) => a < b,
  "<=": (a, b) => !(a > b),
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

const numeric: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.constantFrom(...NUMBERS),
    fc.constantFrom(...Object.keys(ORDERS)),
    fc.oneof(literal, fc.constantFrom(...NUMBERS)),
  )
  .map(([[left, readLeft], order, [right, readRight]]) => ({
    text: `${left} ${order} ${right}`,
    holds: (of) =>
      readLeft(of).some((a) =>
        readRight(of).some((b) => ORDERS[order]?.(Number(a), Number(b)) === true),
      ),
  }));

const textual: fc.Arbitrary<Tree> = fc
  .tuple(fc.constantFrom(...TEXTS), fc.constantFrom("==", "!=", "contains"), quoted)
  .map(([[left, read], comparator, [right, word]]) => ({
    text: `${left} ${comparator} ${right}`,
    holds: (of) =>
      read(of).some((a) => {
        if (comparator === "contains") return String(a).indexOf(word) >= 0;
        return (a === word) === (comparator === "==");
      }),
  }));

const truth: fc.Arbitrary<Tree> = fc.constantFrom(
  { text: "isFlattening.btcusdc", holds: ({ isFlattening }: Values) => isFlattening },
  { text: "isFlattening.btcusdc == false", holds: ({ isFlattening }: Values) => !isFlattening },
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    numeric,
    textual,
    truth,
    tie("tree").map(({ text, holds }) => ({
      text: `not (${text})`,
      holds: (of: Values) => !holds(of),
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      text: `(${a.text}) and (${b.text})`,
      holds: (of: Values) => a.holds(of) && b.holds(of),
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      text: `((${a.text}) or (${b.text}))`,
      holds: (of: Values) => a.holds(of) || b.holds(of),
    })),
  ),
}));

describe("a condition over the status", () => {
  it("holds exactly where its comparisons say so, so that no turn is found or missed by mistake", () => {
    fc.assert(
      fc.property(tree, values, ({ text, holds }, of) => {
        expect(holdsIn(parseCondition(text, MARKETS), documentOf(of))).toBe(holds(of));
      }),
      { numRuns: 500 },
    );
  });

  it("binds not before and before or, as a trader reads it", () => {
    fc.assert(
      fc.property(fc.tuple(numeric, numeric, numeric), values, ([a, b, c], of) => {
        const text = `not ${a.text} or ${b.text} and not ${c.text}`;
        expect(holdsIn(parseCondition(text, MARKETS), documentOf(of))).toBe(
          !a.holds(of) || (b.holds(of) && !c.holds(of)),
        );
      }),
    );
  });

  it("takes a market's name with a hyphen, and a key of a strategy's own", () => {
    const condition = parseCondition(
      "lastReason.eth-usdc.terms.skewTicks >= 2 and tokens.ORDER.left < 5",
      MARKETS,
    );
    const document = (skewTicks: number) => ({
      tokens: { ORDER: { left: 4 } },
      markets: { "eth-usdc": { lastReason: { terms: { skewTicks } } } },
    });
    expect(holdsIn(condition, document(2))).toBe(true);
    expect(holdsIn(condition, document(1.5))).toBe(false);
  });

  it.each([
    ["positon.btcusdc > 1", '"positon.btcusdc" at character 1 does not exist', "position.btcusdc"],
    ["phase == 'x' and positionBse.btcusdc > 1", "at character 18", "positionBase.btcusdc"],
    ["position > 1", '"position" at character 1 does not exist', "position.btcusdc"],
    ["position.ethusdc > 1", '"position.ethusdc"', "markets are btcusdc, eth-usdc"],
    ["markets.btcusd.fills > 1", '"markets.btcusd.fills"', "markets.btcusdc.fills"],
    ["phase == stopping", '"stopping" at character 10 does not exist', "texts are in quotes"],
    ["pnlQuote > 1", '"pnlQuote" at character 1 holds several values', "pnlQuote.spread"],
    ["phase.x == 'a'", '"phase.x" at character 1 has no values below it', "phase"],
    ["guard.state == 'alive'", "is not in a journal", "docs/reference/status.md"],
    ["phase > 3", '"phase" at character 1 is a text, and is compared with a number', "quotes"],
    ["position.btcusdc > '3'", "is a number, and is compared with a text", "a number"],
    ["phase > 'a'", "has no order", "== or !="],
    ["fills.btcusdc contains 'a'", "contains, which needs texts on both sides", "halts contains"],
    ["fills.btcusdc", "the condition ends at character 14", "a comparison"],
    ["fills.btcusdc > ", "the condition ends at character 17", "a field of the status"],
    ["(fills.btcusdc > 1", "the condition ends at character 19", "expected )"],
    ["fills.btcusdc > 1 fills.btcusdc", '"fills.btcusdc" at character 19 is unexpected', "and, or"],
    ["fills.btcusdc > 1e3", "cannot be read at character 17", "numbers such as 0.4"],
    ["fills.btcusdc = 1", "cannot be read at character 15", "=="],
    ["abs(phase) > 1", '"phase" at character 5 is not a number', "abs() of a number"],
    ["count(3) > 1", '"3" at character 7 is unexpected', "count(halts)"],
    ["", "the condition ends at character 1", "a field of the status"],
  ])(
    "is refused before the replay, naming the place and what is meant: %s",
    (text, place, expected) => {
      const message = refusalOf(text);
      expect(message).toContain(place);
      expect(message).toContain(expected);
    },
  );

  it("is refused if it is too deep or too long to be meant", () => {
    expect(refusalOf(`${"(".repeat(200)}fills.btcusdc > 1`)).toContain("at most 100 levels");
    expect(refusalOf(`phase == "${"x".repeat(5000)}"`)).toContain("at most 4096 characters");
  });

  it("fails with a typed error on any text, never with another one", () => {
    const pieces = fc.constantFrom(
      "(",
      ")",
      "not",
      "and",
      "or",
      "abs(",
      "count(",
      "position.btcusdc",
      "phase",
      "'a'",
      "1",
      ">",
      "==",
      "contains",
      "true",
      ".",
      "-",
      "__proto__",
      "constructor.btcusdc",
      "lastReason.btcusdc.terms.constructor",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (words) => {
        try {
          const condition = parseCondition(words.join(" "), MARKETS);
          expect(typeof holdsIn(condition, { markets: {} })).toBe("boolean");
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The message of a refused condition. */
function refusalOf(text: string): string {
  try {
    parseCondition(text, MARKETS);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error(`${text} was taken`);
}
