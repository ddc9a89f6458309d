import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDuplicateKey } from "#core/find-duplicate-key.js";

describe("a key that a JSON object has twice", () => {
  it.each([
    ['{"amount":"1","amount":"2"}', "amount"],
    ['{"amount":"1","\\u0061mount":"2"}', "amount"],
    ['{"a":{"b":1,"c":{},"b":2}}', "b"],
    ['[1,{"x":[],"y":"{","x":0}]', "x"],
    ['{"":1,"":2}', ""],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ])("is found in %s", (text, key) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(findDuplicateKey(text)).toBe(key);
  });

  it("is found in no text that was written from an object, whatever its keys and values are", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => findDuplicateKey(text) === undefined),
    );
  });

  it("is found wherever one is put in", () => {
    const withKeys = fc.dictionary(fc.string(), fc.jsonValue(), {
      minKeys: 1,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(withKeys, fc.jsonValue(), fc.nat(), (object, value, pick) => {
        const keys = Object.keys(object);
        const key = keys[pick % keys.length] ?? "";
        const text = `{"outer":[${JSON.stringify(object).slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(value)}}]}`;
        expect(findDuplicateKey(text)).toBe(key);
      }),
    );
  });
});
