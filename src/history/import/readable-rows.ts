import { rmSync } from "node:fs";
import { join } from "node:path";
import { type BadRow, type BadRows, BadRowsError, HistoryError } from "../history-errors.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import { type LeftOutRow, mergeLeftOutRows } from "../staging/left-out-rows.js";
import { type Duck, pathSql } from "../store/duck.js";
import { brokenLines, copyWithout, type LinedFile, type Lines } from "./bad-lines.js";
import type { PlainFile } from "./plain-file.js";

/** A file from which unusable rows may be left out. */
export interface ReadableFile<P extends PlainFile> {
  readonly plain: P;
  readonly leftOut: readonly LeftOutRow[];
}

/**
 * Copies files without their unusable rows, up to the permitted number. The copy is analysed anew,
 * so that nothing is derived from such a row: units, order, messages and chain of a book, ids of
 * trades.
 */
export class ReadableRows {
  readonly #duck: Duck;
  readonly #folder: string;
  readonly #most: number;
  readonly #copies = new Set<string>();

  /** @param folder for the copies. @param most rows of a file that may be left out. */
  constructor(duck: Duck, folder: string, most: number) {
    this.#duck = duck;
    this.#folder = folder;
    this.#most = most;
  }

  /**
   * Returns a file without the lines that are not rows.
   * @throws HistoryError if there are more of them than may be left out
   */
  async withoutBadLines<P extends PlainFile>(
    plain: P,
    lined: LinedFile | undefined,
  ): Promise<ReadableFile<P>> {
    const whole = { plain, leftOut: [] };
    if (this.#most === 0 || lined === undefined) return whole;
    return this.#withoutLines(
      whole,
      lined,
      await brokenLines(this.#duck, plain, lined, this.#most),
    );
  }

  /**
   * Runs work that reads a file. If some rows are unusable, it runs again without them.
   * @throws HistoryError if there are more of them than may be left out
   */
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
        if (rest.leftOut.length === read.leftOut.length) throw error;
        read = rest;
      }
    }
  }

  async #without<P extends PlainFile>(
    file: ReadableFile<P>,
    lined: LinedFile | undefined,
    bad: BadRows,
  ): Promise<ReadableFile<P>> {
    const { plain } = file;
    if ("line" in bad)
      return lined === undefined ? file : this.#withoutLines(file, lined, new Set([bad.line]));
    const found = "rows" in bad ? bad.rows : await this.#rowsOf(bad.sql);
    const rows = new Map(found.map((each) => [each.row, each]));
    return this.#copied(file, rows.size, async (target) => {
      if (lined !== undefined) {
        const before = await copyWithout(plain.path, lined, { rows: new Set(rows.keys()) }, target);
        return before.flatMap((place) => rows.get(place + 1) ?? []);
      }
      const kept = `file_row_number + 1 NOT IN (${[...rows.keys()].join(", ")})`;
      const all = parquetSql(plain.path, "file_row_number = true");
      await withReadErrors(plain.file, () =>
        this.#duck.run(
          `COPY (SELECT * EXCLUDE (file_row_number) FROM ${all} WHERE ${kept}) TO ${pathSql(target)} (FORMAT parquet)`,
        ),
      );
      return [...rows.values()].sort((one, other) => one.row - other.row);
    });
  }

  /** One more than may be left out is enough to refuse the file. */
  async #rowsOf(sql: string): Promise<readonly BadRow[]> {
    const rows = await this.#duck.rows(`SELECT place FROM (${sql}) LIMIT ${this.#most + 1}`);
    return rows.map(({ place }) => ({ row: Number(place) }));
  }

  #withoutLines<P extends PlainFile>(
    file: ReadableFile<P>,
    lined: LinedFile,
    lines: Lines,
  ): Promise<ReadableFile<P>> {
    return this.#copied(file, lines.size, async (target) => {
      const before = await copyWithout(file.plain.path, lined, { lines }, target);
      return before.map((rows) => ({ row: rows + 1 }));
    });
  }

  /** @param copy returns the omitted rows, ascending */
  async #copied<P extends PlainFile>(
    { plain, leftOut }: ReadableFile<P>,
    rows: number,
    copy: (target: string) => Promise<readonly BadRow[]>,
  ): Promise<ReadableFile<P>> {
    if (rows === 0) return { plain, leftOut };
    const total = leftOut.length + rows;
    if (total > this.#most)
      throw new HistoryError(
        plain.file,
        `at least ${total} invalid rows, more than --drop-bad-rows allows`,
        {
          value: this.#most,
          expected: `--drop-bad-rows ${total} or more, or a file without invalid rows`,
        },
      );
    const target = join(this.#folder, `without-bad-rows-${this.#copies.size + 1}`);
    const left = await copy(target);
    if (this.#copies.has(plain.path)) rmSync(plain.path);
    this.#copies.add(target);
    return { plain: { ...plain, path: target }, leftOut: mergeLeftOutRows(leftOut, left) };
  }
}
