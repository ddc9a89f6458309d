import { html } from "../chart/html.js";
import { Figure, figureList } from "./figure-list.js";
import {
  clockText,
  countText,
  decimalText,
  durationText,
  numberText,
  shortAddress,
  signedText,
} from "./format.js";
import type { BotStatus } from "./frame.js";
import { KeyedList, type ListItem } from "./keyed-list.js";
import { MoneyElement } from "./money-element.js";
import { type Column, dataTable, panel, scrollBox, tableRow } from "./panel.js";
import { setShown, setText } from "./update-element.js";

type Liquidator = NonNullable<BotStatus["liquidator"]>;
type Opportunity = Liquidator["ended"][number];

const COLUMNS = [
  { title: "account", isText: true },
  { title: "market", isText: true, isWide: true },
  { title: "outcome", isText: true },
  { title: "profit" },
  { title: "what happened", isText: true },
] as const satisfies readonly Column[];

const NEAREST_COLUMNS = [
  { title: "account", isText: true },
  { title: "away, bps" },
  { title: "gain if taken" },
] as const satisfies readonly Column[];

const SALE_COLUMNS = [
  { title: "market", isText: true },
  { title: "state", isText: true },
  { title: "taken over" },
  { title: "left" },
  { title: "earned" },
] as const satisfies readonly Column[];

/** Liquidations: what was won, lost and to whom, and the profit that was missed. */
export class LiquidationsPanel {
  readonly element: HTMLElement;
  readonly #profit = new Figure("Profit of takeovers", "profit");
  readonly #won = new Figure("Won", "text");
  readonly #lost = new Figure("Lost", "text");
  readonly #missed = new Figure("Too small", "text");
  readonly #failed = new Figure("Reverted or refused", "text");
  readonly #watched = new Figure("Watched", "text");
  readonly #tip = html("p", "hint");
  readonly #none = html("p", "empty", "No account could be liquidated yet.");
  readonly #opportunities: KeyedList<Opportunity>;
  readonly #nearest: KeyedList<Liquidator["nearest"][number]>;
  readonly #sales: KeyedList<BotStatus["unwinding"][number]>;
  readonly #saleBlock = html("div");
  #quoteAsset = "";

