/** A name in a strategy's source that makes a backtest differ from the live run, or lets it read what its history has not told yet. */
export interface StrategyWarning {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** `Date`, `Math.random`, `setTimeout`, `setInterval`, `performance`, or one that reads data: `readFile`, `fetch` ... */
  readonly name: string;
  /** What to use in its place. */
  readonly advice: string;
}

const OWN_DATA =
  "a check for look-ahead cuts the history alone: see that this holds nothing of the time that is replayed";

const ADVICE: Readonly<Record<string, string>> = {
  Date: "use view.timeMs",
  performance: "use view.timeMs",
  "Math.random": "use context.random",
  setTimeout: "use an RxJS operator with context.scheduler",
  setInterval: "use an RxJS operator with context.scheduler",
  readFile: OWN_DATA,
  readFileSync: OWN_DATA,
  createReadStream: OWN_DATA,
  fetch: OWN_DATA,
};

const NAMES =
  /(?<![\w$.])(?:(?:globalThis|global|window)\s*\.\s*)?(Date|setTimeout|setInterval|performance|fetch|Math\s*\.\s*random)(?![\w$])|(?<![\w$])(readFile|readFileSync|createReadStream)(?=\s*\()/g;

/**
 * Finds the uses of real time, timers, randomness and data of its own in a strategy's source (design, rule 3), comments and texts left out.
 * It reads names, not meanings: a property or a type of the same name is found too.
 */
export function strategyWarnings(source: string, file: string): StrategyWarning[] {
  const warnings: StrategyWarning[] = [];
  codeOf(source)
    .split("\n")
    .forEach((text, at) => {
      for (const match of text.matchAll(NAMES)) {
        const name = (match[1] ?? match[2]).replace(/\s/g, "");
        warnings.push({ file, line: at + 1, name, advice: ADVICE[name] });
      }
    });
  return warnings;
}

/** The source with comments and texts blanked, every line still where it was. What a template computes is code. */
function codeOf(source: string): string {
  let code = "";
  let at = 0;
  // For each template that is open: how many braces are open in the expression being read, or -1 in its text.
  const templates: number[] = [];
  while (at < source.length) {
    const inTemplateText = templates.at(-1) === -1;
    const end = inTemplateText ? endOfTemplateText(source, at) : endOfBlank(source, at);
    if (end > at) {
      code += blanked(source.slice(at, end));
      at = end;
      continue;
    }
    const char = source[at];
    const last = templates.length - 1;
    if (inTemplateText) {
      if (char === "`") templates.pop();
      else templates[last] = 0;
      at += char === "`" ? 1 : 2;
      code += char === "`" ? " " : "  ";
      continue;
    }
    if (char === "`") templates.push(-1);
    else if (last >= 0 && char === "{") templates[last]++;
    else if (last >= 0 && char === "}") templates[last]--;
    code += char === "`" ? " " : char;
    at++;
  }
  return code;
}

/** Where the comment or quoted text that begins at `at` ends; `at` when none begins there. */
function endOfBlank(source: string, at: number): number {
  const two = source.slice(at, at + 2);
  if (two === "//") return ending(source.indexOf("\n", at), source, 0);
  if (two === "/*") return ending(source.indexOf("*/", at + 2), source, 2);
  const quote = source[at];
  if (quote !== '"' && quote !== "'") return at;
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === quote) return i + 1;
    // A quote that does not end on its line is no text: an apostrophe in a regular expression.
    else if (source[i] === "\n") return at + 1;
  }
  return at + 1;
}

/** The next backtick or `${` of a template's text; `at` when it stands there. */
function endOfTemplateText(source: string, at: number): number {
  for (let i = at; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`" || source.startsWith("${", i)) return i;
  }
  return source.length;
}

function ending(found: number, source: string, width: number): number {
  return found === -1 ? source.length : found + width;
}

function blanked(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
