/** One published number beside ours. */
export interface Comparison {
  readonly what: string;
  /** As it is printed where it was published. */
  readonly theirs: string;
  readonly ours: number;
  /**
   * The largest difference that counts as agreement; left out: ours, rounded to theirs' digits, is
   * theirs.
   */
  readonly within?: number;
  /** The reason for `within`, in words. */
  readonly because?: string;
}

/** Numbers of one source. */
export interface PublishedNumbers {
  readonly title: string;
  /** Where they were published. */
  readonly source: string;
  /** The computation: which of our code, under which conventions. */
  readonly how: string;
  /** False where the recorded market that it needs is not on this machine. */
  readonly isAvailable: boolean;
  /**
   * True when the computation takes seconds. It then runs for the page and in `npm run verify`, and
   * the tests hold it in the file that `how` names.
   */
  readonly isLong?: boolean;
  compare(): Promise<readonly Comparison[]> | readonly Comparison[];
}

/**
 * Ours as it is shown: with theirs' digits where those must agree, with two more where a difference
 * is allowed.
 */
export function shown({ ours, theirs, within }: Comparison): string {
  const digits = digitsOf(theirs);
  return ours.toFixed(within === undefined ? digits : Math.min(12, digits + 2));
}

/**
 * True when our number equals the published one, to the digits printed or within the stated
 * difference.
 */
export function agrees({ ours, theirs, within }: Comparison): boolean {
  const published = Number(theirs);
  if (within !== undefined) return Math.abs(ours - published) <= within;
  return Number(ours.toFixed(digitsOf(theirs))) === published;
}

function digitsOf(printed: string): number {
  return printed.includes(".") ? printed.length - printed.indexOf(".") - 1 : 0;
}
