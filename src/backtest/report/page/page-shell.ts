import { escapeHtml, scriptJson } from "./html-text.js";

/** The parts of a page. */
export interface PageParts {
  /** Plain text. */
  readonly title: string;
  /** Complete style and script: the page loads nothing. */
  readonly style: string;
  readonly script: string;
  /** The markup of its main part. */
  readonly main: string;
  /** The markup of its foot. */
  readonly foot: string;
  /** Data for its script, by element id. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A page in one file that loads nothing, in light or dark: the same head and security policy for
 * every page of a backtest.
 */
export function pageShell({ title, style, script, main, foot, data }: PageParts): string {
  const held = Object.entries(data).map(
    ([id, value]) => `<script type="application/json" id="${id}">${scriptJson(value)}</script>\n`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>
${style}</style>
</head>
<body>
<main>
${main}
</main>
<footer><p>${foot}</p></footer>
${held.join("")}<script>${script}</script>
</body>
</html>
`;
}
