import type { AccountChange } from "../../account/account-change.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { Action, ActionId } from "../../exchange/venue.js";
import type { Plan } from "../../executor/plan.js";
import type { Intent } from "../../strategies/intent.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotInput } from "../engine/input.js";
import { cancelSubject, slotSubject } from "../execution/dispatcher.js";
import type { ReplayedTurn } from "../journal/journal-replay.js";
import type { MarketTrader } from "../market/market-trader.js";
import { FillLevels } from "../statistics/fill-levels.js";
import type { LinkSubject, TracedLink } from "./traced-link.js";

/** Views of a market that are kept for strategies that answer late. */
const KEPT_VIEWS = 64;
/** Orders that the bot has forgotten are dropped each so many turns. */
const PRUNE_EVERY_TURNS = 4_096;

/** The links of one market that later ones follow from. */
interface MarketLinks {
  /** Newest message about the market. */
  frame: TracedLink | undefined;
  readonly views: Map<number, TracedLink>;
  newestView: number;
  intent: Intent | undefined;
  intentLink: TracedLink | undefined;
  plan: Plan | undefined;
}

/** The links of one order that later ones follow from. */
interface OrderLinks {
  /** The exchange's answer that built it; absent for an order that the bot made. */
  readonly built?: TracedLink;
  /** Its place, then the answer to it. */
  readonly place?: TracedLink;
  readonly cancel?: TracedLink;
}

/**
 * Links what happens in each replayed turn to what it followed from: a fill to its order's action,
 * the action to its plan, the plan to its intent, the intent to its view, the view to its frame.
 * Bounded memory: it keeps what a later turn may still follow from.
 */
export class TurnTrace {
  readonly #bot: Bot;
  readonly #markets = new Map<MarketId, MarketLinks>();
  /** The newest plan of each slot and of each order's cancel. */
  readonly #plans = new Map<string, TracedLink>();
  readonly #unanswered = new Map<ActionId, TracedLink>();
  readonly #orders = new Map<Hex, OrderLinks>();
  readonly #fills = new FillLevels();
  #links: TracedLink[] = [];
  #turn = 0;
  #atMs: Ms = 0;

  constructor(bot: Bot) {
    this.#bot = bot;
  }

  /** Takes a turn that has just run, and returns its links: causes come before what follows. */
  take({ turn, stamp, input, notices }: ReplayedTurn): readonly TracedLink[] {
    this.#links = [];
    this.#turn = turn;
    this.#atMs = stamp.atMs;
    const frame = this.#add({ step: "frame", input }, []);
    const about = marketOf(input);
    const before = about === undefined ? undefined : this.#market(about);
    // The matches of a turn come first: they name the order of a trade.
    for (const notice of notices) this.#noteMatch(notice);
    for (const notice of notices) this.#notice(notice, frame);
    for (const trader of this.#bot.context.traderList) this.#decision(trader, frame);
    if (before !== undefined) before.frame = frame;
    if (turn % PRUNE_EVERY_TURNS === 0) this.#prune();
    return this.#links;
  }

  #add(subject: LinkSubject, causes: readonly (TracedLink | undefined)[]): TracedLink {
    const link = {
      turn: this.#turn,
      atMs: this.#atMs,
      subject,
      causes: causes.filter((cause) => cause !== undefined),
    };
    this.#links.push(link);
    return link;
  }

