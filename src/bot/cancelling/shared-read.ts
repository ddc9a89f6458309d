/**
 * A value that several callers need and that is read from the exchange once. Callers share a read
 * in flight, and its answer is kept.
 */
export class SharedRead<Answer> {
  readonly #request: () => Promise<Answer | undefined>;
  #latest: Promise<Answer> | undefined;
  #underWay: Promise<Answer | undefined> | undefined;

  /**
   * @param ask reads the value; undefined if it was stopped before the query was sent. That is not
   * an answer and is not kept.
   */
  constructor(ask: () => Promise<Answer | undefined>) {
    this.#request = ask;
  }

  /**
   * The newest answer; reads it if there is none. Undefined if that read was stopped. @throws what
   * the read throws; the next call reads again.
   */
  latest(): Promise<Answer | undefined> {
    return this.#latest ?? this.again();
  }

  /**
   * Reads again, or joins a read in flight. The earlier answer is kept if this one fails or is
   * stopped. @throws what the read throws.
   */
  again(): Promise<Answer | undefined> {
    this.#underWay ??= this.#read();
    return this.#underWay;
  }

  async #read(): Promise<Answer | undefined> {
    try {
      const answer = await this.#request();
      if (answer !== undefined) this.#latest = Promise.resolve(answer);
      return answer;
    } finally {
      this.#underWay = undefined;
    }
  }
}
