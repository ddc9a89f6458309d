import type { Ms } from "../../core/units.js";
import { twoDigits } from "./screen-clock.js";
import type { ScreenGuard, ScreenModel } from "./screen-model.js";
import { colorBySign, type Line, type Style, widthOfLine } from "./screen-text.js";

const GAP = "   ";
/** Characters at the start and at the end of an address that is shown in short. */
const ADDRESS_START = 6;
const ADDRESS_END = 4;
/** Columns of an amount of money: `+100000.00`. */
const AMOUNT_WIDTH = 10;
/** Columns of a guard and its age: `missing 999.9 s`. */
const GUARD_WIDTH = 15;
const GUARD_STYLE: Readonly<Record<ScreenGuard["state"], Style>> = {
  alive: "green",
  missing: "red",
  stale: "red",
  "not-needed": "plain",
};

/** Renders the lines above the markets: which bot it is, its money, and what stops it. */
export function renderHeader(model: ScreenModel, width: number): Line[] {
  return [
    titleLine(model, width),
    ...packFigures([...moneyFigures(model), ...limitFigures(model)], width),
    ...alarmLines(model),
  ];
}

/** A figure of the header, and the columns that it takes however few digits it has. */
interface HeaderFigure {
  readonly line: Line;
  readonly width: number;
}

/** Packs figures by the widths that they may need, so that none moves to another line and back. */
function packFigures(figures: readonly HeaderFigure[], width: number): Line[] {
  const rows: HeaderFigure[] = [];
  for (const { line, width: own } of figures) {
    const last = rows.at(-1);
    const needed = last === undefined ? 0 : last.width + GAP.length + own;
    if (last === undefined || needed > width) rows.push({ line, width: own });
    else rows[rows.length - 1] = { line: [...last.line, [GAP], ...line], width: needed };
  }
  return rows.map(({ line }) => line);
}

function headerFigure(line: Line, valueWidth = AMOUNT_WIDTH): HeaderFigure {
  const label = line[0]?.[0] ?? "";
  return { line, width: Math.max(widthOfLine(line), [...label].length + valueWidth) };
}

function titleLine(model: ScreenModel, width: number): Line {
  const line = (title: string, account: string): Line => [
    ["Marketwright ", "bold"],
    [title],
    [`${GAP}up `, "dim"],
    [durationText(model.nowMs - model.startedMs)],
    [`${GAP}account `, "dim"],
    [account],
    [`${GAP}at `, "dim"],
    [model.exchange],
  ];
  const { title, account } = model;
  const whole = line(title, account);
  if (widthOfLine(whole) <= width) return whole;
  const short =
    account.length <= ADDRESS_START + ADDRESS_END
      ? account
      : `${account.slice(0, ADDRESS_START)}…${account.slice(-ADDRESS_END)}`;
  const named = line(title, short);
  return widthOfLine(named) <= width ? named : line(title.split("/").at(-1) ?? title, short);
}

function moneyFigures(model: ScreenModel): HeaderFigure[] {
  const { equityQuote, earnedQuote, inTransitQuote, peakEquityQuote, drawdownQuote } = model;
  const asset = model.quoteAsset === undefined ? "" : ` ${model.quoteAsset}`;
  const figure = (label: string, value: string | undefined, isSigned = false): HeaderFigure[] =>
    value === undefined
      ? []
      : [headerFigure([[`${label} `, "dim"], isSigned ? colorBySign(value) : [value, "plain"]])];
  return [
    headerFigure(
      [
        ["equity ", "dim"],
        [equityQuote === undefined ? "not known yet" : `${equityQuote}${asset}`, "bold"],
      ],
      AMOUNT_WIDTH + [...asset].length,
    ),
    ...figure("earned", earnedQuote, true),
    ...figure("under way", inTransitQuote, true),
    ...figure("unrealised", model.unrealisedQuote, true),
    ...figure("realised", model.realisedQuote, true),
    ...figure("drawdown", drawdownQuote),
    ...figure("peak", peakEquityQuote),
  ];
}

function limitFigures({ budgets, guard }: ScreenModel): HeaderFigure[] {
  return [
    ...budgets.map(({ name, left, limit }) =>
      headerFigure(
        [
          [`${name} `, "dim"],
          [`${left}/${limit}`, budgetStyle(left, limit)],
        ],
        2 * String(limit).length + 1,
      ),
    ),
    ...(guard === undefined ? [] : [headerFigure(guardFigure(guard), GUARD_WIDTH)]),
  ];
}

function guardFigure({ state, ageMs }: ScreenGuard): Line {
  const age = ageMs === undefined ? "" : ` ${(ageMs / 1000).toFixed(1)} s`;
  return [
    ["guard ", "dim"],
    [`${state === "not-needed" ? "not needed" : state}${age}`, GUARD_STYLE[state]],
  ];
}

function alarmLines({ stoppingOrders, halts, ladder = [], guard }: ScreenModel): Line[] {
  const isUnguarded = guard?.state === "missing" || guard?.state === "stale";
  return [
    ...(stoppingOrders === undefined
      ? []
      : [[[` ${stoppingText(stoppingOrders)} `, "inverse"]] satisfies Line]),
    ...(halts.length === 0 ? [] : [alarm("HALTED", halts.join("; "), "red")]),
    ...(ladder.length === 0 ? [] : [alarm("RISK", ladder.join("; "), "yellow")]),
    ...(isUnguarded ? [alarm("GUARD", guard.text, "yellow")] : []),
  ];
}

function stoppingText(orders: number): string {
  if (orders === 0) return "stopping: no order is open, the exchange is asked to confirm it";
  return `stopping: ${orders} ${orders === 1 ? "order" : "orders"} being cancelled`;
}

function alarm(name: string, text: string, style: Style): Line {
  return [
    [` ${name} `, "inverse"],
    [` ${text}`, style],
  ];
}

function budgetStyle(left: number, limit: number): Style {
  if (left <= 0) return "red";
  return left * 5 < limit ? "yellow" : "plain";
}

/** Formats a duration as `1:02:03`. */
function durationText(ms: Ms): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 3600)}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}
