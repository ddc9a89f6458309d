import type { StoredTakeover, Takeover } from "../../account/positions/takeover.js";
import { FormatError } from "../../core/errors.js";
import { requireGridUnit } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";
import {
  convertToCurrentGrids,
  type MarketGrid,
  type StoredTakeovers,
} from "./convert-takeovers.js";
import type { LaidOffPart, TakeoverRecord } from "./takeover-registry.js";
import type { ReservedTakeover } from "./takeover-reservations.js";
import type { UnwindDecision } from "./unwind-decision.js";

/**
 * The file of takeovers and their progress in the state directory: written before anything is done
 * about them.
 */
export const TAKEOVERS_FILE = "takeovers.json";

/**
 * The stored takeovers in the units of `now`, the bot's markets: an exchange may have changed a
 * tick or a step since they were written. Undefined if there were never any. @throws FormatError or
 * CorruptStateError if the file is corrupt: an acquired position must not be forgotten.
 */
export function readStoredTakeovers(
  store: StateStore,
  now: ReadonlyMap<MarketId, MarketGrid>,
): StoredTakeovers | undefined {
  const memory = readJsonState(store, TAKEOVERS_FILE, (value) => memoryOf(untagged(value)));
  return memory === undefined ? undefined : convertToCurrentGrids(memory, now);
}

export function writeStoredTakeovers(store: StateStore, memory: StoredTakeovers): void {
  store.write(
    TAKEOVERS_FILE,
    JSON.stringify(memory, (_key, held: unknown) =>
      typeof held === "bigint" ? { $n: held.toString() } : held,
    ),
  );
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (!isObject(value)) return value;
  if (typeof value.$n === "string" && /^-?\d+$/.test(value.$n)) return BigInt(value.$n);
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, untagged(held)]));
}

function memoryOf(value: unknown): StoredTakeovers {
  if (isObject(value) && isListOf(value.known, isKnown) && isListOf(value.said, isSaid)) {
    const { known, said, reserved } = value;
    // A file without grids is from an older version: the present grids apply.
    const memory = { known, said, grids: gridsOf(value.grids ?? {}) };
    if (reserved === undefined) return memory;
    if (isListOf(reserved, isReserved)) return { ...memory, reserved };
  }
  throw new FormatError("not stored takeovers", {
    field: TAKEOVERS_FILE,
    expected: "known, said and reserved takeovers, as a bot writes them",
  });
}

function gridsOf(value: unknown): Readonly<Record<MarketId, MarketGrid>> {
  if (!isObject(value))
    throw new FormatError("not the grids of takeovers", {
      field: `${TAKEOVERS_FILE} grids`,
      value,
      expected: "markets",
    });
  return Object.fromEntries(
    Object.entries(value).map(([marketId, grid]) => [marketId, gridOf(grid)]),
  );
}

function gridOf(value: unknown): MarketGrid {
  const { tickSize, stepSize } = isObject(value) ? value : {};
  if (typeof tickSize !== "string" || typeof stepSize !== "string") {
    throw new FormatError("not the grid of a market", {
      field: `${TAKEOVERS_FILE} grids`,
      value,
      expected: "tickSize and stepSize",
    });
  }
  requireGridUnit(tickSize, "tickSize");
  requireGridUnit(stepSize, "stepSize");
  return { tickSize, stepSize };
}

const STATES: ReadonlySet<unknown> = new Set([
  "open",
  "done",
  "laid-off",
  "dust",
  "expired",
  "undone",
]);
const WAYS: ReadonlySet<unknown> = new Set(["here", "hedge", "both"]);

function isKnown(held: unknown): held is TakeoverRecord {
  if (
    !isObject(held) ||
    !isTakeover(held.takeover) ||
    !isObject(held.terms) ||
    !isObject(held.terms.part)
  )
    return false;
  const { part, worstTicks, deadlineMs } = held.terms;
  return (
    STATES.has(held.state) &&
    typeof held.isUndone === "boolean" &&
    typeof held.nettedCredit === "bigint" &&
    areNumbers(
      held.saidAtMs,
      held.nettedLots,
      worstTicks,
      deadlineMs,
      part.takingFromMs,
      part.stepMs,
    ) &&
    isListOf(part.holdLots, (lots): lots is number => areNumbers(lots)) &&
    isListOf(held.shares, isShare) &&
    (held.decision === undefined || isDecision(held.decision)) &&
    (held.laidOff === undefined || isLaidOff(held.laidOff))
  );
}

function isDecision(held: unknown): held is UnwindDecision {
  return (
    isObject(held) &&
    WAYS.has(held.way) &&
    typeof held.venue === "string" &&
    typeof held.why === "string" &&
    [held.hereCost, held.layOffCost].every((cost) => cost === undefined || typeof cost === "bigint")
  );
}

function isLaidOff(held: unknown): held is LaidOffPart {
  return isObject(held) && areNumbers(held.lots) && typeof held.credit === "bigint";
}

function isShare(held: unknown): held is TakeoverRecord["shares"][number] {
  return (
    isObject(held) &&
    typeof held.tradeId === "string" &&
    areNumbers(held.lots) &&
    (held.restPaper === undefined || typeof held.restPaper === "bigint") &&
    typeof held.proceeds === "bigint" &&
    typeof held.fee === "bigint"
  );
}

function isTakeover(held: unknown): held is Takeover {
  return (
    isObject(held) &&
    typeof held.id === "string" &&
    typeof held.marketId === "string" &&
    areNumbers(held.lots, held.atMs) &&
    typeof held.credit === "bigint"
  );
}

function isSaid(held: unknown): held is StoredTakeover {
  return isTakeover(held) && "isTold" in held && typeof held.isTold === "boolean";
}

function isReserved(held: unknown): held is ReservedTakeover {
  return (
    isObject(held) &&
    typeof held.jobId === "string" &&
    typeof held.marketId === "string" &&
    typeof held.paper === "bigint" &&
    (held.isHeld === undefined || typeof held.isHeld === "boolean") &&
    areNumbers(held.sinceMs)
  );
}

function areNumbers(...held: readonly unknown[]): boolean {
  return held.every((one) => typeof one === "number" && Number.isFinite(one));
}

function isListOf<T>(held: unknown, isOne: (one: unknown) => one is T): held is T[] {
  return Array.isArray(held) && held.every(isOne);
}

function isObject(held: unknown): held is Readonly<Record<string, unknown>> {
  return typeof held === "object" && held !== null;
}
