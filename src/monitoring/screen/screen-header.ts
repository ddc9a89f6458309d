import type { Ms } from "../../core/units.js";
import { twoDigits } from "./screen-clock.js";
import type { ScreenGuard, ScreenModel } from "./screen-model.js";
import { colorBySign, type Line, packLines, type Style, widthOfLine } from "./screen-text.js";

const GAP = "   ";
/** Characters at the start and at the end of an address that is shown in short. */
const ADDRESS_START = 6;
const ADDRESS_END = 4;
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
    ...packLines([...moneyFigures(model), ...limitFigures(model)], width, GAP.length),
    ...alarmLines(model),
  ];
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

function moneyFigures(model: ScreenModel): Line[] {
  const { equityQuote, earnedQuote, inTransitQuote, peakEquityQuote, drawdownQuote } = model;
  const asset = model.quoteAsset === undefined ? "" : ` ${model.quoteAsset}`;
  const figure = (label: string, value: string | undefined, style: Style = "plain"): Line[] =>
    value === undefined
      ? []
      : [
          [
            [`${label} `, "dim"],
            [value, style],
          ],
        ];
  const signed = (label: string, value: string | undefined): Line[] =>
    value === undefined ? [] : [[[`${label} `, "dim"], colorBySign(value)]];
  return [
    [
      ["equity ", "dim"],
      [equityQuote === undefined ? "not known yet" : `${equityQuote}${asset}`, "bold"],
    ],
    ...signed("earned", earnedQuote),
    ...signed("under way", inTransitQuote),
    ...signed("unrealised", model.unrealisedQuote),
    ...signed("realised", model.realisedQuote),
    ...figure("drawdown", drawdownQuote),
    ...figure("peak", peakEquityQuote),
  ];
}

function limitFigures({ budgets, guard }: ScreenModel): Line[] {
  return [
    ...budgets.map(
      ({ name, left, limit }): Line => [
        [`${name} `, "dim"],
        [`${left}/${limit}`, budgetStyle(left, limit)],
      ],
    ),
    ...(guard === undefined ? [] : [guardFigure(guard)]),
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
