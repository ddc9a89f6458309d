import type { Ms } from "../../core/units.js";
import type { ChatState } from "./chat-state.js";
import { findTotpStep } from "./totp.js";

/** Wrong codes after which no code is accepted for a while. */
const MOST_WRONG = 5;
const LOCK_MS: Ms = 900_000;

/** The verdict on a code. */
export type CodeVerdict = "right" | "wrong" | "locked" | "locks";

/**
 * Checks one-time passwords of all chats. Each is accepted once; five wrong ones lock it for
 * 15 minutes.
 */
export class OneTimePasswords {
  readonly #key: Buffer;
  readonly #state: ChatState;

  /** @param state changed in place; its owner saves it */
  constructor(key: Buffer, state: ChatState) {
    this.#key = key;
    this.#state = state;
  }

  /** `locks`: it is wrong, and the last that was allowed. */
  check(code: string, nowMs: Ms): CodeVerdict {
    const state = this.#state;
    if (nowMs < state.lockedUntilMs) return "locked";
    const step = findTotpStep(this.#key, code, { nowMs, afterStep: state.lastStep });
    if (step !== undefined) {
      state.lastStep = step;
      state.wrongAtMs = [];
      return "right";
    }
    state.wrongAtMs = [...state.wrongAtMs.filter((atMs) => nowMs - atMs < LOCK_MS), nowMs];
    if (state.wrongAtMs.length < MOST_WRONG) return "wrong";
    state.wrongAtMs = [];
    state.lockedUntilMs = nowMs + LOCK_MS;
    return "locks";
  }
}
