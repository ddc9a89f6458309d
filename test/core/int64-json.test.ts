import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { int64Id, parseInt64Json } from "#core/int64-json.js";

describe("reading JSON with 64-bit ids", () => {
  it("keeps an id beyond 2^53 to its last digit, and leaves smaller numbers numbers", () => {
    expect(
      parseInt64Json(
        '{"id":9223372036854775807,"other":275287091667264,"ids":[-9007199254740993, 9007199254740991]}',
      ),
    ).toEqual({
      id: "9223372036854775807",
      other: 275287091667264,
      ids: ["-9007199254740993", 9007199254740991],
    });
    expect(parseInt64Json("9007199254740992")).toBe("9007199254740992");
  });

  it("takes no text within a string for a member, however much it looks like one", () => {
    for (const text of [
      '{"a":"\\"id\\":9223372036854775807,","b":9223372036854775807}',
      '{"a":":9223372036854775807,","b":":9223372036854775807}"}',
      '["a\\":9223372036854775807,"]',
      '{"b":9223372036854775807,"c":" x\\":9223372036854775807}"}',
    ]) {
      const expected = JSON.parse(
        text.replace(/"b":9223372036854775807/, '"b":"9223372036854775807"'),
      );
      expect(parseInt64Json(text)).toEqual(expected);
    }
  });

  it("touches no string and no fraction that only looks like a long integer", () => {
    const text =
      '{"a":"9223372036854775807","b\\"9223372036854775807":1,"c":1.9223372036854775807,"d":9223372036854775807e-3,"e":"\\\\"}';
    expect(parseInt64Json(text)).toEqual(JSON.parse(text));
  });

  it("reads any JSON as JSON.parse does, where no integer is long", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }),
        fc.constantFrom("", "9223372036854775807"),
        (json, filler) => {
          fc.pre(!/(?<![\d.])\d{16}/.test(json));
          const text = `[${JSON.stringify(filler)},${json}]`;
          expect(parseInt64Json(text)).toStrictEqual(JSON.parse(text));
        },
      ),
    );
  });

  it("reads every 64-bit integer, at any place, as its digits or as itself", () => {
    const place = fc.constantFrom(
      (digits: string) => `{"x":${digits}}`,
      (digits: string) => `{"s":"1\\"2","x": ${digits} }`,
      (digits: string) => `{"x":\n${digits},"t":[1,"${digits}"]}`,
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), place, (value, write) => {
        const { x } = parseInt64Json(write(value.toString())) as { x: unknown };
        expect(x).toBe(Number.isSafeInteger(Number(value)) ? Number(value) : value.toString());
      }),
    );
  });

  it("rejects what JSON.parse rejects, however long its numbers", () => {
    for (const wrong of [
      "09223372036854775807",
      "--9223372036854775807",
      "+9223372036854775807",
      "9223372036854775807abc",
      "{9223372036854775807:1}",
      "{9223372036854775807 :1}",
      "[1 9223372036854775807]",
      '["9223372036854775807]',
      '"9223372036854775807\\',
      '{"a":9223372036854775807',
      "9223372036854775807,",
      "9223372036854775807.",
      "-",
      "",
    ]) {
      expect(() => parseInt64Json(wrong)).toThrow(SyntaxError);
    }
    const characters = fc.array(
      fc.constantFrom(
        "9223372036854775807",
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "-",
        ".",
        "e",
        "0",
        " ",
        "x",
      ),
    );
    fc.assert(
      fc.property(characters, (parts) => {
        const text = parts.join("");
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => parseInt64Json(text)).toThrow(SyntaxError);
          return;
        }
        // Ours differs by digits kept, never by structure: rounding every long string back gives
        // the other.
        const rounded = JSON.parse(
          JSON.stringify(parseInt64Json(text)).replace(/"(-?9223372036854775807\d*)"/g, "$1"),
        );
        expect(JSON.stringify(rounded)).toBe(
          JSON.stringify(expected).replace(/"(-?9223372036854775807\d*)"/g, (_, digits) =>
            String(Number(digits)),
          ),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("takes a hostile frame of ten megabytes without running out of stack", () => {
    const long = "\\n".repeat(2_500_000);
    expect(parseInt64Json(`["${long}",9223372036854775807]`)).toEqual([
      "\n".repeat(2_500_000),
      "9223372036854775807",
    ]);
    expect(parseInt64Json(`${"1".repeat(5_000_000)}`)).toBe("1".repeat(5_000_000));
  });

  it("treats a frame's __proto__ as a plain key", () => {
    const parsed = parseInt64Json('{"__proto__":{"admin":true},"id":9223372036854775807}') as {
      admin?: boolean;
    };
    expect(parsed.admin).toBeUndefined();
  });
});

describe("an id", () => {
  it("has one representation, whichever way the wire wrote it", () => {
    expect(int64Id(275287091667264)).toBe("275287091667264");
    expect(int64Id("275287091667264")).toBe("275287091667264");
    expect(int64Id("9223372036854775807")).toBe("9223372036854775807");
    expect(int64Id(0)).toBe("0");
  });

  it("is refused where two texts could mean the same id, or it is none", () => {
    for (const wrong of [
      "9223372036854775808",
      "007",
      "-1",
      -1,
      1.5,
      2 ** 53,
      "1e3",
      " 1",
      "",
      null,
      undefined,
      {},
      "99999999999999999999",
    ]) {
      expect(() => int64Id(wrong, "orderId")).toThrow("orderId");
    }
  });
});
