import type { Runtime } from "../../core/runtime/runtime.js";
import { isHedgeFile } from "../hedge/market-hedges.js";
import {
  combineRecorders,
  JOURNAL_VERSION,
  type JournalHeader,
  type JournalSink,
  JournalWriter,
  type TurnRecorder,
} from "../journal/journal.js";
import { isHaltFile } from "../state/manual-halt-store.js";
import type { StateStore } from "../state/state-dir.js";
import { maskProviderKeys } from "./chain-access.js";
import type { SessionListener } from "./session-listener.js";

const STATE_FILES = [
  "budget.json",
  "built-orders.json",
  "contracts.json",
  "heartbeat.json",
  "peak-equity.json",
  "takeovers.json",
];

/** The texts of the state files that decide the actions of a run: a journal begins with them. */
export function readDecidingState(
  store: Pick<StateStore, "read" | "names">,
): Readonly<Record<string, string>> {
  const names = [
    ...STATE_FILES,
    ...store.names().filter((name) => isHaltFile(name) || isHedgeFile(name)),
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = store.read(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Facts of a session in its journal's first line. */
export type SessionFacts = Required<
  Pick<JournalHeader, "account" | "config" | "rules" | "dryRun" | "isPaper" | "strategies">
> &
  Pick<JournalHeader, "hedgeVenues">;

/** The first line of a session's journal, with the present time and state. */
export function sessionHeader(
  facts: SessionFacts,
  { clock }: Pick<Runtime, "clock">,
  store: Pick<StateStore, "read" | "names">,
): SessionFacts & JournalHeader {
  return {
    journal: JOURNAL_VERSION,
    ...facts,
    config: maskProviderKeys(facts.config),
    stamp: { atMs: clock.nowMs(), monotonicMs: clock.monotonicMs() },
    state: readDecidingState(store),
  };
}

/** Recorder of every turn: the journal and the recording, if they are kept. */
export function createTurnRecorder(
  header: JournalHeader,
  {
    journal,
    tap,
  }: { readonly journal: JournalSink | undefined; readonly tap: SessionListener | undefined },
): TurnRecorder | undefined {
  return combineRecorders([
    ...(journal === undefined ? [] : [new JournalWriter(journal, header)]),
    ...(tap === undefined ? [] : [tap.createTurnRecorder(header)]),
  ]);
}
