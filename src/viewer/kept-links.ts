import { CausalChain, type ChainLink } from "../bot/bisect/causal-chain.js";
import type { RunGrids } from "../bot/bisect/describe-input.js";
import { describeLink, type LinkText } from "../bot/bisect/describe-link.js";
import type { TracedLink } from "../bot/bisect/traced-link.js";
import type { KeptLink, LinkPlace, TurnStore } from "./turn-store.js";

/** A kept link with the links that it followed from, which are read when they are asked for. */
interface LoadedLink extends ChainLink<LoadedLink> {
  readonly text: LinkText;
}

/** The causal links of a run in the form in which they are kept, and the chains of its turns. */
export class KeptLinks {
  readonly #store: Pick<TurnStore, "has" | "events">;
  readonly #grids: RunGrids;
  readonly #places = new WeakMap<TracedLink, LinkPlace>();
  /** Links of turns that are not kept, which kept ones followed from. */
  readonly #earlier = new Map<number, KeptLink[]>();
  /** The later turns with links that followed from those of a turn, in their order. */
  readonly #followers = new Map<number, number[]>();

  constructor(store: Pick<TurnStore, "has" | "events">, grids: RunGrids) {
    this.#store = store;
    this.#grids = grids;
  }

  /** The links of a turn that is about to be kept. */
  keep(links: readonly TracedLink[]): readonly KeptLink[] {
    for (const [index, link] of links.entries()) {
      this.#places.set(link, [link.turn, index]);
      for (const { turn } of link.causes) this.#noteFollower(turn, link.turn);
    }
    return links.map((link) => this.#toKept(link));
  }

  /** The chain of a kept turn, as `bisect` prints it. */
  chain(turn: number): readonly LinkText[] {
    const reader = new LinkReader(this.#store, this.#earlier);
    const chain = new CausalChain(reader.links(turn));
    const waiting = [...(this.#followers.get(turn) ?? [])];
    const isOpenAt = (at: number): boolean => chain.isOpenAt(at, this.#store.events(at).atMs);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // A chain ends with the turn in which it is too late, as that of a search does.
      if (!isOpenAt(next - 1)) break;
      chain.follow(reader.links(next));
      const later = this.#followers.get(next) ?? [];
      waiting.push(...later.filter((at) => !waiting.includes(at)));
      waiting.sort((one, other) => one - other);
    }
    return chain.links.map(({ text }) => text);
  }

  #noteFollower(turn: number, follower: number): void {
    if (turn === follower) return;
    const followers = this.#followers.get(turn);
    if (followers === undefined) this.#followers.set(turn, [follower]);
    else if (followers.at(-1) !== follower) followers.push(follower);
  }

  #toKept(link: TracedLink): KeptLink {
    const { subject, causes } = link;
    return {
      text: describeLink(link, this.#grids),
      ...(subject.step === "answer" ? { result: subject.outcome.result } : {}),
      causes: causes.map((cause) => this.#places.get(cause) ?? this.#keepEarlier(cause)),
    };
  }

  #keepEarlier(link: TracedLink): LinkPlace {
    const kept = this.#earlier.get(link.turn) ?? [];
    this.#earlier.set(link.turn, kept);
    const place = [link.turn, kept.length] as const;
    this.#places.set(link, place);
    // Its place is taken before its own causes, which may be of the same turn.
    kept.push({ text: describeLink(link, this.#grids), causes: [] });
    kept[place[1]] = this.#toKept(link);
    return place;
  }
}

/** The links around one turn, each read once: a chain compares them by identity. */
class LinkReader {
  readonly #store: Pick<TurnStore, "has" | "events">;
  readonly #earlier: ReadonlyMap<number, readonly KeptLink[]>;
  readonly #read = new Map<number, readonly LoadedLink[]>();

  constructor(
    store: Pick<TurnStore, "has" | "events">,
    earlier: ReadonlyMap<number, readonly KeptLink[]>,
  ) {
    this.#store = store;
    this.#earlier = earlier;
  }

  links(turn: number): readonly LoadedLink[] {
    const known = this.#read.get(turn);
    if (known !== undefined) return known;
    const kept = this.#store.has(turn) ? this.#store.events(turn).links : this.#earlier.get(turn);
    const links = (kept ?? []).map(({ text, result, causes }): LoadedLink => {
      const find = ([at, index]: LinkPlace) => this.links(at)[index] ?? [];
      return {
        turn,
        atMs: text.atMs,
        subject: { step: text.step, ...(result === undefined ? {} : { outcome: { result } }) },
        get causes() {
          return causes.flatMap(find);
        },
        text,
      };
    });
    this.#read.set(turn, links);
    return links;
  }
}