  constructor() {
    const { element, body } = panel("Liquidations", "liquidations", 2);
    this.element = element;
    const history = dataTable("Opportunities, newest first", COLUMNS);
    this.#opportunities = new KeyedList(history.body, opportunityKey, () =>
      opportunityRow(() => this.#quoteAsset),
    );
    const box = scrollBox("Opportunities");
    box.append(history.table, this.#none);
    const nearest = dataTable("Accounts nearest to liquidation", NEAREST_COLUMNS);
    this.#nearest = new KeyedList(nearest.body, ({ account }) => account, nearestRow);
    const nearestBox = scrollBox("Accounts nearest to liquidation");
    nearestBox.append(nearest.table);
    const sales = dataTable("Takeovers in sale", SALE_COLUMNS);
    this.#sales = new KeyedList(sales.body, ({ takeoverId }) => takeoverId, saleRow);
    const saleBox = scrollBox("Takeovers in sale");
    saleBox.append(sales.table);
    this.#saleBlock.append(html("h3", "", "Sale of what was taken over"), saleBox);
    const left = html("div");
    left.append(html("h3", "", "Opportunities"), box, this.#tip);
    const right = html("div");
    right.append(html("h3", "", "Nearest to liquidation"), nearestBox, this.#saleBlock);
    const two = html("div", "two-thirds");
    two.append(left, right);
    body.append(
      figureList(
        "six",
        this.#profit,
        this.#won,
        this.#lost,
        this.#missed,
        this.#failed,
        this.#watched,
      ),
      two,
    );
  }

  update({ liquidator, unwinding, quoteAsset }: BotStatus): void {
    setShown(this.element, liquidator !== undefined);
    if (liquidator === undefined) return;
    this.#quoteAsset = quoteAsset ?? "";
    const { counts, ended, open, nearest, suggestedTipGwei, paused, rpcs } = liquidator;
    this.#profit.update(
      counts.profitQuote,
      this.#quoteAsset,
      `less gas, ${decimalText(counts.gasEth)} ETH`,
    );
    this.#won.update(numberText(counts.won, 0), "", `of ${counts.confirmed} that could be taken`);
    this.#lost.update(numberText(counts.lost, 0), "", "to others");
    this.#missed.update(numberText(counts.unprofitable, 0), "", "below the least profit");
    this.#failed.update(numberText(counts.reverted + counts.refused, 0));
    const blind = rpcs.filter(({ distrust }) => distrust !== undefined);
    this.#watched.update(
      numberText(liquidator.watched, 0),
      "accounts",
      paused !== undefined
        ? `paused: ${paused}`
        : blind.length > 0
          ? `${blind[0]?.name}: ${blind[0]?.distrust}`
          : `block ${liquidator.blockNumber ?? "–"}${headAge(rpcs)}`,
    );
    this.#watched.warn(paused !== undefined || blind.length > 0);
    setShown(this.#none, ended.length + open.length === 0);
    this.#opportunities.update([...ended, ...open].reverse());
    this.#nearest.update(nearest);
    this.#sales.update(unwinding);
    setShown(this.#saleBlock, unwinding.length > 0);
    setText(
      this.#tip,
      suggestedTipGwei === undefined
        ? ""
        : `A tip of ${decimalText(suggestedTipGwei)} gwei would have won more of the races that were lost.`,
    );
  }
}

function headAge(rpcs: Liquidator["rpcs"]): string {
  const ages = rpcs.flatMap(({ headAgeMs }) => headAgeMs ?? []);
  return ages.length === 0 ? "" : `, ${durationText(Math.min(...ages))} old`;
}

function opportunityKey({ victim, marketId, atMs }: Opportunity): string {
  return `${victim} ${marketId} ${Object.values(atMs)[0]}`;
}

function opportunityRow(quoteAsset: () => string): ListItem<Opportunity> {
  const { row, cells } = tableRow(COLUMNS);
  const [victim, market, outcome, profit, story] = cells;
  const money = new MoneyElement(profit, true);
  return {
    element: row,
    update: (opportunity) => {
      setText(victim, shortAddress(opportunity.victim));
      setText(market, opportunity.marketId);
      setText(outcome, `${OUTCOME_SIGNS[opportunity.outcome] ?? "○"} ${opportunity.outcome}`);
      money.update(opportunity.profitQuote);
      setText(story, storyOf(opportunity, quoteAsset()));
    },
  };
}

const OUTCOME_SIGNS: Readonly<Record<string, string>> = { won: "●", lost: "■", reverted: "■" };

/** Tells the end of an opportunity, in a sentence. */
export function storyOf(opportunity: Opportunity, quoteAsset: string): string {
  const { lostTo, shortOfQuote, expectedProfitQuote, gasQuote, remainingBase, reason, atMs } =
    opportunity;
  const times = Object.values(atMs).filter((ms) => typeof ms === "number");
  const when = times.length === 0 ? "" : `${clockText(Math.min(...times))}: `;
  const parts: string[] = [];
  if (lostTo !== undefined)
    parts.push(
      `${shortAddress(lostTo.winner)} won ${lostTo.blocksBefore === 0 ? "in the same block" : `${countText(lostTo.blocksBefore, "block")} earlier`} with a tip of ${decimalText(lostTo.tipGwei)} gwei`,
    );
  if (shortOfQuote !== undefined)
    parts.push(`${decimalText(shortOfQuote)} ${quoteAsset} short of the least profit`);
  if (expectedProfitQuote !== undefined)
    parts.push(
      `${opportunity.outcome === "won" ? "expected" : "missed"} ${signedText(expectedProfitQuote)} ${quoteAsset}`,
    );
  if (gasQuote !== undefined) parts.push(`gas ${decimalText(gasQuote)} ${quoteAsset}`);
  if (remainingBase !== undefined && /[1-9]/.test(remainingBase))
    parts.push(`${decimalText(remainingBase)} still to be sold`);
  if (reason !== undefined) parts.push(reason);
  return `${when}${parts.join("; ")}`;
}

function nearestRow(): ListItem<Liquidator["nearest"][number]> {
  const { row, cells } = tableRow(NEAREST_COLUMNS);
  const [account, distance, gain] = cells;
  const money = new MoneyElement(gain, true);
  return {
    element: row,
    update: (near) => {
      setText(account, shortAddress(near.account));
      setText(distance, near.distanceBps === null ? "never" : numberText(near.distanceBps, 1));
      money.update(near.discountQuote);
    },
  };
}

function saleRow(): ListItem<BotStatus["unwinding"][number]> {
  const { row, cells } = tableRow(SALE_COLUMNS);
  const [market, state, acquired, left, earned] = cells;
  const money = new MoneyElement(earned, true);
  return {
    element: row,
    update: (sale) => {
      setText(market, sale.marketId);
      setText(state, sale.state);
      setText(acquired, decimalText(sale.inheritedBase));
      setText(left, decimalText(sale.remainingBase));
      money.update(sale.earnedQuote);
    },
  };
}
