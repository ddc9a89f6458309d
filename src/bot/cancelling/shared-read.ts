/** Something that several ask for and one asks the exchange for: a read that is under way is everybody's, and its answer is kept. */
export class SharedRead<Answer> {
  readonly #ask: () => Promise<Answer>;
  #latest: Promise<Answer> | undefined;
  #underWay: Promise<Answer> | undefined;

  constructor(ask: () => Promise<Answer>) {
    this.#ask = ask;
  }

  /** The newest answer; asked for where there is none. @throws what the read throws; the next one asks again. */
  latest(): Promise<Answer> {
    return this.#latest ?? this.again();
  }

  /** An answer that is asked for now, or is under way. An earlier one is kept where this one fails. @throws what the read throws. */
  again(): Promise<Answer> {
    this.#underWay ??= this.#read();
    return this.#underWay;
  }

  async #read(): Promise<Answer> {
    try {
      const answer = await this.#ask();
      this.#latest = Promise.resolve(answer);
      return answer;
    } finally {
      this.#underWay = undefined;
    }
  }
}
