import { html } from "../chart/html.js";
import type { BotRecord } from "./bot-record.js";
import { numberText } from "./format.js";
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

/**
 * The halts of a bot and the state of its guard, with what would end them, and the orders that a
 * bot which has ended may have left; hidden without any.
 */
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

  update(record: BotRecord, status: BotStatus): void {
    const obstacles = obstaclesOf(record, status);
    setShown(this.element, obstacles.length > 0);
    this.#list.update(obstacles);
  }
}

function obstaclesOf(record: BotRecord, status: BotStatus): readonly Obstacle[] {
  const { activeHalts, guard } = status;
  const halts = activeHalts.map(({ name, marketId, why, endsByItself }) => ({
    key: `${name} ${marketId}`,
    title: `■ ${marketId ?? "All markets"} halted: ${name}`,
    why,
    remedy: haltRemedy(name, endsByItself),
  }));
  if (record.goneAtMs !== undefined) return [endOf(record, status), ...halts];
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

/** The end of a bot that has vanished, and its orders. */
function endOf({ entry }: BotRecord, status: BotStatus): Obstacle {
  const { config, dryRun, paper, guard, markets } = status;
  const key = "end";
  const start = `marketwright run ${shellWord(config)} starts it again.`;
  if (dryRun || paper)
    return { key, title: "○ Ended", why: "It had no orders at the exchange.", remedy: start };
  const cancel = `marketwright cancel-all ${shellWord(config)} cancels every order of the account.`;
  if (entry.phase === "stopping" || entry.phase === "stopped" || entry.phase === "ending")
    return {
      key,
      title: "○ Stopped",
      why: "A bot that stops cancels its orders before it exits.",
      remedy: `To make sure: ${cancel} ${start}`,
    };
  const orders = Object.values(markets).reduce((sum, { openBids, openAsks }) => {
    return sum + openBids + openAsks;
  }, 0);
  return {
    key,
    title: "■ Ended without a stop that this page saw",
    why: `${orders === 0 ? "Some" : numberText(orders, 0)} of its orders may still be open.`,
    remedy: `${guard.state === "alive" ? "Its guard cancels them, if it still runs. " : ""}${cancel} ${start}`,
  };
}

/** A path as a shell takes it. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
