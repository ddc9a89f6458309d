import { describeThrown } from "../core/describe-thrown.js";
import type { Lots, MarketId } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type {
  Intent,
  Quote,
  QuoteReason,
  QuotesIntent,
  TargetIntent,
  UnwindSchedule,
} from "../strategies/intent.js";
import type { LimitName } from "./breach.js";
import { copyIntent, describeValue, MAX_QUOTE_LEVELS } from "./copy-intent.js";

/** The market state that an intent is checked against. */
export interface IntentContext {
  /** Market of the strategy. */
  readonly marketId: MarketId;
  /** Undefined if the exchange does not list the market. */
  readonly rules: Pick<MarketRules, "minTicks" | "maxTicks" | "minLots" | "maxLots"> | undefined;
  /** The newest view of this market that the strategy received. */
  readonly newestViewSequence: number;
  /** The view of the last accepted intent; -1 before the first. */
  readonly lastAcceptedViewSequence: number;
  readonly maxOrderLots?: Lots | undefined;
  readonly maxPositionLots?: Lots | undefined;
  /** Signed: pending and filled. */
  readonly positionLots: Lots;
  /** Formats lots as a decimal string of base, for messages. */
  readonly amountOf: (lots: Lots) => string;
}

/** The reasons for refusing an intent: the label of a metric. */
type ShapeRefusalName =
  | "malformed"
  | "wrong-market"
  | "unknown-market"
  | "older-view"
  | "unknown-view"
  | "bad-level"
  | "duplicate-level"
  | "bad-price"
  | "bad-size"
  | "crossed-quotes"
  | "bad-schedule";

/** A size reduced by a limit: of a quote, a slice or a target. */
export interface Clip {
  readonly limit: Extract<LimitName, "order-size" | "position">;
  readonly why: string;
}

/** An intent that is refused. */
export interface RefusedIntent {
  readonly accepted: false;
  readonly refusal: ShapeRefusalName;
  readonly why: string;
  /**
   * True if a field has a value that its type does not allow, such as NaN, half a lot or no list.
   * The strategy's own computation is then at fault, and its next intent cannot be trusted either.
   * False for values of the right type that cannot be used, such as a price out of bounds.
   */
  readonly isBroken: boolean;
}

/** An intent that may be executed, with the sizes that were cut, or the reason for refusing it. */
type ShapeVerdict<I extends Intent = Intent> =
  | { readonly accepted: true; readonly intent: I; readonly clips?: readonly Clip[] }
  | RefusedIntent;

/**
 * Copies an intent and checks its contents. The accepted intent is the bot's own copy, which the
 * strategy cannot change. Sizes above a limit are cut, and the clamp is recorded in the intent's
 * reason. Any other fault refuses the whole intent, because half of a set of quotes is not what the
 * strategy requested. An intent from a view older than the last accepted one is dropped
 * (`older-view`).
 */
export function checkIntent<I extends Intent>(given: I, context: IntentContext): ShapeVerdict<I>;
export function checkIntent(given: unknown, context: IntentContext): ShapeVerdict {
  let intent: Intent;
  try {
    intent = copyIntent(given);
  } catch (error) {
    // Reading may throw: a getter of the strategy runs here.
    return broken("malformed", `the intent cannot be read: ${describeThrown(error)}`);
  }
  return checkCopiedIntent(intent, context);
}

function checkCopiedIntent(intent: Intent, context: IntentContext): ShapeVerdict {
  if (intent.marketId !== context.marketId)
    return refuse(
      "wrong-market",
      `marketId is ${describeValue(intent.marketId)}: expected ${context.marketId}`,
    );
  if (context.rules === undefined)
    return refuse("unknown-market", `the exchange has no market ${context.marketId}`);
  if (!Number.isSafeInteger(intent.viewSequence))
    return broken(
      "unknown-view",
      `viewSequence is ${describeValue(intent.viewSequence)}: expected the sequence of a view`,
    );
  if (intent.viewSequence > context.newestViewSequence) {
    return refuse(
      "unknown-view",
      `answers view ${intent.viewSequence}, the newest is ${context.newestViewSequence}`,
    );
  }
  if (intent.viewSequence < context.lastAcceptedViewSequence) {
    return refuse(
      "older-view",
      `answers view ${intent.viewSequence}, ${context.lastAcceptedViewSequence} is already answered`,
    );
  }
  return intent.kind === "quotes"
    ? checkQuotes(intent, context, context.rules)
    : checkTarget(intent, context, context.rules);
}

