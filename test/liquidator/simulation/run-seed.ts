import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { decodeLedger } from "#liquidator/ledger-lines.js";
import { WaitingClock } from "#simulation/waiting-clock.js";
import type { PlanRun } from "../../simulation/plan-run.js";
import type { Violation } from "../../simulation/violation.js";
import { BlockBuilder } from "./block-builder.js";
import { Desk } from "./desk.js";
import { FAIR, faultyNode, type NodeWeather } from "./faulty-node.js";
import { Ground, MARKETS, SOURCE } from "./ground.js";
import { Disk, LiquidatorProcess, type Parts } from "./process.js";
import { Rival, Sender } from "./rivals.js";
import {
  BLOCK_MS,
  blockAt,
  LIQUIDATOR_CALM_MS,
  type Outage,
  planOf,
  type SeedPlan,
  START_MS,
} from "./seed-plan.js";
import { tallyOf } from "./tally.js";
import { judge } from "./witness.js";

/** A rule of the liquidator that is switched off. */
export interface Break {
  readonly name: string;
  readonly what: string;
  readonly plan?: (plan: SeedPlan) => SeedPlan;
  readonly rework?: (parts: Parts) => Parts;
}

/** The result of a run. */
export interface RunResult extends PlanRun {
  readonly won: number;
  readonly lost: number;
  readonly reverted: number;
  readonly sent: number;
  /** Counts of the faults. */
  readonly faults: ReadonlyMap<string, number>;
  /** Everything that the run left on disk, to compare two runs of one seed by. */
  readonly ledger: string;
}

const GWEI = 10n ** 9n;
/** Largest age of a trusted head. */
const BELIEVED_MS: Ms = 15_000;

/** Manager events that are drawn faults, or follow from them. */
const TOLD = new Set(["replaced", "cancelling", "resent", "unmined", "undone", "gap-filled"]);

/** Every node in an outage, at a block of the run. */
function failing({ kind, fromMs }: Outage, block: number): NodeWeather {
  if (kind === "deaf") return { ...FAIR, requestLost: 1 };
  return kind === "refusing"
    ? { ...FAIR, refused: 1 }
    : { ...FAIR, lagBlocks: block - blockAt(fromMs) + 1 };
}
let ground: Promise<Ground> | undefined;

/**
 * One run of a seed, from the first block to the last and a little beyond. The chain is shared: one
 * run at a time.
 */
export async function runSeed(seed: number, broken?: Break): Promise<RunResult> {
  const drawn = planOf(seed);
  return runPlan(broken?.plan?.(drawn) ?? drawn, broken);
}

/** The same for a plan, which a break does not change any more. */
export async function runPlan(plan: SeedPlan, broken: Break | undefined): Promise<RunResult> {
  ground ??= Ground.create(START_MS);
  return new Run(await ground, plan, broken?.rework ?? ((parts) => parts)).result();
}

class Run {
  readonly #plan: SeedPlan;
  readonly #ground: Ground;
  readonly #rework: (parts: Parts) => Parts;
  readonly #clock = new WaitingClock(START_MS);
  readonly #disk = new Disk();
  readonly #builder: BlockBuilder;
  readonly #desk: Desk;
  readonly #steps = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  #process: LiquidatorProcess | undefined;
  #incarnations = 0;
  #firstBlock = 0;
  #isOver = false;

  constructor(on: Ground, plan: SeedPlan, rework: (parts: Parts) => Parts) {
    this.#ground = on;
    this.#plan = plan;
    this.#rework = rework;
    this.#builder = new BlockBuilder(on, this.#clock, this.#random("builder"));
    const prices = MARKETS.map(({ price }) => price);
    this.#desk = new Desk(on, this.#builder, this.#clock, prices, plan.sellAfterMs);
  }

