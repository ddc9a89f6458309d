import type { Ms } from "../../core/units.js";

/** A turn by its number, counted from 1, or the first one at or after an instant. */
export type TurnBound = { readonly turn: number } | { readonly atMs: Ms };

/** The turns that a search reads: from one to another, both included. */
export interface TurnRange {
  readonly from?: TurnBound | undefined;
  readonly to?: TurnBound | undefined;
}

/** True once a turn is at the beginning of the range, or past it. */
export function hasBegun({ from }: TurnRange, turn: number, atMs: Ms): boolean {
  if (from === undefined) return true;
  return "turn" in from ? turn >= from.turn : atMs >= from.atMs;
}

/** True if a turn is past the end of the range. */
export function hasEnded({ to }: TurnRange, turn: number, atMs: Ms): boolean {
  if (to === undefined) return false;
  return "turn" in to ? turn > to.turn : atMs > to.atMs;
}
