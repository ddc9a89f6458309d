import { expect } from "vitest";
import type { Takeover } from "#account/takeover.js";
import type { UnwindReport } from "#bot/unwind-report.js";
import type { CreditUnits, Lots, Ms, Side, Ticks } from "#core/units.js";
import type { AccountMarket } from "#simulator/account.js";
import type { HandOrder } from "./hand-trader.js";
import { creditOf, MARKET, Stage, type StageOptions } from "./stage.js";

/** The mark, in ticks: what the exchange's market begins at. */
export const MARK: Ticks = 600_000;
/** A lot of 0.001 for one tick of 0.1, in units of 10^-6. */
const TICK_LOT = 100n;

/** Quick enough for a story: offered for 5 s, then sold within 20 s in 4 parts. */
const QUICK = {
  makerFirstMs: 5_000,
  horizonMs: 20_000,
  slices: 4,
  riskAversion: 0,
  maxSlippageBps: 100,
};

/**
 * A bot that acquires liquidated positions, alone or beside its market making, and an exchange
 * whose chain liquidates.
 */
export class AcquiringStage extends Stage {
  readonly #buyer: HandOrder;
  readonly #seller: HandOrder;
  #takeovers = 0;

  /**
   * @param unwind keys over {@link QUICK}.
   * @param alone no strategy: the bot sells acquired positions and does nothing else.
   */
  constructor({
    unwind = {},
    alone = false,
    ...options
  }: StageOptions & { unwind?: Record<string, unknown>; alone?: boolean } = {}) {
    const limits = { maxPositionBase: "0.1", maxOrderBase: "0.05", maxOpenOrders: 12 };
    super({
      ...options,
      bot: {
        chain: { rpc: ["http://chain.test"] },
        liquidator: { minProfitQuote: "1", unwind: { ...QUICK, ...unwind } },
        markets: { [MARKET]: alone ? { limits } : { strategy: "ladder", limits } },
        ...options.bot,
      },
    });
    // A counterparty to sell to and to buy from, a little away from the bot's own prices.
    this.#buyer = this.counterparty.rests("BUY", 400, MARK - 100);
    this.#seller = this.counterparty.rests("SELL", 400, MARK + 100);
  }

  /** A takeover one per cent better than the mark, which only the chain has reported yet. */
  takeover(lots: Lots, part: Partial<Takeover> = {}): Takeover {
    this.#takeovers += 1;
    const price = lots > 0 ? (MARK * 99) / 100 : (MARK * 101) / 100;
    const credit = -BigInt(lots) * BigInt(price) * TICK_LOT;
    return {
      id: `tx ${this.#takeovers}`,
      marketId: MARKET,
      lots,
      credit,
      atMs: this.clock.nowMs(),
      ...part,
    };
  }

  /** The liquidator reports the takeover to the bot. */
  acquires(takeover: Takeover): void {
    this.rig.bot.command({ command: "inherit", takeover });
  }

  /**
   * The exchange has read the block: REST has the position and the income. `told`: the stream
   * reports the income too. `listed`: false where even REST does not list it.
   */
  applies(
    { lots, credit }: Pick<Takeover, "lots" | "credit">,
    {
      told = true,
      listed = true,
      type = "LIQUIDATE",
    }: { told?: boolean; listed?: boolean; type?: "LIQUIDATE" | "LIQUIDATED" } = {},
  ): void {
    const paper = BigInt(lots) * 10n ** 15n;
    const timeMs = this.clock.nowMs();
    const quote = lots > 0 ? -credit : credit;
    const held = this.exchange.account(this.address);
    held?.inMarket(MARKET).position.applySettled({ paper, quote, fee: 0n, timeMs });
    // Its other side, so that no money is made of nothing.
    this.#counterpart().position.applySettled({ paper: -paper, quote, fee: 0n, timeMs });
    const id = `9${this.#takeovers}${timeMs}`;
    if (!listed) return;
    held?.incomes.add({ id, type, amount: credit, timeMs, marketId: MARKET } as never);
    const income = { id, type, amount: credit, timeMs, marketId: MARKET };
    if (told)
      this.rig.bot.accept({
        kind: "event",
        event: { type: "income-update", incomes: [income] } as never,
      });
  }

