import { html } from "../chart/html.js";
import { decimalText } from "./format.js";
import type { BotStatus, LadderRungStatus } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setClass, setLength, setShown, setText } from "./update-element.js";

const COLUMNS = [
  { title: "measure", isText: true },
  { title: "now" },
  { title: "acts at" },
  { title: "used", isText: true },
  { title: "action", isText: true },
] as const satisfies readonly Column[];

/** The actions of rungs, in words. */
const ACTIONS: Readonly<Record<string, string>> = {
  warn: "warns",
  widen: "quotes wider",
  reduce: "only reduces",
  halt: "halts, position stays",
  flatten: "closes the position, halts",
};

interface KeyedRung extends LadderRungStatus {
  readonly key: string;
  /** Behind each value, such as USDC. */
  readonly unitText: string;
}

/** Every rung of the risk ladder: how far the measure is from it, and what it does. */
export class LadderPanel {
  readonly element: HTMLElement;
  readonly #none = html("p", "empty", "The bot's file has no risk ladder and no drawdown limit.");
  readonly #list: KeyedList<KeyedRung>;

  constructor() {
    const { element, body } = panel("Risk ladder", "risk");
    this.element = element;
    const { table, body: rows } = dataTable("Rungs of the risk ladder", COLUMNS);
    const box = scrollBox("Risk ladder");
    box.append(table, this.#none);
    body.append(box);
    this.#list = new KeyedList(
      rows,
      ({ key }) => key,
      () => rungRow(),
    );
  }

  update({ ladderRungs, quoteAsset }: BotStatus): void {
    setShown(this.#none, ladderRungs.length === 0);
    this.#list.update(
      ladderRungs.map((rung) => ({
        ...rung,
        unitText: { quote: quoteAsset ?? "quote", share: "of the limit", bps: "bps" }[rung.unit],
        key: `${rung.measure} ${rung.marketId ?? ""} ${rung.threshold} ${rung.action}`,
      })),
    );
  }
}

function rungRow(): ListItem<KeyedRung> {
  const { row, cells } = tableRow(COLUMNS);
  const [measure, now, threshold, used, action] = cells;
  const track = html("span", "gauge");
  track.setAttribute("aria-hidden", "true");
  const fill = html("span");
  track.append(fill);
  const share = html("span", "share");
  used.append(track, share);
  return {
    element: row,
    update: (rung) => {
      const { measured, isActive, unitText } = rung;
      setClass(row, "acting", isActive);
      setText(
        measure,
        `${rung.measure}${rung.marketId === undefined ? "" : ` of ${rung.marketId}`}`,
      );
      setText(now, measured === undefined ? "–" : `${decimalText(measured)} ${unitText}`);
      setText(threshold, `${decimalText(rung.threshold)} ${unitText}`);
      const part = usedShare(rung);
      setLength(fill, part ?? 0);
      setText(share, part === undefined ? "" : `${Math.max(0, Math.round(100 * part))} %`);
      setText(
        action,
        `${isActive ? "■ acts: " : ""}${ACTIONS[rung.action] ?? rung.action}${rung.why === undefined ? "" : ` (${rung.why})`}`,
      );
    },
  };
}

/** How much of the way to a rung its measure has gone. */
function usedShare({ measured, threshold, isActive }: LadderRungStatus): number | undefined {
  if (measured === undefined) return isActive ? 1 : undefined;
  const limit = Number(threshold);
  // A threshold below zero, such as of a markout, is reached from above.
  return limit === 0 ? undefined : Number(measured) / limit;
}
