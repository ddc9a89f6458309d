import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Runtime } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { CreditUnits, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { EmbeddedHedgeVenue } from "#hedge/embedded-hedge-venue.js";
import type { HedgeEvent } from "#hedge/hedge-venue.js";
import { BotRig, rulesOf } from "#simulation/bot-rig.js";
import { DeepVenue } from "#simulation/deep-venue.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import type { OrderFlow } from "#simulator/flow-market.js";
import { botConfig } from "../../simulation/bot-config.js";
import { tappedHedgeVenue } from "../../simulation/hedge/tapped-hedge-venue.js";
import { ReferenceVenue } from "../../simulation/references/reference-venue.js";

const MARKET = "btcusdc";
export const MINUTE_MS: Ms = 60_000;
/** A whole minute, so that fundings are at whole minutes of the test. */
const START_MS: Ms = 1_700_000_040_000;
const PRICE = 60_000;
const KEYS = {
  here: `0x${"42".repeat(32)}`,
  there: `0x${"43".repeat(32)}`,
} as const;

/** The rates that an exchange pays, as a fraction a minute. */
interface CarryRates {
  readonly here: string;
  readonly there: string;
}

/** A bot with the carry trade between two exchanges whose prices stand still. */
export class CarryWorld {
  readonly clock = new VirtualClock(START_MS);
  readonly exchanges: Readonly<Record<keyof CarryRates, EmbeddedExchange>>;
  readonly rig: BotRig;
  /** Fundings that the exchange here has reported to the bot. */
  readonly paidHere: CreditUnits[] = [];
  /** The rate that the hedge venue announces instead of its own. */
  announcedThere: number | undefined;
  readonly #scheme = keyedScheme();
  readonly #folder = mkdtempSync(join(tmpdir(), "carry-rates-"));

  /** @param carry keys of `carry`, beside those of the test */
  constructor(rates: CarryRates, carry: Record<string, unknown> = {}) {
    const { clock } = this;
    const flows = {
      here: () => new ReferenceVenue(() => PRICE, seededRandom("small")),
      there: () => new DeepVenue(() => PRICE, seededRandom("deep"), 200),
    };
    const exchange = (leg: keyof CarryRates): EmbeddedExchange =>
      new EmbeddedExchange(
        parseExchangeConfig({
          seed: leg,
          markets: {
            [MARKET]: { funding: { mode: "fixed", rate: rates[leg], intervalMs: MINUTE_MS } },
          },
          gasFee: { waiverMultiple: 0 },
          settlement: { delayMs: 500 },
          rateLimits: { common: 0, order: 0 },
        }),
        { clock, random: seededRandom(`exchange ${leg}`) },
        { scheme: this.#scheme, createFlow: flows[leg] as () => OrderFlow },
      );
    this.exchanges = { here: exchange("here"), there: exchange("there") };
    const machine = new MachineClock(clock);
    const network = (leg: keyof CarryRates): FaultyNetwork =>
      new FaultyNetwork(
        this.exchanges[leg],
        clock,
        new FaultSource([], seededRandom(leg)),
        "10.0.0.1",
      );
    for (const leg of LEGS) {
      this.exchanges[leg].start();
      this.exchanges[leg].register(this.#scheme.signer(KEYS[leg]).address);
    }
    const runtime: Runtime = { clock: machine, random: seededRandom("hedge") };
    const venue = new EmbeddedHedgeVenue({
      transport: network("there"),
      runtime,
      signer: this.#scheme.signer(KEYS.there),
      rules: rulesOf(this.exchanges.there, [MARKET]),
      symbols: [MARKET],
    });
    this.rig = new BotRig({
      door: this.exchanges.here,
      transport: network("here"),
      clock: machine,
      random: seededRandom("bot"),
      scheme: this.#scheme,
      privateKey: KEYS.here,
      config: carryFile(this.#folder, rates, carry),
      hedgeVenues: new Map([
        ["deep", tappedHedgeVenue(venue, [{ event: (event) => this.#announced(event) }])],
      ]),
      tap: {
        event: (event) => {
          if (event.type === "income-update")
            for (const { type, amount } of event.incomes)
              if (type === "FUNDING_FEE") this.paidHere.push(amount);
          return event;
        },
      },
    });
  }

  /** Both legs as the exchanges have them, in lots. */
  get legs(): readonly [here: number, there: number] {
    return [this.#lots("here"), this.#lots("there")];
  }

  /** The newest reason of the strategy. */
  get reason() {
    return this.rig.bot.context.traders.get(MARKET)?.submitted?.reason;
  }

  get hedger() {
    return this.rig.bot.context.hedges.get(MARKET)?.hedger;
  }

  /** Starts the bot, once the exchanges have a book. */
  async start(): Promise<void> {
    await this.clock.runFor(1_000);
    this.rig.start();
  }

  async passes(forMs: Ms): Promise<void> {
    await this.clock.runFor(forMs);
  }

  stop(): void {
    this.rig.kill();
    rmSync(this.#folder, { recursive: true, force: true });
    for (const leg of LEGS) this.exchanges[leg].stop();
  }

  #lots(leg: keyof CarryRates): number {
    return this.exchanges[leg].positionLots(this.#scheme.signer(KEYS[leg]).address, MARKET);
  }

  /** Replaces the rate that the hedge venue announces. */
  #announced(event: HedgeEvent): HedgeEvent {
    return event.type === "funding-rate" && this.announcedThere !== undefined
      ? { ...event, fundingRate: this.announcedThere }
      : event;
  }
}

const LEGS = ["here", "there"] as const;

function carryFile(folder: string, rates: CarryRates, carry: Record<string, unknown>) {
  const file = (leg: keyof CarryRates): string => {
    const path = join(folder, `${leg}.ndjson`);
    // Two hours of the past: the rate, and every sixth minute half of it.
    const lines = Array.from({ length: 120 }, (_, at) =>
      JSON.stringify({
        fundingRate: `${Number(rates[leg]) * (at % 6 === 0 ? 0.5 : 1)}`,
        fundingTime: START_MS - (120 - at) * MINUTE_MS,
      }),
    );
    writeFileSync(path, lines.join("\n"));
    return path;
  };
  return botConfig({
    hedgeVenues: {
      deep: {
        ccxt: "binanceusdm",
        keyEnv: "HEDGE_KEY",
        secretEnv: "HEDGE_SECRET",
        takerFeeBps: 3,
      },
    },
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 20 },
    decide: { everyMs: 500, onTouchChange: false, minGapMs: 200 },
    markets: {
      [MARKET]: {
        strategy: "funding",
        params: {
          halfSpreadBps: 3,
          sizeBase: 0.02,
          holdingMs: 10 * MINUTE_MS,
          rate: { periodMs: MINUTE_MS },
          carry: {
            legBase: 0.1,
            rateFiles: { here: file("here"), there: file("there") },
            ...carry,
          },
        },
        limits: { maxPositionBase: "2", maxOrderBase: "1", maxOpenOrders: 12 },
        hedge: { venue: "deep", symbol: MARKET, maxUnhedgedBase: "0.01" },
      },
    },
  });
}