  async result(): Promise<RunResult> {
    const { cast, chain } = this.#ground;
    const { deposits, openings } = this.#plan;
    const victims = deposits.victims.map((quote, i) => [this.#ground.victim(i), quote] as const);
    await this.#ground.begin(
      this.#clock,
      [
        [cast.liquidator, deposits.own],
        [cast.rivals[0], 5_000_000n],
        [cast.rivals[1], 5_000_000n],
        [cast.counterparty, 50_000_000n],
        ...victims,
      ],
      openings,
    );
    this.#firstBlock = chain.head.number + 1;
    const firstNonce = Number(
      await chain.request("eth_getTransactionCount", cast.liquidator.address, "latest"),
    );
    this.#setUp();
    const violations: Violation[] = [];
    try {
      await this.#clock.runUntil(START_MS + this.#plan.marketMs);
      this.#isOver = true;
      const process = this.#process ?? this.#start();
      const left = await this.#clock.runThrough(process.stop(120_000), 240_000);
      if (left > 0)
        violations.push({
          atMs: this.#endMs,
          rule: "open",
          text: `${left} takeovers are left to the next run`,
        });
    } catch (error) {
      violations.push({
        atMs: this.#clock.nowMs(),
        rule: "crash",
        text: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
    this.#process?.kill();
    const opportunities = decodeLedger(this.#disk.ledger);
    violations.push(
      ...(await judge(this.#ground, {
        fromBlock: this.#firstBlock,
        endMs: this.#endMs,
        firstNonce,
        records: this.#disk.records,
        opportunities,
        acquired: this.#desk.acquired,
        toldTimes: this.#desk.toldTimes,
        marginBufferBps: BigInt(this.#plan.marginBufferBps),
      })),
      ...this.#blindness(),
    );
    const tally = await tallyOf({
      ground: this.#ground,
      fromBlock: this.#firstBlock,
      records: this.#disk.records,
      opportunities,
      rivals: this.#plan.rivals,
    });
    const count = (outcome: string) =>
      opportunities.filter((one) => one.outcome === outcome).length;
    const { reorgs, dropped, held, lostInReorg } = this.#builder.counts;
    const drawn = new Map([
      ["reorg", reorgs],
      ["dropped", dropped],
      ["held", held],
      ["lost-in-reorg", lostInReorg],
    ]);
    const faults = new Map([...this.#faults, ...drawn, ...tally]);
    const sent = this.#disk.records.filter(({ kind }) => kind === "attempt").length;
    return {
      events: [...this.#steps.values()].reduce((sum, steps) => sum + steps, 0),
      // They are found after the run: the first is the one that happened first.
      violations: violations.sort((one, other) => one.atMs - other.atMs),
      scripts: [],
      won: count("won"),
      lost: count("lost"),
      reverted: count("reverted"),
      sent,
      faults,
      ledger: this.#disk.ledger,
    };
  }

  /** While no node has reported a trusted head, nothing is signed. */
  #blindness(): Violation[] {
    return this.#plan.outages.flatMap((outage) => this.#signedIn(outage));
  }

  #signedIn(outage: Outage): Violation[] {
    this.#count(`outage ${outage.kind}`);
    const [fromMs, untilMs] = [outage.fromMs + BELIEVED_MS + BLOCK_MS, outage.untilMs];
    return this.#disk.records.flatMap((record): Violation[] => {
      if (
        record.kind !== "attempt" ||
        record.attempt.atMs <= fromMs ||
        record.attempt.atMs >= untilMs
      )
        return [];
      return [
        {
          atMs: record.attempt.atMs,
          rule: "blind",
          text: `nonce ${record.attempt.nonce} was signed for at ${record.attempt.atMs}, when no RPC could be believed`,
        },
      ];
    });
  }

  #random(of: string) {
    return seededRandom(`${this.#plan.seed} ${of}`);
  }

  get #endMs(): Ms {
    return START_MS + this.#plan.marketMs;
  }

  /** The last stretch of a run has no faults. */
  #isCalm(): boolean {
    return this.#blockOf(this.#builder.head) > blockAt(this.#endMs - LIQUIDATOR_CALM_MS);
  }

  #blockOf(number: number): number {
    return number - this.#firstBlock;
  }

