/** True if a terminal with this environment may show colours (https://no-color.org). */
export function isColorWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  return env.TERM !== "dumb" && (env.NO_COLOR === undefined || env.NO_COLOR === "");
}
