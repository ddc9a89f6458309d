import { escapeHtml } from "./html-text.js";

/** A cell of a table: HTML, escaped by who makes it. */
export interface Cell {
  readonly html: string;
  readonly className?: string;
}

/**
 * A table that scrolls in itself where the page is narrow. The first column names its rows. @param caption for who cannot see
 * @param isTall whether hundreds of rows may come, which then scroll in a window of their own
 */
export function tableHtml(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
  { isTall = false }: { readonly isTall?: boolean } = {},
): string {
  const cell = (of: string | Cell, index: number): string => {
    const { html, className = "" } = typeof of === "string" ? { html: of } : of;
    if (index === 0) return `<th scope="row" class="text ${className}">${html}</th>`;
    return `<td${className === "" ? "" : ` class="${className}"`}>${html}</td>`;
  };
  const [first = []] = rows;
  const isText = (index: number): boolean => {
    const of = first[index];
    return (
      index === 0 || (typeof of === "object" && of.className?.split(" ").includes("text") === true)
    );
  };
  const head = heads
    .map((text, index) => `<th scope="col"${isText(index) ? ' class="text"' : ""}>${text}</th>`)
    .join("");
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("");
  return windowHtml(
    caption,
    `<table><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`,
    isTall,
  );
}

/** What scrolls in itself, also by the keyboard. */
function windowHtml(label: string, html: string, isTall: boolean): string {
  return `<div class="scroll${isTall ? " tall" : ""}" tabindex="0" role="region" aria-label="${label}">${html}</div>`;
}

/** A chart that the page's script draws into the element of this id. Everything given is HTML. */
export function figureHtml(id: string, title: string, note: string, extra = ""): string {
  return `<figure><figcaption><h3>${title}</h3>${note === "" ? "" : `<p>${note}</p>`}${extra}</figcaption><div class="chart" id="${id}" data-title="${title}"></div></figure>`;
}

/** What a store lacks of a span. Open: whoever reads a profit should see what was not there to earn it on. */
export function gapsHtml(gaps: readonly string[]): string {
  if (gaps.length === 0) return "";
  const list = `<ul class="gloss">${gaps.map((gap) => `<li>${escapeHtml(gap)}</li>`).join("")}</ul>`;
  return `<details open><summary>What the history lacks of the span</summary>${windowHtml("Gaps of the history", list, true)}</details>`;
}
