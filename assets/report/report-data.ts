import type { Report } from "../../src/backtest/report/report-schema.js";

export type { Report };

/** What a series holds, bucket by bucket, ready to be drawn: what stood before still stands where nothing changed. */
export interface Values {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
  /** The exact text of `last`. */
  readonly texts: readonly (string | null)[];
}

/** A fill as `fills.csv` has it. */
export interface FillRow {
  readonly fields: readonly string[];
  readonly timeMs: number;
  readonly market: string;
  readonly side: string;
  readonly price: number;
}

interface SeriesTexts {
  readonly min: readonly (string | number | null)[];
  readonly max: readonly (string | number | null)[];
  readonly last: readonly (string | number | null)[];
}

/** The report that lies in the page. */
export function readReport(): Report {
  return JSON.parse(textOf("report-data")) as Report;
}

/** The fills that lie in the page, and the names of their columns. */
export function readFills(): {
  readonly columns: readonly string[];
  readonly rows: readonly FillRow[];
} {
  const { columns, rows } = JSON.parse(textOf("fills-data")) as {
    columns: string[];
    rows: string[][];
  };
  const at = (name: string): number => columns.indexOf(name);
  const [time, market, side, price] = [at("time"), at("market"), at("side"), at("price")];
  return {
    columns,
    rows: rows.map((fields) => ({
      fields,
      timeMs: instantMs(fields[time] ?? ""),
      market: fields[market] ?? "",
      side: fields[side] ?? "",
      price: Number(fields[price]),
    })),
  };
}

/** An instant of a report in milliseconds since 1970, with its microseconds as a fraction. */
export function instantMs(text: string): number {
  return Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1000;
}

/** Numbers of a series. @param noneAsGap whether 0 says that there was nothing. */
export function valuesOf({ min, max, last }: SeriesTexts, noneAsGap = false): Values {
  const number = (value: string | number): number =>
    noneAsGap && Number(value) === 0 ? Number.NaN : Number(value);
  const count = last.length;
  const values = {
    min: new Float64Array(count),
    max: new Float64Array(count),
    last: new Float64Array(count),
    texts: new Array<string | null>(count),
  };
  let before = Number.NaN;
  let text: string | null = null;
  for (let index = 0; index < count; index += 1) {
    const now = last[index] ?? null;
    if (now !== null) {
      before = number(now);
      text = String(now);
    }
    values.last[index] = before;
    values.min[index] = min[index] == null ? before : number(min[index] as string);
    values.max[index] = max[index] == null ? before : number(max[index] as string);
    values.texts[index] = noneAsGap && Number.isNaN(before) ? null : text;
  }
  return values;
}

/** A series of which only the last values are told. */
export function lastValuesOf(last: readonly (string | null)[]): Values {
  return valuesOf({ min: last, max: last, last });
}

/** Figures that are told for every bucket, or of which there was none. @param factor to be multiplied with */
export function figuresOf(figures: readonly (number | null)[], factor = 1): Values {
  const told = figures.map((figure) =>
    figure === null ? null : Number((figure * factor).toPrecision(12)),
  );
  const values = Float64Array.from(told, (figure) => figure ?? Number.NaN);
  return {
    min: values,
    max: values,
    last: values,
    texts: told.map((figure) => (figure === null ? null : String(figure))),
  };
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "null";
}
