import { ConfigError } from "../errors.js";
import type { YamlSource } from "./config-yaml.js";

/** The kinds of YAML files that commands accept. */
export type ConfigKind = keyof typeof KINDS;

type Has = (key: string) => boolean;

/** By top-level keys that no other kind has, in the order of the checks. */
const KINDS = {
  sweep: {
    example: "config/sweep.yaml",
    isTold: (has: Has) => has("backtest") || has("parameters"),
  },
  backtest: { example: "config/backtest.yaml", isTold: (has: Has) => has("history") || has("bot") },
  bot: {
    example: "config/minimal.yaml",
    isTold: (has: Has) => has("exchange") || has("quotes") || has("risk"),
  },
  exchange: {
    example: "config/exchange.yaml",
    isTold: (has: Has) => has("markets") && !has("account"),
  },
} as const;

/**
 * Checks that a file is of the expected kind, if its keys show it. For a file of another kind, the
 * error names the kind instead of the first unknown key.
 * @throws ConfigError naming the actual kind
 */
export function requireKind(
  kind: ConfigKind,
  path: string,
  { isWritten }: Pick<YamlSource, "isWritten">,
): void {
  if (isOfKind(kind, { isWritten })) return;
  const found = findConfigKind({ isWritten });
  if (found === undefined) return;
  throw new ConfigError(`${path} is ${whose(found)} file`, {
    expected: `${whose(kind)}, such as ${KINDS[kind].example}`,
  });
}

/** Returns the kind of a file, if its keys show it. */
export function findConfigKind(source: Pick<YamlSource, "isWritten">): ConfigKind | undefined {
  return (Object.keys(KINDS) as ConfigKind[]).find((kind) => isOfKind(kind, source));
}

function isOfKind(kind: ConfigKind, { isWritten }: Pick<YamlSource, "isWritten">): boolean {
  return KINDS[kind].isTold((key) => isWritten([key]));
}

function whose(kind: ConfigKind): string {
  return `${kind === "exchange" ? "an" : "a"} ${kind}'s`;
}
