import type { BotConfig } from "../../bot/config/config.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { MemoryStateStore } from "../../bot/state/state-dir.js";
import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { Clock } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { BotRig, rulesOf } from "../../simulation/bot-rig.js";
import type { FaultSource } from "../../simulation/faults.js";
import { FaultyNetwork } from "../../simulation/faulty-network.js";
import { MachineClock } from "../../simulation/machine-clock.js";
import { MortalClock } from "../../simulation/mortal-clock.js";
import { startSimulatedGuard } from "../../simulation/simulated-guard.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { RequestCounter } from "../measures/request-counter.js";
import type { HedgeExchanges } from "./hedge-exchanges.js";

const PRIVATE_KEY: Hex = `0x${"42".repeat(32)}`;
/** Bot and guard run on one machine, and share its address. */
const ADDRESS = "10.0.0.1";
/** Pause of the supervisor between two starts. */
const START_AGAIN_MS: Ms = 1_000;

/** Dependencies of {@link BotMachine}. */
export interface BotMachineDeps {
  readonly bot: BotConfig;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly seed: number;
  readonly clock: Clock;
  readonly scheme: SignatureScheme;
  readonly exchange: EmbeddedExchange;
  readonly faults: FaultSource;
  readonly hedges: HedgeExchanges;
  readonly onNotice: (notice: BotEvent) => void;
  /** The bot runs: at its start, and after each death. */
  readonly onStart: () => void;
  /** A cancel of the guard has reached the exchange. */
  readonly onGuardCancel: () => void;
  readonly onGuard: (text: string) => void;
}

/** The machine of a bot with its supervisor, and the guard beside it. */
export class BotMachine {
  readonly account: Hex;
  readonly clock: MachineClock;
  readonly requests = new RequestCounter();
  /** Undefined while its process is dead. */
  rig: BotRig | undefined;
  readonly #deps: BotMachineDeps;
  readonly #store = new MemoryStateStore();
  readonly #guardRequests: RequestCounter;
  #network: FaultyNetwork | undefined;
  #guardNetwork: FaultyNetwork | undefined;
  #guardClock: MortalClock | undefined;
  #starts = 0;
  #isWanted = true;

  constructor(deps: BotMachineDeps) {
    this.#deps = deps;
    this.clock = new MachineClock(deps.clock);
    this.account = deps.scheme.signer(PRIVATE_KEY).address;
    this.#guardRequests = new RequestCounter(deps.onGuardCancel);
  }

  /** Starts the bot, as soon as its exchanges run. */
  startBot(): void {
    const { exchange, hedges, clock, faults, seed, bot, scheme, strategies } = this.#deps;
    if (!this.#isWanted || this.rig !== undefined) return;
    if (!exchange.isRunning || !hedges.isRunning) {
      clock.setTimer(START_AGAIN_MS, () => this.startBot());
      return;
    }
    this.#starts += 1;
    const network = new FaultyNetwork(this.requests.door(exchange), clock, faults, ADDRESS);
    this.#network = network;
    this.rig = new BotRig({
      door: exchange,
      transport: network,
      clock: this.clock,
      random: seededRandom(`rehearsal bot ${seed} ${this.#starts}`),
      scheme,
      privateKey: PRIVATE_KEY,
      config: bot,
      store: this.#store,
      strategies,
      hedgeVenues: hedges.open(
        this.clock,
        seededRandom(`rehearsal hedges ${seed} ${this.#starts}`),
      ),
      observe: this.#deps.onNotice,
    });
    this.#deps.onStart();
    this.rig.start();
  }

  startGuard(): void {
    const { exchange, clock, faults, bot, scheme, onGuard } = this.#deps;
    if (!exchange.isRunning) {
      clock.setTimer(START_AGAIN_MS, () => this.startGuard());
      return;
    }
    const network = new FaultyNetwork(this.#guardRequests.door(exchange), clock, faults, ADDRESS);
    this.#guardNetwork = network;
    this.#guardClock = new MortalClock(clock);
    startSimulatedGuard({
      bot,
      door: exchange,
      network,
      clock: this.#guardClock,
      signer: scheme.signer(PRIVATE_KEY),
      store: this.#store,
      onNotice: ({ kind }) => {
        if (kind !== "watching") onGuard(kind);
      },
    });
  }

  /** Ends the bot as `kill -9` does. */
  killBot(): void {
    this.rig?.kill();
    this.rig = undefined;
    this.#network?.cut();
    this.#deps.hedges.cut();
  }

  killGuard(): void {
    this.#guardClock?.kill();
    this.#guardNetwork?.cut();
  }

  /** The network of bot and guard to the exchange is up or down. */
  setReachable(isReachable: boolean): void {
    for (const network of [this.#network, this.#guardNetwork])
      if (network !== undefined) network.down = !isReachable;
    if (!isReachable) this.dropStreams();
  }

  dropStreams(): void {
    this.#network?.dropStreams("connection reset");
  }

  /** Asks the bot to stop, as Ctrl-C does; it is not started again. */
  stopBot(): void {
    this.#isWanted = false;
    this.rig?.bot.command({ command: "stop", reason: "the rehearsal is over" });
  }

  /** The rules of the bot's markets, as it reads them. */
  readRules() {
    return rulesOf(this.#deps.exchange, Object.keys(this.#deps.bot.markets));
  }
}