type Rules = NonNullable<IntentContext["rules"]>;

function checkQuotes(intent: QuotesIntent, context: IntentContext, rules: Rules): ShapeVerdict {
  const quotes: Quote[] = [];
  const clips: Clip[] = [];
  const slots = new Set<number>();
  let highestBid = Number.NEGATIVE_INFINITY;
  let lowestAsk = Number.POSITIVE_INFINITY;
  for (const quote of intent.quotes) {
    if (quote.side !== "BUY" && quote.side !== "SELL")
      return broken("malformed", `quote ${nameOf(quote)}: side is neither BUY nor SELL`);
    if (!Number.isSafeInteger(quote.level) || quote.level < 0 || quote.level >= MAX_QUOTE_LEVELS) {
      return refuseNumber(
        quote.level,
        "bad-level",
        `quote ${nameOf(quote)}: a level is a whole number from 0 to ${MAX_QUOTE_LEVELS - 1}`,
      );
    }
    const slot = 2 * quote.level + (quote.side === "BUY" ? 0 : 1);
    if (slots.has(slot)) return refuse("duplicate-level", `quote ${nameOf(quote)} appears twice`);
    slots.add(slot);
    if (
      !Number.isSafeInteger(quote.ticks) ||
      quote.ticks < rules.minTicks ||
      quote.ticks > rules.maxTicks ||
      quote.ticks <= 0
    ) {
      return refuseNumber(
        quote.ticks,
        "bad-price",
        `quote ${nameOf(quote)}: ticks is ${describeValue(quote.ticks)}: ${expectedTicks(rules)}`,
      );
    }
    if (!Number.isSafeInteger(quote.lots) || quote.lots <= 0) {
      return refuseNumber(
        quote.lots,
        "bad-size",
        `quote ${nameOf(quote)}: lots is ${describeValue(quote.lots)}: expected a whole number of lots above 0`,
      );
    }
    if (quote.side === "BUY") highestBid = Math.max(highestBid, quote.ticks);
    else lowestAsk = Math.min(lowestAsk, quote.ticks);
    const lots = clipToOrder(quote.lots, context, rules);
    if (lots < quote.lots)
      clips.push(orderClip(`${quote.side} ${quote.level}`, quote.lots, lots, context));
    quotes.push(withLots(quote, lots));
  }
  if (highestBid >= lowestAsk)
    return refuse(
      "crossed-quotes",
      `the bid at ${highestBid} is not below the ask at ${lowestAsk}`,
    );
  const kept = clipToPosition(quotes, context, clips);
  if (clips.length === 0) return { accepted: true, intent };
  return accept(
    { ...intent, quotes: Object.freeze(kept), reason: withClips(intent.reason, clips) },
    clips,
  );
}

function expectedTicks({ minTicks, maxTicks }: Rules): string {
  return `expected a whole number of ticks from ${minTicks} to ${maxTicks}`;
}

function nameOf({ side, level }: Quote): string {
  return `${describeValue(side)} ${describeValue(level)}`;
}

function clipToOrder(lots: Lots, { maxOrderLots }: IntentContext, { maxLots }: Rules): Lots {
  return Math.min(lots, maxOrderLots ?? lots, maxLots);
}

/**
 * Cuts the quotes of each side to the position limit, innermost first. A quote without remaining
 * lots is dropped.
 */