  #market(marketId: MarketId): MarketLinks {
    let links = this.#markets.get(marketId);
    if (links === undefined) {
      links = {
        frame: undefined,
        views: new Map(),
        newestView: 0,
        intent: undefined,
        intentLink: undefined,
        plan: undefined,
      };
      this.#markets.set(marketId, links);
    }
    return links;
  }

  #noteMatch(notice: BotEvent): void {
    if (notice.kind !== "account" || notice.change.kind !== "order") return;
    const { order, change } = notice.change;
    if (change.change === "matched") this.#fills.onMatched(order, change.lots);
  }

  #notice(notice: BotEvent, frame: TracedLink): void {
    switch (notice.kind) {
      case "account":
        return this.#accountChange(notice, notice.change, frame);
      case "dispatched":
        return this.#dispatched(notice.action);
      case "answered": {
        const { action, outcome } = notice;
        const sent = this.#unanswered.get(action.actionId);
        this.#unanswered.delete(action.actionId);
        // The frame of an answer says no more than the answer.
        const answer = this.#add({ step: "answer", action, outcome }, [sent ?? frame]);
        if (action.kind === "place") this.#noteOrder(action.hash, { place: answer });
        if (outcome.result === "built") this.#noteOrder(outcome.hash, { built: answer });
        return;
      }
      case "log":
      // The view, the intent and the plan are read from the market itself.
      case "intent":
      case "dry-plan":
        return;
      default:
        this.#add({ step: "event", event: notice }, [frame]);
    }
  }

  #accountChange(event: BotEvent, change: AccountChange, frame: TracedLink): void {
    switch (change.kind) {
      case "order": {
        const { order, change: made } = change;
        // The action says the same.
        if (made.change === "phase" && (made.to === "sent" || made.to === "intended")) return;
        const sent = this.#orders.get(order.hash);
        const isCancel = made.change === "phase" && /^cancel/.test(made.to);
        const cause = (isCancel ? sent?.cancel : undefined) ?? sent?.place;
        this.#add({ step: "order", order, change: made }, [frame, cause]);
        return;
      }
      case "fill": {
        const { trade } = change;
        const working = this.#bot.context.account.orders.mayStillFill(trade.marketId);
        const orderHash = this.#fills.quoteOf(trade, working)?.hash;
        const place = orderHash === undefined ? undefined : this.#orders.get(orderHash)?.place;
        this.#add({ step: "fill", trade, orderHash }, [frame, place]);
        return;
      }
      case "balances":
      case "settled":
      case "earlier-trade":
        return;
      default:
        this.#add({ step: "event", event }, [frame]);
    }
  }

  #dispatched(action: Action): void {
    const link = this.#add({ step: "action", action }, [this.#planOf(action)]);
    this.#unanswered.set(action.actionId, link);
    if (action.kind === "place") this.#noteOrder(action.hash, { place: link });
    if (action.kind === "cancel") this.#noteOrder(action.hash, { cancel: link });
  }

  #noteOrder(hash: Hex, links: OrderLinks): void {
    this.#orders.set(hash, { ...this.#orders.get(hash), ...links });
  }

  #planOf(action: Action): TracedLink | undefined {
    if (action.kind === "cancel") {
      const subject = cancelSubject(action.hash);
      const plan = this.#plans.get(subject);
      this.#plans.delete(subject);
      return plan;
    }
    if (action.kind !== "place" && action.kind !== "build") return undefined;
    const { marketId, side } = action;
    const built = action.kind === "place" ? this.#orders.get(action.hash)?.built : undefined;
    if (built !== undefined) return built;
    const level =
      action.kind === "place"
        ? this.#bot.context.account.orders.get(action.hash)?.level
        : this.#builtLevel(action.actionId);
    return level === undefined ? undefined : this.#plans.get(slotSubject(marketId, side, level));
  }

  #builtLevel(actionId: ActionId): number | undefined {
    for (const { action, item } of this.#bot.context.dispatcher.inFlight())
      if (action.actionId === actionId) return item.kind === "place" ? item.place.level : undefined;
    return undefined;
  }

  /** The view, the intent and the plan that a turn made in a market. */
  #decision(trader: MarketTrader, frame: TracedLink): void {
    const { marketId, lastView, newestViewSequence, plan } = trader;
    const links = this.#market(marketId);
    if (lastView !== undefined && newestViewSequence !== links.newestView) {
      const { sequence, cause, midTicks, positionLots } = lastView;
      const isAbout = marketOf(frame.subject.step === "frame" ? frame.subject.input : undefined);
      const view = this.#add(
        { step: "view", view: { marketId, sequence, cause, midTicks, positionLots } },
        // A view by a timer shows what the message before it brought.
        isAbout === marketId ? [frame] : [links.frame, frame],
      );
      links.newestView = newestViewSequence;
      links.views.set(sequence, view);
      links.views.delete(sequence - KEPT_VIEWS);
    }
    const intent = trader.target?.intent ?? trader.unwind ?? trader.quotes;
    if (intent !== links.intent) {
      links.intent = intent;
      links.intentLink =
        intent === undefined
          ? undefined
          : this.#add({ step: "intent", intent }, [
              trader.target?.byOperator === true
                ? frame
                : (links.views.get(intent.viewSequence) ?? frame),
            ]);
    }
    if (plan === links.plan) return;
    links.plan = plan;
    if (plan === undefined) return;
    if (plan.cancels.length === 0 && plan.places.length === 0) return;
    const market = { marketId, stoppedBy: this.#stoppedBy(marketId) };
    const causes = [frame, market.stoppedBy.length === 0 ? links.intentLink : undefined];
    for (const cancel of plan.cancels)
      this.#plans.set(
        cancelSubject(cancel.hash),
        this.#add({ step: "plan", planned: { kind: "cancel", cancel, ...market } }, causes),
      );
    for (const place of plan.places)
      this.#plans.set(
        slotSubject(marketId, place.side, place.level),
        this.#add({ step: "plan", planned: { kind: "place", place, ...market } }, causes),
      );
  }

  #stoppedBy(marketId: MarketId): readonly string[] {
    const { phase, tradingGuards } = this.#bot;
    if (phase !== "running") return [`the bot is ${phase}`];
    if (tradingGuards.areQuotesAllowed(marketId)) return [];
    return tradingGuards.haltsFor(marketId).map(({ name }) => `halted: ${name}`);
  }

  #prune(): void {
    const { orders } = this.#bot.context.account;
    for (const hash of this.#orders.keys())
      if (orders.get(hash) === undefined) this.#orders.delete(hash);
    for (const [subject, { subject: made }] of this.#plans)
      if (
        made.step === "plan" &&
        made.planned.kind === "cancel" &&
        orders.get(made.planned.cancel.hash) === undefined
      )
        this.#plans.delete(subject);
  }
}

/** The market that a message is about; undefined for other inputs. */
function marketOf(input: BotInput | undefined): MarketId | undefined {
  if (input?.kind !== "event") return undefined;
  const { event } = input;
  switch (event.type) {
    case "book-snapshot":
    case "book-update":
    case "market-state":
    case "public-trade":
    case "kline":
      return event.marketId;
    default:
      return undefined;
  }
}
