import { describe, expect, it } from "vitest";
import { tableHtml } from "#backtest/html-table.js";

describe("a table of a report", () => {
  it("puts a column's head where its cells stand: at the left over text, at the right over figures", () => {
    const html = tableHtml(
      "Notes",
      ["when", "level", "times", "what"],
      [
        [
          "12:00",
          { html: "warn", className: "text level-warn" },
          { html: "3", className: "down" },
          { html: "halted", className: "text long" },
        ],
      ],
    );
    expect(html.match(/<th scope="col".*?<\/th>/g)).toEqual([
      '<th scope="col" class="text">when</th>',
      '<th scope="col" class="text">level</th>',
      '<th scope="col">times</th>',
      '<th scope="col" class="text">what</th>',
    ]);
  });

  it("has heads without a row below them too", () => {
    expect(tableHtml("Nothing", ["market", "total"], [])).toContain(
      '<th scope="col" class="text">market</th><th scope="col">total</th>',
    );
  });
});
