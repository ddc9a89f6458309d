import type { MarketView } from "../market/view.js";
import type { Intent } from "./intent.js";

/** A strategy that goes on with new parameters instead of being created again. */
export interface ParamsFollower<Params> {
  /** Applies the parameters. A view follows in the same turn, to be answered by them. */
  readonly apply: (params: Params) => void;
  /**
   * Returns the intent for a view by other parameters; undefined if the last intent would stay. It
   * must change nothing: an operator only wants to see it. Without this function a preview creates
   * the strategy again, beside the running one and without its estimates.
   */
  readonly preview?: (params: Params, view: MarketView) => Intent | undefined;
}

/** The changes of a strategy's parameters while it runs (`marketwright set`). */
export interface ParamsChanges<Params> {
  /**
   * Registers a follower. A strategy that has none is created again when its parameters change, and
   * loses its state.
   * @returns a function that removes it
   */
  readonly follow: (follower: ParamsFollower<Params>) => () => void;
}

/** The followers of one running strategy. */
export class ParamsChannel implements ParamsChanges<unknown> {
  readonly #followers = new Set<ParamsFollower<unknown>>();
  readonly follow = (follower: ParamsFollower<unknown>): (() => void) => {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  };

  /** True if the strategy goes on with new parameters. */
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Hands new parameters to the strategy. */
  apply(params: unknown): void {
    for (const follower of [...this.#followers]) follower.apply(params);
  }

  /** The preview of the strategy; undefined if it offers none. */
  get preview(): ParamsFollower<unknown>["preview"] {
    for (const { preview } of this.#followers) if (preview !== undefined) return preview;
    return undefined;
  }
}
