import type { ProfitParts } from "#account/account-profit.js";
import type { Session } from "#backtest/session-file.js";
import { SessionRecording } from "#backtest/session-recording.js";
import type { BotConfig } from "#bot/config.js";
import { JOURNAL_VERSION } from "#bot/journal.js";
import type { Clock, Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex, Lots, MarketId, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createInstruments } from "#exchange/decode-rules.js";
import { buildHashedOrder, infoExpirationSeconds } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { signParams } from "#exchange/request-signing.js";
import { BotRig, rulesOf } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import type { ExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { parseFlowConfig } from "#simulator/flow-config.js";
import { SyntheticFlow } from "#simulator/synthetic-flow.js";
import { syntheticParams } from "#simulator/synthetic-params.js";

/** The market of every session. */
export const MARKET: MarketId = "btcusdc";
const START_MS: Ms = 1_723_161_000_000;
/** The market trades so long before the bot starts. */
const BEFORE_MS: Ms = 4_000;
const PRIVATE_KEY: Hex = `0x${"17".repeat(32)}`;

/** A market and its bot, up to the instant at which the bot starts. */
export interface Opening {
  /** Seed of everything before that instant. */
  readonly seed: string;
  readonly exchange: ExchangeConfig;
  /** Signed position that the bot's account holds then. */
  readonly positionLots: Lots;
  readonly durationMs: Ms;
}

/** The result of a continuation. */
export interface Continuation {
  readonly profit: ProfitParts;
  readonly fills: number;
  /** Of a recorded one. */
  readonly session: Session | undefined;
}

/**
 * Continues an opening with a bot, in virtual time on the embedded exchange. Up to the bot's start
 * everything is the opening's; from then on other traders and delays follow the continuation.
 * @param continuation seed of everything after the start
 * @param folder where the session is recorded; undefined for a run of which only the profit counts
 */
export async function continueMarket(
  opening: Opening,
  config: BotConfig,
  continuation: string,
  folder?: string,
): Promise<Continuation> {
  const clock = new VirtualClock(START_MS);
  const createRandom = (name: string): Random => ({
    ...switched(
      clock,
      seededRandom(`${opening.seed}/${name}`),
      seededRandom(`${opening.seed}/${continuation}/${name}`),
    ),
  });
  const scheme = keyedScheme();
  const exchange = new EmbeddedExchange(
    opening.exchange,
    { clock, random: createRandom("exchange") },
    { scheme, createFlow: () => flowOf(opening.exchange, createRandom) },
  );
  exchange.start();
  const signer = scheme.signer(PRIVATE_KEY);
  exchange.register(signer.address);
  await clock.runFor(BEFORE_MS - 1_000);
  if (opening.positionLots !== 0) takePosition(exchange, clock, signer, opening.positionLots);
  await clock.runFor(1_000);
  const runtime = { clock, random: createRandom("bot") };
  const rules = rulesOf(exchange, [MARKET]);
  const failed: unknown[] = [];
  let recording: SessionRecording | undefined;
  if (folder !== undefined) {
    SessionRecording.claim(folder);
    recording = await SessionRecording.begin(
      {
        folder,
        config,
        mode: "live",
        version: "1.0.0",
        runtime,
        onFailed: (error) => failed.push(error),
      },
      { account: signer.address, rules, registered: true },
    );
  }
  const stamp = { atMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  const turnRecorder = recording?.createTurnRecorder({
    journal: JOURNAL_VERSION,
    account: signer.address,
    config,
    rules,
    stamp,
    state: {},
  });
  let fills = 0;
  const rig: BotRig = new BotRig({
    door: exchange,
    rules,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], createRandom("network")),
      "10.0.0.1",
    ),
    clock,
    random: runtime.random,
    scheme,
    privateKey: PRIVATE_KEY,
    config,
    observe: (notice) => {
      if (notice.kind === "account" && notice.change.kind === "fill") fills += 1;
      recording?.onBotEvent(notice, rig.bot);
    },
    ...(turnRecorder === undefined ? {} : { turnRecorder }),
    tap: {
      event: (event) => {
        recording?.onVenueEvent(event);
        return event;
      },
    },
  });
  rig.start();
  await clock.runFor(opening.durationMs);
  const profit = rig.bot.context.account.profit();
  let session: Session | undefined;
  if (recording !== undefined) {
    rig.bot.command({ command: "stop", reason: "the session is over" });
    await clock.runFor(5_000);
    session = await recording.close();
  }
  rig.kill();
  exchange.stop();
  if (failed.length > 0) throw failed[0];
  return { profit, fills, session };
}

/** Draws from the first until the bot starts, and from the second afterwards. */
function switched(clock: Clock, before: Random, after: Random): Random {
  const present = (): Random => (clock.monotonicMs() < BEFORE_MS ? before : after);
  return { uniform: () => present().uniform(), uint64: () => present().uint64() };
}

function flowOf(
  { markets }: ExchangeConfig,
  createRandom: (name: string) => Random,
): SyntheticFlow {
  const flow = parseFlowConfig(markets[MARKET]?.flow);
  if (flow.kind !== "synthetic") throw new Error("the market has another flow");
  const { kind: _, startPriceQuote, preset, seed: _seed, leveraged: _traders, ...changed } = flow;
  return new SyntheticFlow({
    params: syntheticParams(preset, changed),
    seed: "",
    startPriceQuote,
    createRandom,
  });
}

/** Buys or sells at the market on the bot's account, as an earlier run of it would have. */
function takePosition(
  exchange: EmbeddedExchange,
  clock: Clock,
  signer: ReturnType<ReturnType<typeof keyedScheme>["signer"]>,
  positionLots: Lots,
): void {
  const rules = rulesOf(exchange, [MARKET]);
  const market = rules.markets[MARKET];
  const instrument = createInstruments(rules).get(MARKET);
  if (market === undefined || instrument === undefined) throw new Error("the market has no rules");
  const { bids, asks } = exchange.book(MARKET);
  const side = positionLots > 0 ? "BUY" : "SELL";
  const best = (side === "BUY" ? asks : bids)[0]?.[0] ?? 0;
  const ticks = side === "BUY" ? best + 500 : best - 500;
  const { order, digest } = buildHashedOrder(new OrderHasher(rules.eip712.domainSeparator), {
    rules: market,
    instrument,
    side,
    ticks,
    lots: Math.abs(positionLots),
    signer: signer.address,
    expirationSeconds: infoExpirationSeconds("GTC", clock.nowMs(), 0),
    nonce: 7n,
  });
  const answer = exchange.handle({
    method: "POST",
    path: "/v1/order",
    query: "",
    body: signParams(
      {
        marketId: MARKET,
        side,
        orderType: "LIMIT",
        amount: instrument.formatAmount(Math.abs(positionLots)),
        price: instrument.formatPrice(ticks),
        timeInForce: "IOC",
        orderSignature: signer.sign(digest),
        info: order.info,
      },
      signer.address,
      clock.nowMs(),
      signer,
    ),
    contentType: "application/x-www-form-urlencoded",
    ip: "10.0.0.9",
  });
  if (answer.status !== 200) throw new Error(`the opening order was refused: ${answer.body}`);
}
