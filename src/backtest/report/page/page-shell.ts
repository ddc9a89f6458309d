import { escapeHtml, scriptJson } from "./html-text.js";

/** What a page is made of. */
export interface PageParts {
  /** Plain text. */
  readonly title: string;
  /** Whole style and script: the page asks for nothing else. */
  readonly style: string;
  readonly script: string;
  /** The markup of its main part. */
  readonly main: string;
  /** The markup of what stands at its foot. */
  readonly foot: string;
  /** What its script draws, by the id under which it looks for it. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** One file that asks for nothing else, in light or dark: the same head and policy for every page that a backtest leaves. */
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
