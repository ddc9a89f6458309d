import type { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { Hex, Ms } from "#core/units.js";
import type { NetworkWitness } from "#simulation/faulty-network.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { OpenChain } from "#simulator/open-chain.js";
import type { Violate, Violation } from "../violation.js";
import { Witness } from "../witness.js";
import type { ProcessEnd } from "./bot-process.js";
import { checkEnd } from "./end-witness.js";
import { LimitWitness } from "./limit-witness.js";
import { PositionWitness } from "./position-witness.js";
import { type SentTakeover, TakeoversUnderWay } from "./takeovers-under-way.js";
import type { WholePlan } from "./whole-plan.js";

/** The number of violations after which a run reports no more. */
const MOST_VIOLATIONS = 50;

/**
 * The witnesses of the whole system: of orders, as in every simulation, and of limits, positions
 * and the end.
 */
export class WholeWitness {
  readonly orders: Witness;
  /** The events that the bot's network reports. */
  readonly network: NetworkWitness;
  readonly #plan: WholePlan;
  readonly #exchange: EmbeddedExchange;
  readonly #account: Hex;
  readonly #nowMs: () => Ms;
  readonly #limits: LimitWitness;
  readonly #positions: PositionWitness;
  readonly #takeovers: TakeoversUnderWay;
  readonly #violations: Violation[] = [];
  readonly #violate: Violate;
  #sent = 0;
  #fills = 0;

  constructor(
    plan: WholePlan,
    exchange: EmbeddedExchange,
    chain: OpenChain,
    account: Hex,
    nowMs: () => Ms,
  ) {
    this.#plan = plan;
    this.#exchange = exchange;
    this.#account = account;
    this.#nowMs = nowMs;
    this.#violate = (rule, text) => {
      if (this.#violations.length < MOST_VIOLATIONS)
        this.#violations.push({ atMs: nowMs(), rule, text });
    };
    const violate = this.#violate;
    this.orders = new Witness(plan, exchange, account, nowMs);
    this.#limits = new LimitWitness({
      config: plan.bot,
      exchange,
      account,
      nowMs,
      orders: this.orders,
      violate,
    });
    this.#positions = new PositionWitness(exchange, account, nowMs, violate);
    this.#takeovers = new TakeoversUnderWay(chain, exchange, account);
    this.orders.reservedLots = (marketId, side) => this.#takeovers.lots(marketId, side);
    this.network = {
      bookSeenAtMs: this.orders.bookSeenAtMs,
      delivered: (info) => this.orders.delivered(info),
      refused: (request) => this.orders.refused(request),
      received: (text) => this.#positions.received(text),
    };
  }

  /** Oldest first. */
  get violations(): readonly Violation[] {
    return [...this.orders.violations, ...this.#violations].sort((a, b) => a.atMs - b.atMs);
  }

  /** Takeovers that were sent so far, replacements not counted. */
  get takeoversSent(): number {
    return this.#sent;
  }

  /** Takeovers that the chain has so far. */
  get takeovers(): number {
    return this.#takeovers.mined.length;
  }

  get counts(): {
    readonly events: number;
    readonly actions: number;
    readonly fills: number;
    readonly takeovers: number;
  } {
    const { events, actions } = this.orders;
    return { events, actions, fills: this.#fills, takeovers: this.takeovers };
  }

  /** Notes that a fault has affected the bot's requests. */
  disturbed(nowMs: Ms): void {
    this.orders.disturbedAtMs = nowMs;
  }

  /** Starts checking another bot; undefined while none runs. */
  attach(bot: Bot | undefined): void {
    this.orders.attach(bot);
    this.#positions.attach(bot);
  }

  observe(notice: BotEvent): void {
    if (notice.kind === "account" && notice.change.kind === "fill") this.#fills += 1;
    if (notice.kind === "dispatched") this.#positions.dispatched(notice.action);
    this.orders.observe(notice);
    if (notice.kind === "dispatched" && notice.action.kind === "place")
      this.#limits.placed(notice.action);
  }

  /**
   * A node has taken a raw transaction of the bot's.
   * @returns what it is, where it is a new takeover, with the bot's own idea of the position.
   */
  transactionSent(raw: Hex): (SentTakeover & { readonly ours: number | undefined }) | undefined {
    const takeover = this.#takeovers.sent(raw);
    if (takeover === undefined) return undefined;
    this.#sent += 1;
    this.#limits.takeoverSent(takeover);
    return { ...takeover, ours: this.#positions.ours(takeover.marketId) };
  }

  /** An answer of an RPC has reached the bot. */
  rpcAnswered(method: string, params: readonly unknown[]): void {
    this.#positions.answered(method, params);
  }

  /** Once the exchange has applied every block. @returns the takeovers that came with them. */
  async onBlocks(): Promise<readonly SentTakeover[]> {
    const come = await this.#takeovers.onBlocks(this.#nowMs());
    for (const takeover of come) this.#positions.takeoverMined(takeover);
    return come;
  }

  /** After every event of the world. */
  afterEvent(): void {
    this.orders.afterEvent();
    this.#limits.afterEvent();
    this.#positions.afterEvent();
  }

  /** Called periodically. */
  sample(): void {
    this.orders.sample();
  }

  /** The differences between both sides now. */
  disagreements(): readonly string[] {
    return this.orders.disagreements();
  }

  /** The faults have been over for a while: both sides must agree. */
  agree(): void {
    this.orders.agree();
  }

  /** Checks the end of a run. @param jobOf the job that was sent under a nonce. */
  ended(end: ProcessEnd, jobOf: (nonce: number) => string | undefined): void {
    const violations = checkEnd(end, {
      exchange: this.#exchange,
      account: this.#account,
      markets: Object.keys(this.#plan.bot.markets),
      openOrders: this.#exchange.openOrders(this.#account).filter(({ openLots }) => openLots > 0)
        .length,
      underWay: this.#takeovers.pending.map((takeover) => ({
        ...takeover,
        jobId: jobOf(takeover.nonce),
      })),
      isDisturbed: this.#plan.endsDisturbed,
    });
    for (const text of violations) this.#violate("end", text);
  }

  crashed(error: unknown): void {
    this.orders.crashed(error);
  }
}