function clipToPosition(
  quotes: readonly Quote[],
  context: IntentContext,
  clips: Clip[],
): readonly Quote[] {
  const { maxPositionLots, positionLots } = context;
  if (maxPositionLots === undefined) return quotes;
  const room = {
    BUY: Math.max(0, maxPositionLots - positionLots),
    SELL: Math.max(0, maxPositionLots + positionLots),
  };
  const requested = { BUY: 0, SELL: 0 };
  for (const { side, lots } of quotes) requested[side] += lots;
  if (requested.BUY <= room.BUY && requested.SELL <= room.SELL) return quotes;
  const kept: Quote[] = [];
  for (const quote of [...quotes].sort((a, b) => a.level - b.level)) {
    const lots = Math.min(quote.lots, room[quote.side]);
    room[quote.side] -= lots;
    if (lots < quote.lots)
      clips.push(positionClip(`${quote.side} ${quote.level}`, quote.lots, lots, context));
    if (lots > 0) kept.push(withLots(quote, lots));
  }
  return kept;
}

function checkTarget(intent: TargetIntent, context: IntentContext, rules: Rules): ShapeVerdict {
  const { targetLots, worstTicks, schedule, deadlineMs } = intent;
  if (!Number.isSafeInteger(targetLots))
    return broken(
      "bad-size",
      `targetLots is ${describeValue(targetLots)}: expected a whole number of lots, signed`,
    );
  if (
    !Number.isSafeInteger(worstTicks) ||
    worstTicks < rules.minTicks ||
    worstTicks > rules.maxTicks ||
    worstTicks <= 0
  ) {
    return refuseNumber(
      worstTicks,
      "bad-price",
      `worstTicks is ${describeValue(worstTicks)}: ${expectedTicks(rules)}`,
    );
  }
  if (typeof schedule !== "object" || schedule === null)
    return broken("bad-schedule", `schedule is ${describeValue(schedule)}`);
  if (schedule.kind !== undefined && schedule.kind !== "slices" && schedule.kind !== "unwind") {
    return broken(
      "bad-schedule",
      `schedule.kind is ${describeValue((schedule as { kind: unknown }).kind)}: expected slices or unwind`,
    );
  }
  const unwind = schedule.kind === "unwind" ? unwindFault(schedule) : undefined;
  if (unwind !== undefined) return broken("bad-schedule", unwind);
  if (!Number.isSafeInteger(schedule.sliceLots) || schedule.sliceLots <= 0) {
    return refuseNumber(
      schedule.sliceLots,
      "bad-schedule",
      `schedule.sliceLots is ${describeValue(schedule.sliceLots)}: expected a whole number of lots above 0`,
    );
  }
  if (!Number.isSafeInteger(schedule.everyMs) || schedule.everyMs < 0) {
    return refuseNumber(
      schedule.everyMs,
      "bad-schedule",
      `schedule.everyMs is ${describeValue(schedule.everyMs)}: expected whole milliseconds, 0 or more`,
    );
  }
  if (!Number.isSafeInteger(deadlineMs))
    return broken(
      "bad-schedule",
      `deadlineMs is ${describeValue(deadlineMs)}: expected whole milliseconds since 1970`,
    );
  const clips: Clip[] = [];
  const sliceLots = clipToOrder(schedule.sliceLots, context, rules);
  if (sliceLots < schedule.sliceLots)
    clips.push(orderClip("slice", schedule.sliceLots, sliceLots, context));
  const target = clipTarget(targetLots, context);
  if (target !== targetLots) clips.push(positionClip("target", targetLots, target, context));
  if (clips.length === 0) return { accepted: true, intent };
  const clipped = Object.freeze({ ...schedule, sliceLots });
  return accept(
    { ...intent, targetLots: target, schedule: clipped, reason: withClips(intent.reason, clips) },
    clips,
  );
}

