import { rmSync } from "node:fs";
import { join } from "node:path";
import { brokenLines, copyWithout, type LinedFile, type Lines, linesOfRows } from "./bad-lines.js";
import { type Duck, pathSql } from "./duck.js";
import { type BadRows, BadRowsError, HistoryError } from "./history-errors.js";
import { parquetSql, reading } from "./measure.js";
import type { PlainFile } from "./plain-file.js";

/** A file from which rows that cannot be read may be left out. */
export interface ReadableFile<P extends PlainFile> {
  readonly plain: P;
  /** Rows that are left out of it. */
  readonly leftOut: number;
}

/** Copies of files without the rows of them that cannot be read, as far as that is chosen. */
export class ReadableRows {
  readonly #duck: Duck;
  readonly #folder: string;
  readonly #most: number;
  readonly #copies = new Set<string>();

  /** @param folder takes the copies. @param most rows of a file that may be left out. */
  constructor(duck: Duck, folder: string, most: number) {
    this.#duck = duck;
    this.#folder = folder;
    this.#most = most;
  }

  /** A file without the lines that are no rows. @throws HistoryError for more of them than may be left out */
  async ofLines<P extends PlainFile>(plain: P, lined: LinedFile | undefined): Promise<ReadableFile<P>> {
    if (this.#most === 0 || lined === undefined) return { plain, leftOut: 0 };
    return this.#withoutLines({ plain, leftOut: 0 }, await brokenLines(this.#duck, plain, lined, this.#most));
  }

  /** Does what reads a file; where rows of it cannot be read, again without them. @throws HistoryError for more of them than may be left out */
  async read<P extends PlainFile, T>(
    file: ReadableFile<P>,
    lined: LinedFile | undefined,
    work: (file: ReadableFile<P>) => Promise<T>,
  ): Promise<T> {
    for (let read = file; ; ) {
      try {
        return await work(read);
      } catch (error) {
        if (this.#most === 0 || !(error instanceof BadRowsError)) throw error;
        const rest = await this.#without(read, lined, error.rows);
        if (rest.leftOut === read.leftOut) throw error;
        read = rest;
      }
    }
  }

  async #without<P extends PlainFile>(file: ReadableFile<P>, lined: LinedFile | undefined, bad: BadRows): Promise<ReadableFile<P>> {
    const { plain } = file;
    if ("line" in bad) return this.#withoutLines(file, new Set([bad.line]));
    const rows = "row" in bad ? new Set([bad.row]) : await this.#rowsOf(bad.sql);
    if (lined !== undefined) return this.#withoutLines(file, await linesOfRows(plain, lined, rows));
    return this.#copied(file, rows.size, async (target) => {
      const kept = `file_row_number + 1 NOT IN (${[...rows].join(", ")})`;
      const all = parquetSql(plain.path, "file_row_number = true");
      await reading(plain.file, () =>
        this.#duck.run(`COPY (SELECT * EXCLUDE (file_row_number) FROM ${all} WHERE ${kept}) TO ${pathSql(target)} (FORMAT parquet)`),
      );
    });
  }

  /** One more than may be left out are enough. */
  async #rowsOf(sql: string): Promise<ReadonlySet<number>> {
    const rows = await this.#duck.rows(`SELECT place FROM (${sql}) LIMIT ${this.#most + 1}`);
    return new Set(rows.map(({ place }) => Number(place)));
  }

  #withoutLines<P extends PlainFile>(file: ReadableFile<P>, lines: Lines): Promise<ReadableFile<P>> {
    return this.#copied(file, lines.size, (target) => copyWithout(file.plain.path, lines, target));
  }

  async #copied<P extends PlainFile>(
    { plain, leftOut }: ReadableFile<P>,
    rows: number,
    copy: (target: string) => Promise<void>,
  ): Promise<ReadableFile<P>> {
    if (rows === 0) return { plain, leftOut };
    const total = leftOut + rows;
    if (total > this.#most)
      throw new HistoryError(plain.file, `at least ${total} rows cannot be used, which is more than may be left out`, {
        value: this.#most,
        expected: `--drop-bad-rows ${total} or more, or a file without them`,
      });
    const target = join(this.#folder, `without-bad-rows-${this.#copies.size + 1}`);
    await copy(target);
    if (this.#copies.has(plain.path)) rmSync(plain.path);
    this.#copies.add(target);
    return { plain: { ...plain, path: target }, leftOut: total };
  }
}
