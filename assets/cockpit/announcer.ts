const LEAST_APART_MS = 4_000;
const MOST_WAITING = 4;

/**
 * Says changes to a screen reader, together and not oftener than every few seconds, so that a
 * lively market does not drown them.
 */
export class Announcer {
  readonly #region: HTMLElement;
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  say(text: string): void {
    if (this.#waiting.includes(text)) return;
    this.#waiting = [...this.#waiting, text].slice(-MOST_WAITING);
    const inMs = Math.max(0, this.#saidAtMs + LEAST_APART_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), inMs);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#saidAtMs = performance.now();
    this.#region.textContent = this.#waiting.join(" ");
    this.#waiting = [];
  }
}
