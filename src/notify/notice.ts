import { z } from "zod";

/** How severe an event is, the least severe first. */
export const SEVERITIES = ["info", "warning", "critical"] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** The schema of a {@link Notice}. */
export const noticeSchema = z.object({
  /** Wall time of the machine that saw it. */
  atMs: z.number(),
  severity: z.enum(SEVERITIES),
  /** `halt`, `fill`, `summary`, ...: its kind, for receivers. */
  kind: z.string(),
  /** One phrase. */
  title: z.string(),
  /** Why, and figures. */
  text: z.string().optional(),
  marketId: z.string().optional(),
  /** The command that lifts it. */
  command: z.string().optional(),
  /** Notices with the same key are repetitions. Absent: it is never one. */
  key: z.string().optional(),
  /** One of several states of a key, such as `on` and `off`: each is sent once. */
  state: z.string().optional(),
  /** True if the next notice with this key is an event of its own. */
  endsKey: z.boolean().optional(),
});

/** One event that a person may want to know of: plain text, without markup. */
export type Notice = Readonly<z.output<typeof noticeSchema>>;

/** True if one severity is at least another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
}
