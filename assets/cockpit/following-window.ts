import { TimeWindow } from "../chart/time-window.js";
import { HISTORY_MS } from "./sampled-history.js";

const LEAST_SPAN_MS = 60_000;

/** The time in sight of a live page: it moves with the newest values until a reader zooms. */
export class FollowingWindow extends TimeWindow {
  #spanMs: number;
  #isFollowing = true;

  /** @param spanMs how much of the newest time is in sight. */
  constructor(nowMs: number, spanMs: number) {
    super(nowMs - LEAST_SPAN_MS, nowMs);
    this.#spanMs = spanMs;
  }

  override get isZoomed(): boolean {
    return !this.#isFollowing;
  }

  get spanMs(): number {
    return this.#spanMs;
  }

  /** Takes the instants of the oldest and the newest value. */
  follow(oldestMs: number, newestMs: number): void {
    this.fullToMs = newestMs;
    this.fullFromMs = Math.max(newestMs - HISTORY_MS, Math.min(oldestMs, newestMs - LEAST_SPAN_MS));
    if (this.#isFollowing) this.#showNewest();
    else super.show(this.fromMs, this.toMs);
  }

  /** Follows the newest values again, with so much of them in sight. */
  followSpan(spanMs: number): void {
    this.#spanMs = spanMs;
    this.showAll();
  }

  override show(fromMs: number, toMs: number): void {
    this.#isFollowing = false;
    super.show(fromMs, toMs);
  }

  override showAll(): void {
    this.#isFollowing = true;
    this.#showNewest();
  }

  #showNewest(): void {
    super.show(Math.max(this.fullFromMs, this.fullToMs - this.#spanMs), this.fullToMs);
  }
}
