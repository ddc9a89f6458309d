import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { literal } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { stampSql } from "#history/stamps.js";
import { query, scratchFolder } from "../scratch.js";

const PLACES = { s: 9, ms: 6, us: 3, ns: 0 } as const;
const LATEST = 2n ** 63n - 1n;

async function madeOf(
  texts: readonly string[],
  unit: keyof typeof PLACES,
): Promise<readonly unknown[]> {
  const store = new HistoryStore(join(scratchFolder(), "history"));
  const rows = texts.map((text, at) => `(${at}, ${literal(text)})`).join(", ");
  const made = await query(
    store,
    `SELECT ${stampSql("when", "text", unit)} AS ns FROM (VALUES ${rows}) AS given(place, text) ORDER BY place`,
  );
  return made.map(({ ns }) => ns);
}

// Whole numbers and decimals take different code paths in the database; both must give the same
// instant.
it.each(Object.entries(PLACES) as [keyof typeof PLACES, number][])(
  "a stamp in %s is exact to the nanosecond, however it is written",
  async (unit, places) => {
    const text = fc.tuple(
      fc.constantFrom("", "", "0", "+", " "),
      fc.bigInt({ min: 0n, max: LATEST / 10n ** BigInt(places) }),
      fc.stringMatching(new RegExp(`^[0-9]{0,${places}}$`)),
      fc.constantFrom("", "0", "000"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 200 }), async (given) => {
        const kept = given
          .map(([before, whole, fraction, zeros]) => ({
            text: `${before}${whole}${fraction + zeros === "" ? "" : `.${fraction}${zeros}`}`,
            ns: whole * 10n ** BigInt(places) + BigInt(fraction.padEnd(places, "0") || "0"),
          }))
          .filter(({ ns }) => ns <= LATEST);
        fc.pre(kept.length > 0);
        expect(
          await madeOf(
            kept.map((each) => each.text),
            unit,
          ),
        ).toEqual(kept.map(({ ns }) => ns));
      }),
      { numRuns: 10 },
    );
  },
);

it.each([
  "1723161600.5.5",
  "1723161600.5 UTC",
  "1723161600.-5",
  "1723161600.+5",
  "1723161600. 5",
  "12:00",
  "",
  "9223372037",
])("%j is not a stamp in seconds", async (text) => {
  await expect(madeOf([text], "s")).rejects.toThrow(/STAMP S/);
});
