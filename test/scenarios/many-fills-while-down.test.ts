import { describe, expect, it } from "vitest";
import { CorruptStateError } from "#bot/state-dir.js";
import { MISSING_TRADES_FILE, TradeBackfill } from "#bot/trade-backfill.js";
import { FILLS_FILE } from "#bot/trade-log.js";
import { ecdsaScheme } from "#core/signing.js";
import type { MarketId } from "#core/units.js";
import type { VenueTrade } from "#exchange/records.js";
import { RestClient } from "#exchange/rest-client.js";
import { createLog } from "#monitoring/log.js";
import { BID, BOT_KEY, MARKET, Stage } from "./stage.js";

type Ask = (marketId: MarketId, fromId?: string) => Promise<VenueTrade[]>;

/**
 * A stage whose bot backfills the trades older than the newest ones that it receives at its start.
 */
class LongAway extends Stage {
  readonly lines: Record<string, unknown>[] = [];
  readonly asked: (string | undefined)[] = [];
  earlier: TradeBackfill | undefined;

  /** The bot starts; `ask` answers for the exchange. */
  async comesBack(runMs: number, ask?: Ask): Promise<void> {
    // Each start has its own network.
    const client = () =>
      new RestClient({
        transport: this.network,
        signer: ecdsaScheme.signer(BOT_KEY),
        nowMs: () => this.clock.nowMs(),
      });
    const asking: Ask = ask ?? ((marketId, fromId) => client().userTrades(marketId, fromId));
    const log = createLog(
      { write: (line) => void this.lines.push(JSON.parse(line)) },
      { level: "info", clock: this.clock },
    );
    const earlier = new TradeBackfill({
      store: this.store,
      client: {
        userTrades: (marketId, fromId) => {
          this.asked.push(fromId);
          return asking(marketId, fromId);
        },
      },
      clock: this.clock,
      log,
      onRequest: () => this.rig.bot.command({ command: "asked" }),
    });
    this.earlier = earlier;
    this.listeners.splice(0, this.listeners.length, (notice) => earlier.onBotEvent(notice));
    await this.botStarts(0);
    earlier.attach(this.rig.bot);
    await this.passes(runMs);
  }

  override botIsKilled(): void {
    super.botIsKilled();
    this.earlier?.close();
  }

  /** Ids of the fills in the account's record, in its order. */
  fills(): readonly string[] {
    const lines = (this.store.read(FILLS_FILE) ?? "").split("\n").filter((line) => line !== "");
    return lines
      .map((line) => JSON.parse(line) as { event: string; id: string })
      .flatMap(({ event, id }) => (event === "fill" ? [id] : []));
  }

  said(message: string): readonly Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }
}

const BUSY = { exchange: { rateLimits: { order: 10_000, common: 20_000, intervalMs: 60_000 } } };

/**
 * The bot had one fill, and was killed. Since then its quote and a big manual order of its owner
 * were filled by `away` trades.
 */
async function longAway(away: number): Promise<LongAway> {
  const stage = new LongAway(BUSY);
  await stage.comesBack(3_000);
  stage.counterparty.sells(1, BID);
  await stage.passes(500);
  stage.botIsKilled();
  stage.owner.rests("BUY", away, BID);
  for (let trade = 0; trade < away; trade++) {
    stage.counterparty.sells(1, BID);
    if (trade % 100 === 0) await stage.passes(100);
  }
  await stage.passes(20_000);
  stage.wants({ bid: null, ask: null });
  return stage;
}

describe("more was matched while no bot ran than the newest 500 trades that a start is told", () => {
  it("the record has every fill, and has it once, however many starts follow; the position was right all the time", async () => {
    const stage = await longAway(520);
    await stage.comesBack(10_000);
    expect(stage.positionLots()).toBe(521);
    stage.expectAgreement();
    const fills = stage.fills();
    expect(new Set(fills).size).toBe(521);
    expect(fills).toHaveLength(521);
    expect(stage.said("filled while no bot ran")).toEqual([
      expect.objectContaining({
        level: "warn",
        marketId: MARKET,
        fills: 20,
        bought: "0.02",
        sold: "0",
      }),
    ]);
    expect(stage.said("all fills of the time while no bot ran are known")).toHaveLength(1);
    expect(stage.asked).toHaveLength(1);
    expect(stage.store.read(MISSING_TRADES_FILE)).toBe("{}");

    stage.botIsKilled();
    await stage.comesBack(5_000);
    expect(stage.fills()).toHaveLength(521);
    expect(stage.asked, "nothing is left to be asked").toHaveLength(1);

    // A record from which a start's page does not reach what is written: page by page, through
    // trouble, a kill and a budget without tokens.
    stage.botIsKilled();
    const [first = ""] = stage.fills();
    const whole = stage.store.read(FILLS_FILE) ?? "";
    stage.store.write(FILLS_FILE, `${whole.split("\n")[0]}\n`);
    const oldest = BigInt(first) + 1n;
    let troubled = 0;
    const paged: Ask = async (marketId, fromId) => {
      if (troubled++ === 0) throw new Error("502");
      return Array.from({ length: 500 }, (_, at) =>
        made(marketId, BigInt(fromId ?? 0) + BigInt(at)),
      );
    };
    stage.asked.length = 0;
    await stage.comesBack(1_000, paged);
    expect(stage.said("reading the trades of the time while no bot ran failed")).toHaveLength(1);
    expect(stage.asked).toEqual([String(oldest)]);
    stage.botIsKilled();
    expect(JSON.parse(stage.store.read(MISSING_TRADES_FILE) ?? "")).toMatchObject({
      [MARKET]: { afterId: first },
    });
    await stage.comesBack(3_000, paged);
    expect(
      stage.asked.slice(1),
      "the next run goes on with it, and ends where it meets what is told",
    ).toEqual([String(oldest)]);
    expect(new Set(stage.fills()).size).toBe(stage.fills().length);
  });

  it("waits while the bot itself may need its tokens", async () => {
    const stage = new LongAway();
    stage.store.write(
      FILLS_FILE,
      `${JSON.stringify({ event: "fill", id: "1", marketId: MARKET })}\n`,
    );
    stage.store.write(
      MISSING_TRADES_FILE,
      JSON.stringify({ [MARKET]: { afterId: "1", beforeId: "9" } }),
    );
    await stage.comesBack(0, async () => []);
    for (let spent = 0; spent < 1_300; spent++) stage.rig.bot.command({ command: "asked" });
    await stage.passes(20_000);
    expect(stage.asked).toEqual([]);
    await stage.passes(60_000);
    expect(stage.asked).toEqual(["2"]);
    expect(stage.store.read(MISSING_TRADES_FILE)).toBe("{}");
  });

  it.each([
    "{",
    '{"btcusdc":{"afterId":"1"}}',
    '{"btcusdc":{"afterId":"-1","beforeId":"2"}}',
    "[1]",
  ])("is not begun on a broken file: %s", (text) => {
    const stage = new LongAway();
    stage.store.write(MISSING_TRADES_FILE, text);
    return expect(stage.comesBack(0)).rejects.toThrow(CorruptStateError);
  });
});

function made(marketId: MarketId, id: bigint): VenueTrade {
  const terms = {
    side: "BUY",
    isMaker: true,
    ticks: BID,
    lots: 1,
    quote: 59_999_000n,
    commission: 0n,
    timeMs: 0,
    status: "SETTLED",
  } as const;
  return { id: String(id), marketId, ...terms };
}
