import { botName } from "./format.js";

/**
 * The name of a bot by its file: the fewest last parts of the path that no other file ends in.
 * Several bots of one file have one name.
 */
export function distinctName(config: string, all: readonly string[]): string {
  const others = all.filter((other) => other !== config);
  const parts = partsOf(config).length;
  for (let count = 1; count < parts; count++) {
    const name = tail(config, count);
    if (others.every((other) => tail(other, count) !== name)) return name;
  }
  return tail(config, parts);
}

function tail(config: string, count: number): string {
  const parts = partsOf(config).slice(-count);
  return [...parts.slice(0, -1), botName(config)].join("/");
}

function partsOf(config: string): readonly string[] {
  return config.split(/[/\\]/).filter((part) => part !== "");
}
