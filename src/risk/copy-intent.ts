import { FormatError } from "../core/errors.js";
import type {
  Intent,
  Quote,
  QuoteReason,
  QuotesIntent,
  SliceSchedule,
  TargetIntent,
  UnwindPart,
  UnwindSchedule,
} from "../strategies/intent.js";

/**
 * Quote levels are below this one. Orders that work target positions have this level, so that none
 * of them is mistaken for a quote.
 */
export const MAX_QUOTE_LEVELS = 1_000;
const MOST_QUOTES = 2 * MAX_QUOTE_LEVELS;
const MOST_PARTS = 1_000;
const MOST_STEPS = 100_000;
/** Maximum number of terms kept in a reason; the rest is dropped, since reasons are for display. */
const MOST_TERMS = 100;
const MOST_CLAMPS = 200;
const MOST_CHARACTERS = 200;

/**
 * Copies an intent that a strategy emitted into a frozen object with the known fields alone. Each
 * field is read once. Later changes to the strategy's object have no effect, and later reads see
 * plain data. Fields may still hold invalid numbers, which `checkIntent` checks.
 * @throws FormatError for an object where a plain value belongs, or a list that is not an array or
 * too long; also anything that a getter throws.
 */
export function copyIntent(given: unknown): Intent {
  const source = fieldsOf(given, "an intent");
  const kind: Intent["kind"] = plain(source.kind, "kind");
  const common: Pick<Intent, "marketId" | "viewSequence" | "reason"> = {
    marketId: plain(source.marketId, "marketId"),
    viewSequence: plain(source.viewSequence, "viewSequence"),
    reason: copyReason(source.reason),
  };
  if (kind === "quotes") {
    return Object.freeze<QuotesIntent>({
      kind,
      ...common,
      quotes: copyList(source.quotes, "quotes", MOST_QUOTES, copyQuote),
    });
  }
  if (kind !== "target")
    throw new FormatError("no intent", {
      field: "kind",
      value: kind,
      expected: "quotes or target",
    });
  return Object.freeze<TargetIntent>({
    kind,
    ...common,
    targetLots: plain(source.targetLots, "targetLots"),
    worstTicks: plain(source.worstTicks, "worstTicks"),
    schedule: copySchedule(source.schedule),
    deadlineMs: plain(source.deadlineMs, "deadlineMs"),
  });
}

function copyQuote(given: unknown): Quote {
  const { side, level, ticks, lots } = fieldsOf(given, "a quote");
  return Object.freeze<Quote>({
    side: plain(side, "side"),
    level: plain(level, "level"),
    ticks: plain(ticks, "ticks"),
    lots: plain(lots, "lots"),
  });
}

function copySchedule(given: unknown): TargetIntent["schedule"] {
  // A value that is not an object is reported as a wrong schedule.
  if (typeof given !== "object" || given === null) return plain(given, "schedule");
  const source = fieldsOf(given, "schedule");
  const kind: SliceSchedule["kind"] | UnwindSchedule["kind"] = plain(source.kind, "schedule.kind");
  const pace: Pick<SliceSchedule, "sliceLots" | "everyMs"> = {
    sliceLots: plain(source.sliceLots, "schedule.sliceLots"),
    everyMs: plain(source.everyMs, "schedule.everyMs"),
  };
  if (kind !== "unwind")
    return Object.freeze<SliceSchedule>(kind === undefined ? pace : { kind, ...pace });
  const keepLots: UnwindSchedule["keepLots"] = plain(source.keepLots, "schedule.keepLots");
  return Object.freeze<UnwindSchedule>({
    kind,
    ...pace,
    ...(keepLots === undefined ? {} : { keepLots }),
    parts: copyList(source.parts, "schedule.parts", MOST_PARTS, copyPart),
    offerTicks: plain(source.offerTicks, "schedule.offerTicks"),
    dustLots: plain(source.dustLots, "schedule.dustLots"),
  });
}