  /** Removes every bid near the mark. */
  buyersLeave(): void {
    this.counterparty.cancels(this.#buyer);
  }

  /** One side of the book is empty but for the bot. */
  empties(side: Side): void {
    this.counterparty.cancels(side === "BUY" ? this.#buyer : this.#seller);
    this.neighbourLeaves(side);
  }

  /** The value of lots at the mark that the bot knows. */
  atMark(lots: Lots): CreditUnits {
    const mark = this.rig.bot.context.traders.get(MARKET)?.state.mark ?? 0n;
    return (BigInt(lots) * mark) / 1_000n;
  }

  /** The bot's present report of a takeover. */
  report(id = "tx 1"): UnwindReport {
    const found = this.rig.bot.liquidatedInventory
      .reports()
      .find(({ takeoverId }) => takeoverId === id);
    if (found === undefined) throw new Error(`nothing is known of ${id}`);
    return found;
  }

  /** States that the notices of a takeover went through, each once. */
  states(id = "tx 1"): readonly string[] {
    const told = this.notices.flatMap((notice) =>
      notice.kind === "unwind" && notice.unwind.takeoverId === id ? [notice.unwind.state] : [],
    );
    return told.filter((state, at) => state !== told[at - 1]);
  }

  /** Immediate orders that the bot has sent, in short. */
  slices(): readonly string[] {
    return this.notices.flatMap((notice) =>
      notice.kind === "dispatched" &&
      notice.action.kind === "place" &&
      notice.action.timeInForce === "IOC"
        ? [`${notice.action.side} ${notice.action.lots} @ ${notice.action.ticks}`]
        : [],
    );
  }

  /** Immediate orders that the bot has spent a cancel on. */
  cancelledSlices(): number {
    const dispatched = this.notices.flatMap((notice) =>
      notice.kind === "dispatched" ? [notice.action] : [],
    );
    const slices = dispatched.flatMap((action) =>
      action.kind === "place" && action.timeInForce === "IOC" ? [action.hash] : [],
    );
    return dispatched.filter((action) => action.kind === "cancel" && slices.includes(action.hash))
      .length;
  }

  /**
   * Position and profit equal the exchange's to the unit. At every event, the acquired lots are
   * sold or remaining.
   */
  expectUnwound(): void {
    for (const notice of this.notices) {
      if (notice.kind !== "unwind") continue;
      const { acquiredLots, soldLots, remainingLots } = notice.unwind;
      expect(soldLots + remainingLots).toBe(acquiredLots);
    }
    this.expectAgreement();
  }

  /** The profit of a takeover and its sale, with the rest valued at the mark. */
  earned(id = "tx 1"): CreditUnits {
    const { acquiredCredit, proceedsCredit, feesCredit, markCredit } = this.report(id);
    return acquiredCredit + proceedsCredit - feesCredit + (markCredit ?? 0n);
  }

  /** Time passes in steps, and every order under way stays within the price bound. */
  async passesWithin(forMs: Ms, worstTicks: Ticks): Promise<void> {
    for (let waited = 0; waited < forMs; waited += 250) {
      await this.passes(250);
      for (const { side, ticks } of this.resting())
        expect(side === "SELL" ? ticks - worstTicks : worstTicks - ticks).toBeGreaterThanOrEqual(0);
    }
    for (const slice of this.slices()) {
      const [side, , , ticks] = slice.split(" ");
      expect(
        side === "SELL" ? Number(ticks) - worstTicks : worstTicks - Number(ticks),
      ).toBeGreaterThanOrEqual(0);
    }
  }

  #counterpart(): AccountMarket {
    const account = this.exchange.account(this.counterparty.address);
    if (account === undefined) throw new Error("the counterparty has no account");
    return account.inMarket(MARKET);
  }
}

/** Credit that lots bring at a price. */
export function brings(lots: Lots, ticks: Ticks): CreditUnits {
  return creditOf("SELL", lots, ticks);
}
