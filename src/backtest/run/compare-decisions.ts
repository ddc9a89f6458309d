/** An intent or an action, as text, with its time. */
export interface Decision {
  /** Microseconds since 1970. */
  readonly atUs: number;
  readonly text: string;
}

/** The first decision that differs between two runs. */
export interface ChangedDecision {
  /** Microseconds since 1970. */
  readonly atUs: number;
  readonly whole: string;
  /** `nothing` if the other run has no such decision. */
  readonly cut: string;
}

/** An intent or action as JSON, to be compared to the byte. */
export function decisionText(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) =>
    typeof held === "bigint" ? held.toString() : held,
  );
}

/**
 * Finds the first decision of a run up to an instant that another run did not make.
 * @param untilUs inclusive, microseconds since 1970
 */
export function findChangedDecision(
  whole: readonly Decision[],
  cut: readonly Decision[],
  untilUs: number,
): ChangedDecision | undefined {
  for (let at = 0; at < whole.length && whole[at].atUs <= untilUs; at++) {
    const before = whole[at];
    const after = cut[at];
    if (after?.atUs === before.atUs && after.text === before.text) continue;
    return {
      atUs: before.atUs,
      whole: before.text,
      cut: after === undefined ? "nothing" : after.text,
    };
  }
  return undefined;
}
