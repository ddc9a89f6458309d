import { z } from "zod";
import { ConfigError } from "../core/errors.js";
import { parseInstant } from "../history/day.js";
import { SEARCHES } from "./condition-history.js";
import type { ViewedJournals } from "./viewed-journals.js";

/** Most intervals of a time line: more than a screen has pixels. */
const MOST_INTERVALS = 4_096;

const turn = z.coerce.number().int().min(1);
const run = z.coerce.number().int().min(0).max(1).default(0);

const turnQuery = z.object({ turn });
const timeQuery = z.object({ time: z.string() });
const timelineQuery = z.object({
  run,
  from: turn,
  to: turn,
  intervals: z.coerce.number().int().min(1).max(MOST_INTERVALS),
});
const searchQuery = z.object({ run, when: z.string(), goal: z.enum(SEARCHES), from: turn });
const differencesQuery = z.object({ from: turn });
const differenceQuery = z.object({ from: turn, goal: z.enum(["next", "previous"]) });

/**
 * Answers a request of the page.
 * @returns undefined for a path that does not exist
 * @throws ConfigError naming a parameter that is wrong, or what the journal does not have
 */
export async function answerViewerRequest(
  journals: ViewedJournals,
  path: string,
  parameters: URLSearchParams,
): Promise<object | undefined> {
  switch (path) {
    case "/journal":
      return journals.summary();
    case "/turn":
      return journals.turn(read(turnQuery, parameters).turn);
    case "/turn-at":
      return { turn: journals.turnAt(parseInstant(read(timeQuery, parameters).time, "time")) };
    case "/timeline": {
      const { run: index, from, to, intervals } = read(timelineQuery, parameters);
      return journals.timeline(index, from, to, intervals);
    }
    case "/search": {
      const { run: index, when, goal, from } = read(searchQuery, parameters);
      return journals.search(index, when, goal, from);
    }
    case "/differences":
      return journals.differences(read(differencesQuery, parameters).from);
    case "/difference": {
      const { from, goal } = read(differenceQuery, parameters);
      return { turn: journals.nearestDifference(from, goal)?.turn ?? null };
    }
    default:
      return undefined;
  }
}

function read<T>(schema: z.ZodType<T>, parameters: URLSearchParams): T {
  const { success, data, error } = schema.safeParse(Object.fromEntries(parameters));
  if (success) return data;
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? "query");
  throw new ConfigError(issue?.message ?? "is wrong", {
    field,
    value: parameters.get(field) ?? undefined,
    expected: "the parameters that docs/reference/journal-viewer.md lists",
  });
}
