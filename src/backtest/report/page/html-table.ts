import { escapeHtml } from "./html-text.js";

/** A cell of a table: HTML that its maker has escaped. */
export interface Cell {
  readonly html: string;
  readonly className?: string;
}

/**
 * A table that scrolls within itself on a narrow page. The first column names its rows.
 * @param caption for screen readers
 * @param isTall true if it may have hundreds of rows, which then scroll in a window of their own
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

/** An element that scrolls within itself, also by the keyboard. */
function windowHtml(label: string, html: string, isTall: boolean): string {
  return `<div class="scroll${isTall ? " tall" : ""}" tabindex="0" role="region" aria-label="${label}">${html}</div>`;
}

/** A chart that the page's script draws into the element of this id. All arguments are HTML. */
export function figureHtml(id: string, title: string, note: string, extra = ""): string {
  return `<figure><figcaption><h3>${title}</h3>${note === "" ? "" : `<p>${note}</p>`}${extra}</figcaption><div class="chart" id="${id}" data-title="${title}"></div></figure>`;
}

/**
 * Gaps in the store's coverage of a span. Shown open: the reader of a profit should see which data
 * was missing.
 */
export function gapsHtml(gaps: readonly string[]): string {
  if (gaps.length === 0) return "";
  const list = `<ul class="gloss">${gaps.map((gap) => `<li>${escapeHtml(gap)}</li>`).join("")}</ul>`;
  return `<details open><summary>Gaps of the history in the replayed span</summary>${windowHtml("Gaps of the history", list, true)}</details>`;
}