/** The fault in the fields of an unwind schedule; undefined if there is none. */
function unwindFault(schedule: UnwindSchedule): string | undefined {
  const { parts, offerTicks, dustLots, keepLots = 0 } = schedule;
  if (offerTicks !== undefined && !(Number.isFinite(offerTicks) && offerTicks > 0)) {
    return `schedule.offerTicks is ${describeValue(offerTicks)}: expected ticks above 0`;
  }
  if (!Number.isSafeInteger(dustLots) || dustLots < 0)
    return `schedule.dustLots is ${describeValue(dustLots)}: expected whole lots, 0 or more`;
  if (!Number.isSafeInteger(keepLots) || keepLots < 0)
    return `schedule.keepLots is ${describeValue(keepLots)}: expected whole lots, 0 or more`;
  if (parts.length === 0) return "schedule.parts has no trajectory";
  for (const part of parts) {
    const { takingFromMs, stepMs, holdLots, leftLots, worstTicks } = part;
    if (!Number.isSafeInteger(takingFromMs))
      return `takingFromMs is ${describeValue(takingFromMs)}: expected milliseconds since 1970`;
    if (!(Number.isFinite(stepMs) && stepMs > 0))
      return `stepMs is ${describeValue(stepMs)}: expected milliseconds above 0`;
    const isTrajectory =
      holdLots.at(-1) === 0 &&
      holdLots.every(
        (lots, step) =>
          Number.isSafeInteger(lots) && lots >= 0 && (step === 0 || lots <= holdLots[step - 1]),
      );
    if (!isTrajectory) return "holdLots are not whole numbers of lots that fall to 0";
    if (!Number.isSafeInteger(leftLots) || leftLots < 0)
      return `leftLots is ${describeValue(leftLots)}: expected whole lots, 0 or more`;
    if (!Number.isSafeInteger(worstTicks) || worstTicks <= 0)
      return `worstTicks of a part is ${describeValue(worstTicks)}: expected whole ticks above 0`;
  }
  return undefined;
}

/** Cuts a target to the limit. A position already over the limit is never increased. */
function clipTarget(targetLots: Lots, { maxPositionLots, positionLots }: IntentContext): Lots {
  if (maxPositionLots === undefined || Math.abs(targetLots) <= maxPositionLots) return targetLots;
  const reduces =
    Math.sign(targetLots) === Math.sign(positionLots) &&
    Math.abs(targetLots) <= Math.abs(positionLots);
  return reduces ? targetLots : Math.sign(targetLots) * maxPositionLots;
}

function orderClip(what: string, requested: Lots, left: Lots, { amountOf }: IntentContext): Clip {
  return {
    limit: "order-size",
    why: `${what}: order size ${amountOf(requested)} -> ${amountOf(left)} base`,
  };
}

function positionClip(
  what: string,
  requested: Lots,
  left: Lots,
  { amountOf }: IntentContext,
): Clip {
  return {
    limit: "position",
    why: `${what}: max position ${amountOf(requested)} -> ${amountOf(left)} base`,
  };
}

function withClips(reason: QuoteReason, clips: readonly Clip[]): QuoteReason {
  return Object.freeze({
    ...reason,
    clamps: Object.freeze([...reason.clamps, ...clips.map(({ why }) => why)]),
  });
}

function withLots(quote: Quote, lots: Lots): Quote {
  return lots === quote.lots ? quote : Object.freeze({ ...quote, lots });
}

function accept(intent: Intent, clips: readonly Clip[]): ShapeVerdict {
  return { accepted: true, intent: Object.freeze(intent), clips };
}

function refuse(refusal: ShapeRefusalName, why: string): RefusedIntent {
  return { accepted: false, refusal, why, isBroken: false };
}

function broken(refusal: ShapeRefusalName, why: string): RefusedIntent {
  return { accepted: false, refusal, why, isBroken: true };
}

/** Refuses a number. The intent is broken if the value is not an integer. */
function refuseNumber(value: unknown, refusal: ShapeRefusalName, why: string): RefusedIntent {
  return { accepted: false, refusal, why, isBroken: !Number.isSafeInteger(value) };
}
