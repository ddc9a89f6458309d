import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import { DAY_MS, type Ms } from "../../core/units.js";
import { instantText, parseInstant } from "../../history/day.js";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const MINUTE_MS = 60_000;
const LONGEST_MS = 7 * DAY_MS;

const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .meta({ expected: 'a time of day in UTC, such as "08:00"' });

/** A UTC time as a report has it; parsed to milliseconds since the epoch. */
const instant = z.string().transform((text, context): Ms => {
  try {
    return parseInstant(text, "at");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    context.addIssue({
      code: "custom",
      input: text,
      message: "is not a time",
      params: { expected: "a UTC time such as 2026-12-10T19:00:00Z" },
    });
    return z.NEVER;
  }
});

const activeHours = z
  .strictObject({
    days: z
      .array(z.enum(DAYS))
      .min(1)
      .describe("Days on which the hours begin. Default: every day.")
      .default([...DAYS]),
    from: clockTime.describe('First minute, in UTC: "08:00".'),
    to: clockTime.describe(
      'Minute at which the hours end, in UTC; on the next day if not after "from".',
    ),
  })
  .superRefine(({ from, to }, context) => {
    if (from !== to) return;
    context.addIssue({
      code: "custom",
      path: ["to"],
      input: to,
      message: "is the same as from",
      params: { expected: "another time; without activeHours every hour is active" },
    });
  });

const blackout = z
  .strictObject({
    at: instant.describe("The time of the event, in UTC: 2026-12-10T19:00:00Z."),
    beforeMs: z.int().min(0).max(LONGEST_MS).describe("Begins so long before it.").default(0),
    afterMs: z.int().min(0).max(LONGEST_MS).describe("Ends so long after it.").default(0),
  })
  .superRefine(({ beforeMs, afterMs }, context) => {
    if (beforeMs + afterMs > 0) return;
    context.addIssue({
      code: "custom",
      path: ["afterMs"],
      input: afterMs,
      message: "makes a blackout of no length",
      params: { expected: "beforeMs or afterMs above 0" },
    });
  });

/** Times at which a strategy quotes. All are times of the exchange, in UTC. */
export const scheduleField = z
  .strictObject({
    activeHours: z
      .array(activeHours)
      .min(1)
      .max(50)
      .describe("Hours in which quotes rest. Default: always.")
      .optional(),
    blackouts: z
      .array(blackout)
      .min(1)
      .max(500)
      .describe("Times around events at which no quotes rest.")
      .optional(),
    outside: z
      .enum(["cancel", "reduce"])
      .describe("Outside of these times: no quotes, or only those that reduce the position.")
      .default("cancel"),
    beforeFunding: z
      .strictObject({
        withinMs: z.int().min(1).max(DAY_MS).describe("So long before each funding."),
        widenFactor: z
          .number()
          .gt(1)
          .max(20)
          .describe("Quotes are so many times as far from their centre."),
      })
      .describe("Wider quotes before each funding.")
      .optional(),
  })
  .describe("Times at which quotes rest, in UTC.");

/** A trading schedule, validated. */
export type TradingSchedule = z.output<typeof scheduleField>;

/** State of a schedule at a time. */
export interface ScheduleState {
  /** Why quotes are restricted; undefined while they are not. */
  readonly closedBecause: string | undefined;
  /** 1 outside of the time before a funding. */
  readonly widenFactor: number;
}

/** A schedule whose times are parsed. */
export class ScheduleClock {
  readonly #schedule: TradingSchedule;
  readonly #hours: readonly {
    readonly days: ReadonlySet<number>;
    readonly fromMs: Ms;
    readonly lengthMs: Ms;
  }[];
  readonly #blackouts: readonly { readonly at: string; readonly fromMs: Ms; readonly toMs: Ms }[];

  constructor(schedule: TradingSchedule) {
    this.#schedule = schedule;
    this.#hours = (schedule.activeHours ?? []).map(({ days, from, to }) => {
      const [fromMs, toMs] = [dayTimeMs(from), dayTimeMs(to)];
      return {
        days: new Set(days.map((day) => DAYS.indexOf(day))),
        fromMs,
        lengthMs: toMs > fromMs ? toMs - fromMs : toMs + DAY_MS - fromMs,
      };
    });
    this.#blackouts = (schedule.blackouts ?? []).map(({ at, beforeMs, afterMs }) => ({
      at: instantText(at),
      fromMs: at - beforeMs,
      toMs: at + afterMs,
    }));
  }

  /**
   * The state at a time of the exchange.
   * @param nextFundingMs 0 before it is known
   */
  at(timeMs: Ms, nextFundingMs: Ms): ScheduleState {
    const { beforeFunding } = this.#schedule;
    const untilFundingMs = nextFundingMs - timeMs;
    const isNearFunding =
      beforeFunding !== undefined && untilFundingMs > 0 && untilFundingMs <= beforeFunding.withinMs;
    return {
      closedBecause: this.#closedBecause(timeMs),
      widenFactor: isNearFunding ? beforeFunding.widenFactor : 1,
    };
  }

  #closedBecause(timeMs: Ms): string | undefined {
    for (const { at, fromMs, toMs } of this.#blackouts)
      if (timeMs >= fromMs && timeMs < toMs) return `blackout around ${at}`;
    if (this.#hours.length === 0 || this.#hours.some((hours) => isWithin(hours, timeMs)))
      return undefined;
    return "outside of the active hours";
  }
}

/** True in hours that began on that day or on the day before. */
function isWithin(
  {
    days,
    fromMs,
    lengthMs,
  }: { readonly days: ReadonlySet<number>; readonly fromMs: Ms; readonly lengthMs: Ms },
  timeMs: Ms,
): boolean {
  const today = Math.floor(timeMs / DAY_MS);
  for (const day of [today, today - 1]) {
    const sinceMs = timeMs - day * DAY_MS - fromMs;
    // The first day of the epoch was a Thursday.
    if (sinceMs >= 0 && sinceMs < lengthMs && days.has((((day + 4) % 7) + 7) % 7)) return true;
  }
  return false;
}

function dayTimeMs(text: string): Ms {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE_MS;
}
