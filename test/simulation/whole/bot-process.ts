import type { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import type { JournalSink } from "#bot/journal.js";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary } from "#bot/run-summary.js";
import type { RunBotOptions, RunningBot } from "#bot/running-bot.js";
import type { StateStore } from "#bot/state-dir.js";
import type { InProcessRpc } from "#chain/rpc-transport.js";
import type { TransactionRecord } from "#chain/transaction-store.js";
import type { CliContext, TextStream } from "#cli/cli-context.js";
import { exitCodeFor } from "#cli/exit.js";
import { reportRunEnd } from "#cli/report-run-end.js";
import type { Clock, Random } from "#core/runtime.js";
import type { Hex } from "#core/units.js";
import type { Transport } from "#exchange/transport.js";
import { silentLog } from "#monitoring/log.js";

/** The state that a machine keeps when a process on it dies. */
export interface Machine {
  readonly store: StateStore;
  readonly lanes: TransactionRecord[];
}

/** How a run ended: as `marketwright run` ends. */
export interface ProcessEnd {
  readonly exitCode: number;
  readonly positionBase: Readonly<Record<string, string | null>>;
  /** Everything that was printed. */
  readonly text: string;
}

/** The options of a process. */
export interface BotProcessOptions {
  readonly config: BotConfig;
  readonly privateKey: Hex;
  readonly clock: Clock;
  readonly random: Random;
  readonly machine: Machine;
  readonly network: Transport;
  readonly nodes: readonly InProcessRpc[];
  /** Changes the start options, to switch a rule off. */
  readonly rework: (options: RunBotOptions) => RunBotOptions;
  /** Receives the bot once, before its first turn. */
  readonly onBot: (bot: Bot) => void;
  readonly onNotice: (notice: BotEvent) => void;
  /** Receives the journal of the bot. */
  readonly journal?: JournalSink;
  /** Called if the process ends by itself: with its summary, or by an error. */
  readonly onEnd: (end: ProcessEnd | { readonly error: unknown }) => void;
}

/**
 * The process of `marketwright run`: the bot with its liquidator, built as the command builds it,
 * on the simulation's network, RPCs and machine. After a kill it receives, sends and writes
 * nothing.
 */
export class BotProcess {
  #isDead = false;
  #bot: Bot | undefined;
  #running: RunningBot | undefined;
  #stopReason: string | undefined;
  readonly #options: BotProcessOptions;

  constructor(options: BotProcessOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.#isDead;
  }

  start(): void {
    const { config, privateKey, clock, random, machine, network, nodes, rework, onNotice } =
      this.#options;
    const { journal } = this.#options;
    const mortal: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, this.#ifAlive(fire)),
    };
    const options: RunBotOptions = {
      config,
      privateKey,
      runtime: { clock: mortal, random },
      store: machine.store,
      log: silentLog,
      transport: network,
      ...(journal === undefined
        ? {}
        : { journal: { write: this.#ifAlive((line: string) => journal.write(line)) } }),
      chain: {
        rpcs: nodes.map(({ name, call }) => ({
          name,
          call: (method, params) =>
            new Promise((resolve, reject) => {
              if (!this.#isDead)
                call(method, params).then(this.#ifAlive(resolve), this.#ifAlive(reject));
            }),
        })),
        laneStore: () => ({
          load: () => [...machine.lanes],
          append: this.#ifAlive((record: TransactionRecord) => void machine.lanes.push(record)),
          close: () => {},
        }),
      },
      record: async () => ({
        onVenueEvent: () => {},
        createTurnRecorder: () => ({ action: () => {}, turn: () => {} }),
        onBotEvent: (notice, bot) => {
          if (this.#isDead) return;
          this.#attach(bot);
          onNotice(notice);
        },
      }),
    };
    startBot(rework(options)).then(
      this.#ifAlive((running: RunningBot) => this.#runs(running)),
      this.#ifAlive((error: unknown) => this.#ends({ error })),
    );
  }

  /** Ctrl-C. */
  stop(reason: string): void {
    this.#stopReason = reason;
    this.#running?.command({ command: "stop", reason });
  }

  /** Ends the process as `kill -9` does. */
  kill(): void {
    this.#isDead = true;
    this.#bot?.abandon();
  }

  #attach(bot: Bot): void {
    if (this.#bot !== undefined) return;
    this.#bot = bot;
    this.#options.onBot(bot);
  }

  #runs(running: RunningBot): void {
    this.#running = running;
    this.#attach(running.bot);
    running.stopped.then(
      this.#ifAlive(() => this.#ends(this.#endOf(running))),
      this.#ifAlive((error: unknown) => this.#ends({ error })),
    );
    if (this.#stopReason !== undefined)
      running.command({ command: "stop", reason: this.#stopReason });
  }

  #ends(end: ProcessEnd | { readonly error: unknown }): void {
    this.#running?.close();
    this.kill();
    this.#options.onEnd(end);
  }

  #endOf({ bot, monitor, liquidator }: RunningBot): ProcessEnd {
    const summary = buildRunSummary(bot, monitor, null, liquidator?.ledger.counts());
    let text = "";
    const stream: TextStream = { write: (more) => (text += more), on: () => {}, off: () => {} };
    const context = { stdout: stream, stderr: stream } as unknown as CliContext;
    let exitCode = 0;
    try {
      reportRunEnd(context, summary, { file: "bot.yaml", dryRun: false, json: true });
    } catch (error) {
      exitCode = exitCodeFor(error);
    }
    return { exitCode, positionBase: summary.positionBase, text };
  }

  #ifAlive<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      if (!this.#isDead) act(...args);
    };
  }
}
