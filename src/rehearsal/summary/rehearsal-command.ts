import { shellWord } from "../../core/files/shell-word.js";
import { MINUTE_MS } from "../../core/units.js";
import type { Rehearsal } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";

/** The options of a rehearsal that its single runs need too. */
export interface RehearsalOptions extends Pick<Rehearsal, "bot" | "marketMs" | "runsGuard"> {
  /** File of the exchange, if one was given. */
  readonly exchange: string | undefined;
}

/** Length of a run if no other one is given, in minutes. */
export const DEFAULT_REHEARSAL_MINUTES = 5;

/** The command that repeats one run of a rehearsal, and prints it in detail. */
export function rehearsalCommand(
  { bot, marketMs, runsGuard, exchange }: RehearsalOptions,
  { fault, seed }: { readonly fault: RehearsedFault; readonly seed: number },
): string {
  const minutes = marketMs / MINUTE_MS;
  return [
    "marketwright rehearse",
    shellWord(bot),
    ...(exchange === undefined ? [] : ["--exchange", shellWord(exchange)]),
    ...(minutes === DEFAULT_REHEARSAL_MINUTES ? [] : ["--minutes", String(minutes)]),
    ...(runsGuard ? [] : ["--no-guard"]),
    `--fault ${fault} --seeds 1 --first-seed ${seed}`,
  ].join(" ");
}