function copyPart(given: unknown): UnwindPart {
  const { takingFromMs, stepMs, holdLots, leftLots, worstTicks } = fieldsOf(
    given,
    "a part of the schedule",
  );
  return Object.freeze<UnwindPart>({
    takingFromMs: plain(takingFromMs, "takingFromMs"),
    stepMs: plain(stepMs, "stepMs"),
    holdLots: copyList(holdLots, "holdLots", MOST_STEPS, (lots) => plain<number>(lots, "holdLots")),
    leftLots: plain(leftLots, "leftLots"),
    worstTicks: plain(worstTicks, "worstTicks"),
  });
}

function copyReason(given: unknown): QuoteReason {
  const { fairTicks, reservationTicks, halfSpreadTicks, terms, clamps } = fieldsOf(given, "reason");
  return Object.freeze({
    fairTicks: toNumber(fairTicks, "reason.fairTicks"),
    reservationTicks: toNumber(reservationTicks, "reason.reservationTicks"),
    halfSpreadTicks: toNumber(halfSpreadTicks, "reason.halfSpreadTicks"),
    terms: copyTerms(terms),
    clamps: copyClamps(clamps),
  });
}

function copyTerms(given: unknown): QuoteReason["terms"] {
  if (given === undefined) return Object.freeze({});
  const source = fieldsOf(given, "reason.terms");
  // A loop, because Object.fromEntries takes several times as long. A number under the name
  // `__proto__` changes nothing, so that such a term is dropped.
  const terms: Record<string, number> = {};
  for (const name of Object.keys(source).slice(0, MOST_TERMS)) {
    const shown = cut(name);
    terms[shown] = toNumber(source[name], "reason.terms", shown);
  }
  return Object.freeze(terms);
}

function copyClamps(given: unknown): readonly string[] {
  if (!Array.isArray(given))
    throw new FormatError("an intent carries a reason with clamps", {
      field: "reason.clamps",
      expected: "texts",
    });
  const count = Math.min(Number(given.length), MOST_CLAMPS);
  const clamps: string[] = [];
  for (let at = 0; at < count; at++) {
    const clamp: unknown = given[at];
    if (typeof clamp !== "string") throw unfit("reason.clamps", clamp, "texts");
    clamps.push(cut(clamp));
  }
  return Object.freeze(clamps);
}

/**
 * Copies a list and reads its length once. A proxy may return another length each time, or billions
 * of empty places.
 */
function copyList<T>(
  given: unknown,
  field: string,
  most: number,
  copyOne: (one: unknown) => T,
): readonly T[] {
  if (!Array.isArray(given)) throw unfit(field, given, "a list");
  const { length } = given;
  if (!Number.isSafeInteger(length) || length < 0 || length > most) {
    throw new FormatError("too many entries", {
      field,
      value: plain(length, field),
      expected: `${most} at most`,
    });
  }
  const copy: T[] = [];
  for (let at = 0; at < length; at++) copy.push(copyOne(given[at]));
  return Object.freeze(copy);
}

function fieldsOf(given: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null) throw unfit(field, given, "an object");
  return given as Readonly<Record<string, unknown>>;
}

/**
 * Passes a plain value through and assumes its type until `checkIntent` checks it. Minus zero
 * becomes zero.
 */
function plain<T>(given: unknown, field: string): T {
  if ((typeof given === "object" && given !== null) || typeof given === "function")
    throw unfit(field, given, "a plain value");
  // A symbol throws when it is compared with a number.
  if (typeof given === "symbol") throw unfit(field, given, "a plain value");
  if (typeof given === "string") return cut(given) as T;
  return (given === 0 ? 0 : given) as T;
}

/** A missing value fails as not a number. NaN is allowed: a strategy may not know a value yet. */
function toNumber(given: unknown, field: string, name?: string): number {
  if (given === undefined) return Number.NaN;
  if (typeof given !== "number")
    throw unfit(name === undefined ? field : `${field}.${name}`, given, "a number");
  return given;
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text;
}

function unfit(field: string, given: unknown, expected: string): FormatError {
  return new FormatError(`is ${describeValue(given)}`, { field, expected });
}

/** A short description of a value that calls no code of the value. */
export function describeValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? "an array" : "an object";
  return String(value).slice(0, 60);
}
