import { createHash, timingSafeEqual } from "node:crypto";
import type { Runtime } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** Most links that wait for their use; a further one replaces the oldest. */
const MOST_TOKENS = 16;
/** Most sessions; a further one replaces the one that was unused for the longest time. */
const MOST_SESSIONS = 64;
/** How long an unused link works. */
const TOKEN_LIFE_MS: Ms = 12 * 3_600_000;
/** 256 bits from 64-bit words. */
const WORDS = 4;

interface Token {
  readonly hash: Buffer;
  readonly untilMs: number;
}

/**
 * The links and sessions of a cockpit. A link's token works once, for a session. Only hashes are
 * kept, and each comparison takes the same time whatever is compared.
 */
export class AccessControl {
  readonly #runtime: Runtime;
  #tokens: readonly Token[] = [];
  /** The least recently used first. */
  #sessions: readonly Buffer[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Returns a token for one session. */
  createToken(): string {
    const token = this.#secret();
    const untilMs = this.#runtime.clock.monotonicMs() + TOKEN_LIFE_MS;
    this.#tokens = [...this.#tokens, { hash: hashOf(token), untilMs }].slice(-MOST_TOKENS);
    return token;
  }

  /** Begins a session for a token, which ends. @returns the cookie's value; undefined if refused */
  beginSession(token: string): string | undefined {
    const nowMs = this.#runtime.clock.monotonicMs();
    const hash = hashOf(token);
    const found = this.#tokens.filter((known) => timingSafeEqual(known.hash, hash));
    this.#tokens = this.#tokens.filter((known) => !found.includes(known) && nowMs < known.untilMs);
    if (!found.some(({ untilMs }) => nowMs < untilMs)) return undefined;
    const session = this.#secret();
    this.#sessions = [...this.#sessions, hashOf(session)].slice(-MOST_SESSIONS);
    return session;
  }

  /** True for the cookie of a session. */
  isSession(cookie: string): boolean {
    const hash = hashOf(cookie);
    const found = this.#sessions.filter((known) => timingSafeEqual(known, hash));
    if (found.length === 0) return false;
    const others = this.#sessions.filter((known) => !found.includes(known));
    this.#sessions = [...others, ...found];
    return true;
  }

  #secret(): string {
    const words = BigUint64Array.from({ length: WORDS }, () => this.#runtime.random.uint64());
    return Buffer.from(words.buffer).toString("base64url");
  }
}

/** Of equal length for every text, as the comparison needs. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
