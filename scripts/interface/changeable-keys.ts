import { CHANGEABLE_KEYS, type ChangeableKey } from "#bot/changeable-keys.js";
import { between, table } from "./markdown.js";

/** `docs/reference/change-a-running-bot.md` with its tables generated from the code. */
export function withChangeableKeys(page: string): string {
  const running = CHANGEABLE_KEYS.filter(({ whileRunning }) => whileRunning);
  const restart = CHANGEABLE_KEYS.filter(({ whileRunning }) => !whileRunning);
  return [
    ["changeable keys", table(["key", "a change acts"], running.map(row))],
    ["restart keys", table(["key", "because"], restart.map(row))],
  ].reduce((text, [name = "", part = ""]) => between(text, name, part), page);
}

function row({ path, note }: ChangeableKey): readonly string[] {
  const shown = path.map((key) => (key === "*" ? "MARKET" : key)).join(".");
  return [`\`${shown}\``, note];
}
