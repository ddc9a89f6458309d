import { exact } from "../chart/axis-text.js";
import { html } from "../chart/html.js";
import type { TimeLine } from "./time-chart.js";

/** Behind a chart, the same as a table: made when it is opened, since it is long. */
export function offerTable(
  figure: Element,
  unit: string,
  lines: readonly TimeLine[],
  ends: readonly number[],
): void {
  const details = html("details", "behind");
  details.append(html("summary", "", "Table"));
  figure.append(details);
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table") !== null) return;
    const table = html("table");
    const head = html("tr");
    for (const name of ["until (UTC)", ...lines.map((line) => `${line.name}, ${unit}`)])
      head.append(html("th", "", name));
    const thead = html("thead");
    thead.append(head);
    const body = html("tbody");
    for (const [bucket, end] of ends.entries()) {
      const texts = lines.map(({ values }) => values.texts[bucket] ?? "none");
      const row = html("tr");
      const until = new Date(end).toISOString().replace("T", " ").slice(0, 23);
      row.append(
        html("td", "text", until),
        ...texts.map((text) => html("td", "", text === "none" ? text : exact(text))),
      );
      body.append(row);
    }
    table.append(thead, body);
    const scroll = html("div", "scroll tall");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Table behind the chart");
    scroll.append(table);
    details.append(scroll);
  });
}