  #setUp(): void {
    const {
      plan: drawn,
      clock,
      builder,
      ground: on,
      desk,
    } = {
      plan: this.#plan,
      clock: this.#clock,
      builder: this.#builder,
      ground: this.#ground,
      desk: this.#desk,
    };
    const isCalm = () => this.#isCalm();
    const isNow = ({ atMs }: { readonly atMs: Ms }) =>
      blockAt(atMs) === this.#blockOf(builder.head);
    const rivals = drawn.rivals.map((rival, i) => {
      return new Rival(
        on.cast.rivals[i === 0 ? 0 : 1],
        rival,
        on,
        builder,
        clock,
        this.#random(`rival ${i}`),
      );
    });
    const setters = on.markets.map(({ setter }) => new Sender(setter, on, builder));
    const fates = this.#random("pool");
    const own = on.cast.liquidator.address;
    builder.lossInReorg = drawn.lossInReorg;
    builder.reorgNow = () => (isCalm() ? 0 : (drawn.reorgs.find(isNow)?.depth ?? 0));
    builder.baseFeeNow = () => drawn.baseFees.find(isNow)?.wei;
    builder.faultsOf = (from) => {
      if (from !== own || isCalm()) return { isDropped: false, heldBlocks: 0 };
      const [drop, hold, blocks] = [fates.uniform(), fates.uniform(), fates.uniform()];
      return {
        isDropped: drop < drawn.pool.drop,
        heldBlocks: hold < drawn.pool.hold ? 1 + Math.floor(blocks * 6) : 0,
      };
    };
    builder.onPending = (transaction) => {
      for (const rival of rivals) rival.onPending(transaction);
    };
    builder.onBlock = (number, reorgDepth) => {
      if (reorgDepth > 0) {
        this.#count(
          `reorg of ${reorgDepth}${reorgDepth < drawn.confirmations ? "" : ", deeper than waited for"}`,
        );
        for (const setter of setters) setter.forget();
      }
      clock.hold(desk.onBlock(reorgDepth));
      for (const rival of rivals) {
        rival.isResting = this.#isOver;
        rival.onBlock(reorgDepth);
      }
      const block = this.#blockOf(number);
      for (const { market, price, isFirst, atMs } of drawn.moves.filter(
        (move) => blockAt(move.atMs) === block,
      )) {
        clock.setTimer((atMs - START_MS) % BLOCK_MS, () => {
          desk.setPrice(market, price);
          const data = SOURCE.encodeFunctionData("setMarkPrice", [price]);
          clock.hold(
            (setters[market] as Sender).send(
              on.market(market).source,
              data,
              isFirst ? 10_000n * GWEI : 1n,
            ),
          );
        });
      }
    };
    builder.start(BLOCK_MS);
    this.#start();
    for (const kill of drawn.kills)
      if (kill.on === "instant")
        clock.setTimer(kill.atMs - START_MS, () => this.#kill(kill.downMs, "an instant"));
  }

  #start(): LiquidatorProcess {
    const {
      plan: drawn,
      builder,
      clock,
    } = { plan: this.#plan, builder: this.#builder, clock: this.#clock };
    this.#incarnations += 1;
    const life = this.#incarnations;
    const nodes = Array.from({ length: drawn.nodes }, (_, node) =>
      faultyNode(
        `node ${node}`,
        builder,
        clock,
        this.#random(`node ${node} ${life}`),
        () => {
          const block = this.#blockOf(builder.head);
          const isIn = ({ fromMs, untilMs }: { readonly fromMs: Ms; readonly untilMs: Ms }) =>
            blockAt(fromMs) <= block && block < blockAt(untilMs);
          const outage = drawn.outages.find(isIn);
          if (outage !== undefined) return failing(outage, block);
          return drawn.spells.find((spell) => spell.node === node && isIn(spell))?.weather ?? FAIR;
        },
        (fault) => this.#count(`rpc ${fault}`),
      ),
    );
    const process = new LiquidatorProcess({
      plan: drawn,
      ground: this.#ground,
      clock,
      random: this.#random(`liquidator ${life}`),
      nodes,
      desk: this.#desk,
      disk: this.#disk,
      onStep: (kind) => {
        if (life === this.#incarnations) this.#step(kind);
      },
      rework: this.#rework,
    });
    this.#process = process;
    process.start();
    return process;
  }

  #step(kind: string): void {
    const nth = (this.#steps.get(kind) ?? 0) + 1;
    this.#steps.set(kind, nth);
    if (TOLD.has(kind)) this.#count(kind);
    if (this.#isCalm()) return;
    for (const kill of this.#plan.kills)
      if (kill.on === "event" && kill.kind === kind && kill.nth === nth)
        this.#kill(kill.downMs, kind);
  }

  #count(fault: string): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  #kill(downMs: Ms, at: string): void {
    if (this.#process === undefined || this.#process.isDead) return;
    this.#process.kill();
    this.#count("killed");
    this.#count(`killed at ${at}`);
    this.#clock.setTimer(downMs, () => this.#start());
  }
}
