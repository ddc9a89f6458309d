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
  const isOf = (one: ConfigKind): boolean => KINDS[one].isTold((key) => isWritten([key]));
  if (isOf(kind)) return;
  const found = (Object.keys(KINDS) as ConfigKind[]).find(isOf);
  if (found === undefined) return;
  throw new ConfigError(`${path} is ${whose(found)} file`, {
    expected: `${whose(kind)}, such as ${KINDS[kind].example}`,
  });
}

function whose(kind: ConfigKind): string {
  return `${kind === "exchange" ? "an" : "a"} ${kind}'s`;
}
