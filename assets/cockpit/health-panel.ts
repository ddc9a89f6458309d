import { html } from "../chart/html.js";
import { type Activity, setActivity } from "./activity.js";
import { Figure, figureList } from "./figure-list.js";
import { durationText, numberText, signedNumberText } from "./format.js";
import type { BotStatus } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { Meter } from "./meter.js";
import { panel } from "./panel.js";
import { setText } from "./update-element.js";

/** Event-loop delay from which orders react late. */
const LATE_MS = 50;
const OLD_STREAM_MS = 10_000;

type Stream = BotStatus["streams"][number];

/** The base of the trading: guard, event loop, streams, clock and the budgets of requests. */
export class HealthPanel {
  readonly element: HTMLElement;
  readonly #guard = new Figure("Guard", "text");
  readonly #delay = new Figure("Event loop", "text");
  readonly #clock = new Figure("Clock against the exchange", "text");
  readonly #streams: KeyedList<Stream>;
  readonly #budgets: KeyedList<{
    readonly name: string;
    readonly left: number;
    readonly limit: number;
  }>;

  constructor() {
    const { element, body } = panel("Health", "health");
    this.element = element;
    const streams = html("ul", "streams");
    this.#streams = new KeyedList(
      streams,
      ({ name }) => name,
      ({ name }) => streamItem(name),
    );
    const budgets = html("div", "meters");
    this.#budgets = new KeyedList(
      budgets,
      ({ name }) => name,
      ({ name }) => {
        const meter = new Meter(name === "ORDER" ? "orders" : name === "COMMON" ? "other" : name);
        return {
          element: meter.element,
          update: ({ left, limit }) => {
            const share = limit === 0 ? 0 : left / limit;
            meter.update(
              share,
              `${numberText(left, 0)} of ${numberText(limit, 0)}`,
              share < 0.1 ? "nearly used up" : "left",
              share < 0.1,
            );
          },
        };
      },
    );
    body.append(
      figureList("three", this.#guard, this.#delay, this.#clock),
      html("h4", "", "Streams"),
      streams,
      html("h4", "", "Budgets of requests"),
      budgets,
    );
  }

  update({ guard, eventLoopDelayMs, streams, tokens, clockOffsetMs }: BotStatus): void {
    const isGuarded = guard.state === "alive" || guard.state === "not-needed";
    this.#guard.update(guard.state === "not-needed" ? "not needed" : guard.state, "", guard.text);
    this.#guard.warn(!isGuarded);
    const { last, p99 } = eventLoopDelayMs;
    this.#delay.update(numberText(last, 1), "ms late", `99 of 100 below ${numberText(p99, 1)} ms`);
    this.#delay.warn(p99 > LATE_MS);
    this.#clock.update(
      clockOffsetMs === undefined ? null : signedNumberText(clockOffsetMs, 0),
      "ms",
      clockOffsetMs === undefined ? "not read yet" : "",
    );
    this.#streams.update(streams);
    this.#budgets.update(
      Object.entries(tokens).map(([name, { left, limit }]) => ({ name, left, limit })),
    );
  }
}

function streamItem(name: string): ListItem<Stream> {
  const element = html("li");
  const state = html("span", "activity");
  const age = html("small");
  element.append(html("span", "name", name), state, age);
  return {
    element,
    update: (stream) => {
      setActivity(state, streamActivity(stream));
      const { ageMs } = stream;
      setText(age, ageMs === undefined ? "" : `last message ${durationText(ageMs)} ago`);
    },
  };
}

function streamActivity({ name, state, ageMs = 0 }: Stream): Activity {
  if (state === "down") return { word: "down", health: "bad" };
  // An account without orders and fills has no messages.
  return name === "market" && ageMs > OLD_STREAM_MS
    ? { word: "quiet", health: "waiting" }
    : { word: "up", health: "good" };
}
