import { describe, expect, it } from "vitest";
import { type PublicExport, publicExports } from "./public-exports.js";

const documented = publicExports();

/** Units that a name may end in, and `Id`, which has none. */
const UNIT = /(Ms|Seconds|Lots|Ticks|Credit|Quote|Base|Bps|Usd|Decimals|Bytes|Id)$/i;

/** A field whose type does not say a unit, as `Ms`, `Ticks` and `CreditUnits` do. */
const BARE_NUMBER =
  /^ +(?:static )?(?:readonly )?(?<name>\w+)\??: (?:number|bigint)(?: \| undefined)?;$/;
/** A decimal of the wire. */
const BARE_DECIMAL =
  /^ +(?:readonly )?(?<name>\w*(?:[pP]rice|[aA]mount|[sS]ize|[rR]ate|[lL]everage|[vV]olume))\??: (?:string|DecimalInput)(?: \| undefined)?;$/;

describe("the doc comments of the public entries", () => {
  it("are there for each export", () => {
    const bare = documented.filter(({ doc }) => doc === "");
    expect(bare.map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  });

  it("begin with a noun or a verb", () => {
    const vague = documented.filter(({ doc }) => /^(What|Whether|Who|How)\b/.test(doc));
    expect(vague.map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  });
});

describe("the numbers of public types", () => {
  it("say their units, in their type, their name or a doc comment", () => {
    expect(documented.flatMap(unitless)).toEqual([]);
  });

  it("are found where they do not", () => {
    const declaration = [
      "export interface Order {",
      "  readonly lots: Lots;",
      "  readonly waitMs: number;",
      "  /** Base units. */",
      "  readonly size: number;",
      "  readonly price: string;",
      "  readonly value?: bigint;",
      "}",
    ].join("\n");
    expect(unitless({ name: "Order", path: "order.ts", doc: "", declaration })).toEqual([
      "order.ts: Order.price",
      "order.ts: Order.value",
    ]);
  });
});

function unitless({ name, path, declaration }: PublicExport): readonly string[] {
  const lines = declaration.split("\n");
  return lines.flatMap((line, place) => {
    const field = (BARE_NUMBER.exec(line) ?? BARE_DECIMAL.exec(line))?.groups?.name;
    if (field === undefined || UNIT.test(field)) return [];
    return lines[place - 1]?.trimEnd().endsWith("*/") ? [] : [`${path}: ${name}.${field}`];
  });
}
