import { html } from "../chart/html.js";
import { clockText } from "./format.js";
import type { FrameNotice } from "./frame.js";
import { KeyedList } from "./keyed-list.js";
import { panel, scrollBox } from "./panel.js";
import { setShown } from "./update-element.js";

const WORDS = { info: "○ note", warn: "◐ warning", error: "■ error" } as const;

/** The newest lines of a bot's log that a person should see, newest first. */
export class NoticesPanel {
  readonly element: HTMLElement;
  readonly #none = html("p", "empty", "Nothing to report since the start.");
  readonly #list: KeyedList<FrameNotice>;

  constructor() {
    const { element, body } = panel("Notices", "notices");
    this.element = element;
    const box = scrollBox("Notices", "notices-box");
    const list = html("ol");
    box.append(list, this.#none);
    body.append(box);
    this.#list = new KeyedList(list, noticeKey, ({ atMs, level, text }) => {
      const item = html("li", `level-${level}`);
      const time = html("time", "", clockText(atMs));
      time.dateTime = new Date(atMs).toISOString();
      item.append(
        time,
        html("span", "level", WORDS[level]),
        html("span", "text", noticeText(text)),
      );
      return { element: item, update: () => {} };
    });
  }

  update(notices: readonly FrameNotice[]): void {
    setShown(this.#none, notices.length === 0);
    this.#list.update([...notices].reverse());
  }
}

/** Sets the fields of a line apart: `halt marketId=btcusdc` becomes `halt · marketId btcusdc`. */
function noticeText(text: string): string {
  return text.replaceAll(/ (\w+)=/g, " · $1 ");
}

/** Names a notice. */
export function noticeKey({ atMs, level, text }: FrameNotice): string {
  return `${atMs} ${level} ${text}`;
}
