import type { Ms } from "../../core/units.js";
import type { LinkStep } from "./traced-link.js";

/** How far a chain is followed after its turn. */
const MOST_MS: Ms = 5_000;
const MOST_TURNS = 2_000;

/** A link as far as a chain needs it: its turn, its kind, and the links that it followed from. */
export interface ChainLink<Link> {
  readonly turn: number;
  readonly atMs: Ms;
  readonly subject: {
    readonly step: LinkStep;
    /** Of an answer. */
    readonly outcome?: { readonly result: string };
  };
  readonly causes: readonly Link[];
}

/**
 * The links of one turn, what they followed from, and what became of the actions that the turn
 * planned or sent.
 */
export class CausalChain<Link extends ChainLink<Link>> {
  readonly turn: number;
  readonly #atMs: Ms;
  readonly #links: Link[];
  /** Plans and actions of the turn, and the actions of those plans. */
  readonly #followed: Set<Link>;
  /** Those of them that have neither left the outbox nor been answered. */
  readonly #pending: Set<Link>;

  /** @param links of the turn */
  constructor(links: readonly Link[]) {
    const [first] = links;
    this.turn = first?.turn ?? 0;
    this.#atMs = first?.atMs ?? 0;
    this.#links = [...withCauses(links)];
    const begun = links.filter(({ subject }) => subject.step === "plan" || isFollowed(subject));
    this.#followed = new Set(begun);
    this.#pending = new Set(begun);
  }

  /** The links in the order in which they happened. */
  get links(): readonly Link[] {
    return [...this.#links].sort((one, other) => one.turn - other.turn);
  }

  /**
   * Takes the links of a later turn, and keeps those that follow from the chain.
   * @returns false once nothing more can follow, or it would be too late
   */
  follow(links: readonly Link[]): boolean {
    for (const link of links) {
      const { step } = link.subject;
      // A plan of a later turn is that turn's own decision.
      if (step === "frame" || step === "view" || step === "intent" || step === "plan") continue;
      const causes = link.causes.filter((cause) => this.#followed.has(cause));
      if (causes.length === 0) continue;
      this.#links.push(link);
      // A fill may come before the answer.
      if (step === "action" || step === "answer")
        for (const cause of causes) this.#pending.delete(cause);
      if (!isFollowed(link.subject)) continue;
      this.#followed.add(link);
      this.#pending.add(link);
    }
    const [first] = links;
    return first === undefined || this.isOpenAt(first.turn, first.atMs);
  }

  /** True while a later turn may add to the chain. */
  isOpenAt(turn: number, atMs: Ms): boolean {
    return this.#pending.size > 0 && turn - this.turn < MOST_TURNS && atMs - this.#atMs < MOST_MS;
  }
}

/** True for an action, and for an order that the exchange has built: the bot goes on from both. */
function isFollowed({ step, outcome }: ChainLink<unknown>["subject"]): boolean {
  return step === "action" || (step === "answer" && outcome?.result === "built");
}

/** The links, and all that they followed from: each once, causes first. */
function withCauses<Link extends ChainLink<Link>>(links: readonly Link[]): ReadonlySet<Link> {
  const all = new Set<Link>();
  const visit = (link: Link): void => {
    if (all.has(link)) return;
    for (const cause of link.causes) visit(cause);
    all.add(link);
  };
  for (const link of links) visit(link);
  return all;
}
