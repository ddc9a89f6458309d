import { html } from "../chart/html.js";
import type { BotStatus } from "./frame.js";
import { haltRemedy } from "./halt-remedy.js";
import { KeyedList } from "./keyed-list.js";
import { setShown, setText } from "./update-element.js";

interface Obstacle {
  readonly key: string;
  readonly title: string;
  readonly why: string;
  readonly remedy: string;
}

/** The halts of a bot and the state of its guard, with what would end them; hidden without any. */
export class HaltsPanel {
  readonly element = html("section", "halts");
  readonly #list: KeyedList<Obstacle>;

  constructor() {
    this.element.setAttribute("aria-label", "Halts and guard");
    const list = html("ul");
    this.element.append(list);
    this.#list = new KeyedList(
      list,
      ({ key }) => key,
      () => {
        const element = html("li");
        const title = html("b");
        const why = html("span");
        const remedy = html("span", "remedy");
        element.append(title, why, remedy);
        return {
          element,
          update: (obstacle) => {
            setText(title, obstacle.title);
            setText(why, obstacle.why);
            setText(remedy, obstacle.remedy);
          },
        };
      },
    );
  }

  update(status: BotStatus): void {
    const obstacles = obstaclesOf(status);
    setShown(this.element, obstacles.length > 0);
    this.#list.update(obstacles);
  }
}

function obstaclesOf({ activeHalts, guard }: BotStatus): readonly Obstacle[] {
  const halts = activeHalts.map(({ name, marketId, why, endsByItself }) => ({
    key: `${name} ${marketId}`,
    title: `■ ${marketId ?? "All markets"} halted: ${name}`,
    why,
    remedy: haltRemedy(name, endsByItself),
  }));
  if (guard.state === "alive" || guard.state === "not-needed") return halts;
  return [
    ...halts,
    {
      key: "guard",
      title: guard.state === "stale" ? "■ The guard does not answer" : "■ No guard",
      why: guard.text,
      remedy: "Until one runs, nothing cancels the orders if this bot dies.",
    },
  ];
}
