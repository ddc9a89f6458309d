import type {
  DifferencesAnswer,
  JournalSummary,
  SearchAnswer,
  TimelineAnswer,
  TurnAnswer,
} from "../../src/viewer/viewer-answers.js";
import { sentenceIn } from "../cockpit/session.js";

/** Reads the journal from the server that this page comes from. Errors are sentences. */
export const viewerClient = {
  journal: () => read<JournalSummary>("/journal", {}),
  turn: (turn: number) => read<TurnAnswer>("/turn", { turn }),
  turnAt: (time: string) => read<{ readonly turn: number }>("/turn-at", { time }),
  timeline: (run: number, from: number, to: number, intervals: number) =>
    read<TimelineAnswer>("/timeline", { run, from, to, intervals }),
  search: (when: string, goal: "first" | "next" | "previous", from: number) =>
    read<SearchAnswer>("/search", { when, goal, from }),
  differences: (from: number) => read<DifferencesAnswer>("/differences", { from }),
  difference: (from: number, goal: "next" | "previous") =>
    read<{ readonly turn: number | null }>("/difference", { from, goal }),
};

async function read<T>(path: string, query: Readonly<Record<string, string | number>>): Promise<T> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, String(value)]),
  );
  let response: Response;
  try {
    response = await fetch(`${path}?${parameters}`);
  } catch {
    throw new Error("The journal's server does not answer. Does marketwright journal still run?");
  }
  const text = await response.text();
  if (!response.ok) throw new Error(sentenceIn(text, `The server answered ${response.status}.`));
  return JSON.parse(text);
}
