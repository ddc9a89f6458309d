/** Something that several ask for and one asks the exchange for: a read that is under way is everybody's, and its answer is kept. */
export class SharedRead<Answer> {
  readonly #request: () => Promise<Answer | undefined>;
  #latest: Promise<Answer> | undefined;
  #underWay: Promise<Answer | undefined> | undefined;

  /** @param ask undefined where it was given up before it was asked: that is no answer, and is not kept. */
  constructor(ask: () => Promise<Answer | undefined>) {
    this.#request = ask;
  }

  /** The newest answer; asked for where there is none, and undefined where that was given up. @throws what the read throws; the next one asks again. */
  latest(): Promise<Answer | undefined> {
    return this.#latest ?? this.again();
  }

  /** An answer that is asked for now, or is under way. An earlier one is kept where this one fails or is given up. @throws what the read throws. */
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
