import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "#exchange/errors.js";
import { OPERATIONS } from "#exchange/operations.js";
import { withInterface } from "../../scripts/interface/exchange-interface.js";
import { RULES } from "../conformance/rules.js";
import { deadLinksOf, readPage } from "./pages.js";

const PAGES = [
  "docs/reference/exchange-interface.md",
  "docs/reference/protocol.md",
  "docs/ideas/design.md",
];

describe("docs/reference/exchange-interface.md", () => {
  const { text } = readPage("docs/reference/exchange-interface.md");

  it("has the endpoints, fields, filters and error codes of the code", () => {
    expect(text).toBe(withInterface(text));
    for (const { name, method, path } of Object.values(OPERATIONS))
      expect(text).toContain(`#### ${name}\n\n\`${method} ${path}\``);
    for (const code of Object.keys(ERROR_CODES)) expect(text).toContain(`\n| ${code} | `);
  });

  it("has every rule of the conformance table, and no other", () => {
    const ids = new Set(RULES.map(({ id }) => id as string));
    const groups = [...new Set([...ids].map((id) => id.replace(/\d+$/, "")))].join("|");
    const lists = [
      ...text.matchAll(/\(((?:\w+\d+(?:, | to )?)+)\)/g),
      ...text.matchAll(/^Rules: ((?:\w+\d+(?:, )?)+)\.$/gm),
      ...text.matchAll(/\| ((?:[A-Z]+\d+(?:, | to )?)+) \|/g),
    ].map(([, list = ""]) => list);
    const named = lists.flatMap((list) => idsOf(list, groups));
    expect([...ids].filter((id) => !named.includes(id))).toEqual([]);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });
});

it.each(PAGES)("%s leads nowhere that is not there", (path) => {
  expect(deadLinksOf(readPage(path))).toEqual([]);
});

/** The ids of "I3 to I5, R4". */
function idsOf(list: string, groups: string): readonly string[] {
  const known = new RegExp(`^(${groups})(\\d+)$`);
  return list.split(", ").flatMap((part) => {
    const [first = "", last = first] = part.split(" to ");
    const [, group = "", from = ""] = known.exec(first) ?? [];
    const [, , to = ""] = known.exec(last) ?? [];
    if (group === "") return [];
    return Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, at) => `${group}${Number(from) + at}`,
    );
  });
}
