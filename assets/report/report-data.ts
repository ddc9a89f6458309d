import type { Report } from "../../src/backtest/report/report-schema.js";

export type { Report };

/**
 * A series bucket by bucket, ready to be drawn: the last value stays where nothing changed; null
 * where there is none.
 */
export interface Values {
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  readonly last: readonly (number | null)[];
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

/** Numbers of a series. @param noneAsGap true when 0 means that there was no value. */
export function toValues({ min, max, last }: SeriesTexts, noneAsGap = false): Values {
  const number = (value: string | number): number | null =>
    noneAsGap && Number(value) === 0 ? null : Number(value);
  let before: number | null = null;
  let text: string | null = null;
  const whole = last.map((now, index) => {
    if (now !== null) [before, text] = [number(now), String(now)];
    const [low, high] = [min[index] ?? null, max[index] ?? null];
    return {
      last: before,
      min: low === null ? before : number(low),
      max: high === null ? before : number(high),
      text: noneAsGap && before === null ? null : text,
    };
  });
  return {
    min: whole.map((at) => at.min),
    max: whole.map((at) => at.max),
    last: whole.map((at) => at.last),
    texts: whole.map((at) => at.text),
  };
}

/** A series of which only the last values are reported. */
export function toLastValues(last: readonly (string | null)[]): Values {
  return toValues({ min: last, max: last, last });
}

/**
 * Figures that are reported for every bucket; null where there was none.
 * @param factor to be multiplied with
 */
export function toFigureValues(figures: readonly (number | null)[], factor = 1): Values {
  const values = figures.map((figure) =>
    figure === null ? null : Number((figure * factor).toPrecision(12)),
  );
  const texts = values.map((value) => (value === null ? null : String(value)));
  return { min: values, max: values, last: values, texts };
}

/** A series the other way round, as a drawdown is drawn; its texts say how much. */
export function negated({ min, max, last, texts }: Values): Values {
  const turned = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : -value));
  return { min: turned(max), max: turned(min), last: turned(last), texts };
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "null";
}
