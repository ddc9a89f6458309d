import { exact } from "../chart/axis-text.js";
import { html } from "../chart/html.js";
import { clockText } from "./format.js";
import { dataTable, scrollBox } from "./panel.js";
import type { SampledHistory } from "./sampled-history.js";

const MOST_ROWS = 120;

/** Behind a chart, its newest values as a table: made when it is opened, and anew on demand. */
export function offerLiveTable(
  figure: HTMLElement,
  title: string,
  unit: string,
  history: SampledHistory,
  lines: readonly { readonly name: string; readonly series: string }[],
): void {
  const details = html("details", "behind");
  const summary = html("summary", "", "Table");
  summary.append(html("span", "unseen", ` of ${title}`));
  details.append(summary);
  figure.append(details);
  const fill = (): void => {
    const refresh = html("button", "", `As of ${clockText(Date.now())}: refresh`);
    refresh.type = "button";
    refresh.addEventListener("click", () => {
      fill();
      details.querySelector("button")?.focus();
    });
    const { table, body } = dataTable(`${title}, ${unit}, newest first`, [
      { title: "time", isText: true },
      ...lines.map(({ name }) => ({ title: unit === "" ? name : `${name}, ${unit}` })),
    ]);
    const columns = lines.map(({ series }) => history.series(series).texts);
    for (const index of [...history.times.keys()].slice(-MOST_ROWS).reverse()) {
      const row = html("tr");
      const head = html("th", "text", clockText(history.times[index] ?? 0));
      head.scope = "row";
      row.append(head);
      for (const texts of columns) {
        const text = texts[index];
        row.append(html("td", "", text == null ? "none" : exact(text)));
      }
      body.append(row);
    }
    const box = scrollBox(`Table of ${title}`, "tall");
    box.append(table);
    details.replaceChildren(summary, refresh, box);
  };
  details.addEventListener("toggle", () => {
    if (details.open) fill();
    // A closed table is not kept.
    else details.replaceChildren(summary);
  });
}
