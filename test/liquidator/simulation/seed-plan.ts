import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { FAIR, type NodeWeather } from "./faulty-node.js";
import { COIN, MARKETS, MOST_VICTIMS, type Opening, USD } from "./ground.js";
import type { RivalPlan } from "./rivals.js";

export const START_MS: Ms = 1_760_000_000_000;
export const BLOCK_MS: Ms = 2_000;
/** Blocks of a run, and the last ones of them without faults, so that everything becomes final. */
const BLOCKS = 60;
const CALM_BLOCKS = 20;

/** The length of a drawn run, and of its last stretch without faults. */
export const LIQUIDATOR_MS: Ms = BLOCKS * BLOCK_MS;
export const LIQUIDATOR_CALM_MS: Ms = CALM_BLOCKS * BLOCK_MS;

/** When a block of the run is made, counted from 0. */
export function timeOfBlock(block: number): Ms {
  return START_MS + (block + 1) * BLOCK_MS;
}

/** The last block that is made until an instant. */
export function blockAt(atMs: Ms): number {
  return Math.floor((atMs - START_MS) / BLOCK_MS) - 1;
}

/** The price of a market from an instant on, when it is in the pool; in credit units a coin. */
export interface OracleMove {
  readonly atMs: Ms;
  readonly market: number;
  readonly price: bigint;
  /** Before the other transactions of its block, or after them. */
  readonly isFirst: boolean;
}

/** A depth of blocks that are made again in place of the next one. */
export interface PlannedReorg {
  readonly atMs: Ms;
  readonly depth: number;
}

/** The base fee of the block after an instant. */
export interface PlannedBaseFee {
  readonly atMs: Ms;
  readonly wei: bigint;
}

/** Weather of a node from a block to another. */
export interface WeatherSpell {
  readonly node: number;
  readonly fromMs: Ms;
  readonly untilMs: Ms;
  readonly weather: NodeWeather;
}

/** Every node fails at once: none answers, all refuse, or all stand still at the block before. */
export interface Outage {
  readonly kind: "deaf" | "refusing" | "standing";
  readonly fromMs: Ms;
  readonly untilMs: Ms;
}

/** When a process is killed: on the so-manyth event of a kind, or at an instant. */
export type Kill =
  | { readonly on: "event"; readonly kind: string; readonly nth: number; readonly downMs: Ms }
  | { readonly on: "instant"; readonly atMs: Ms; readonly downMs: Ms };

/** Everything that one run is made of: drawn from its seed alone, and plain data. */
export interface SeedPlan {
  readonly seed: number;
  readonly marketMs: Ms;
  readonly deposits: { readonly own: bigint; readonly victims: readonly bigint[] };
  readonly openings: readonly Opening[];
  readonly moves: readonly OracleMove[];
  readonly rivals: readonly RivalPlan[];
  readonly spells: readonly WeatherSpell[];
  readonly outages: readonly Outage[];
  readonly kills: readonly Kill[];
  readonly pool: { readonly drop: number; readonly hold: number };
  readonly reorgs: readonly PlannedReorg[];
  readonly lossInReorg: number;
  readonly baseFees: readonly PlannedBaseFee[];
  /** Between a position's being taken over and its being sold. */
  readonly sellAfterMs: Ms;
  readonly confirmations: number;
  readonly marginBufferBps: number;
  readonly nodes: number;
  readonly quorum: number;
}

/** Events of the lanes at which a process may end. */
const KILL_KINDS = [
  "stored",
  "simulated",
  "sent",
  "replaced",
  "cancelling",
  "mined",
  "unmined",
  "final",
] as const;
const GWEI = 10n ** 9n;

/** Draws a seed's run. */
export function planOf(seed: number): SeedPlan {
  const random = seededRandom(`liquidator ${seed}`);
  const draw = drawing(random);
  const faultBlocks = BLOCKS - CALM_BLOCKS;
  const victims = draw.int(2, MOST_VICTIMS);
  const openings: Opening[] = [];
  const deposits: bigint[] = [];
  for (let victim = 0; victim < victims; victim += 1) {
    let margin = 0n;
    for (let market = 0; market < MARKETS.length; market += 1) {
      const { price, threshold } = MARKETS[market] as (typeof MARKETS)[number];
      if (market !== victim % MARKETS.length && !draw.chance(0.3)) continue;
      const lots = BigInt(draw.int(market === 0 ? 100 : 1_000, market === 0 ? 2_000 : 40_000));
      const paper = (draw.chance(0.5) ? lots : -lots) * 10n ** 15n;
      openings.push({ victim, market, paper, price });
      const size = paper < 0n ? -paper : paper;
      margin += (size * price * threshold) / COIN / COIN;
    }
    // The initial margin of a new position, and little more: a tenth above its maintenance margin.
    deposits.push((margin * 11n * BigInt(draw.int(101, 130))) / 1_000n / USD + 5n);
  }
  const baseFees = new Map<number, bigint>();
  const reorgs = new Map<number, number>();
  const confirmations = draw.int(2, 4);
  for (let block = 4; block < faultBlocks; block += 1) {
    if (draw.chance(0.04)) baseFees.set(block, GWEI * BigInt(draw.int(2, 400)));
    if (draw.chance(0.08)) reorgs.set(block, draw.int(1, confirmations - 1));
  }
  const kills: Kill[] = [];
  for (let i = draw.int(0, 3); i > 0; i -= 1) {
    const downMs = draw.int(0, 9_000);
    const atMs = START_MS + draw.int(BLOCK_MS, faultBlocks * BLOCK_MS);
    kills.push(
      draw.chance(0.75)
        ? { on: "event", kind: draw.of(KILL_KINDS), nth: draw.int(1, 3), downMs }
        : { on: "instant", atMs, downMs },
    );
  }
  const nodes = draw.int(1, 3);
  const rare = rarities(seed, confirmations);
  if (rare.reorg !== undefined) reorgs.set(...rare.reorg);
  return {
    seed,
    marketMs: LIQUIDATOR_MS,
    deposits: { own: BigInt(draw.of([20_000, 250_000, 1_000_000, 1_000_000])), victims: deposits },
    openings,
    moves: movesOf(draw, faultBlocks),
    rivals: rivalsOf(draw),
    spells: spellsOf(draw, nodes, faultBlocks),
    outages: rare.outage === undefined ? [] : [rare.outage],
    kills,
    pool: { drop: draw.of([0, 0, 0.1, 0.3]), hold: draw.of([0, 0.1, 0.3]) },
    reorgs: [...reorgs].map(([block, depth]) => ({ atMs: timeOfBlock(block), depth })),
    lossInReorg: draw.of([0, 0.3]),
    baseFees: [...baseFees].map(([block, wei]) => ({ atMs: timeOfBlock(block), wei })),
    sellAfterMs: draw.int(3_000, 30_000),
    confirmations,
    marginBufferBps: draw.of([500, 2_000, 5_000]),
    nodes,
    quorum: nodes === 3 && draw.chance(0.4) ? 2 : 1,
  };
}

/**
 * Rare faults, drawn from a separate stream: a reorg deeper than the confirmations, and an outage
 * of every node.
 */
function rarities(
  seed: number,
  confirmations: number,
): {
  readonly reorg: readonly [block: number, depth: number] | undefined;
  readonly outage: Outage | undefined;
} {
  const draw = drawing(seededRandom(`liquidator rarities ${seed}`));
  const reorg = [
    draw.int(14, BLOCKS - CALM_BLOCKS - 1),
    draw.int(confirmations, confirmations + 3),
  ] as const;
  const kind = draw.of(["deaf", "refusing", "standing"] as const);
  // Longer than a head is believed, and over before the calm.
  const fromBlock = draw.int(6, 18);
  const toBlock = fromBlock + draw.int(10, 20);
  return {
    reorg: draw.chance(0.3) ? reorg : undefined,
    outage: draw.chance(0.2)
      ? { kind, fromMs: timeOfBlock(fromBlock), untilMs: timeOfBlock(toBlock) }
      : undefined,
  };
}

type Drawing = ReturnType<typeof drawing>;

function drawing(random: Random) {
  return {
    int: (least: number, most: number): number =>
      least + Math.floor(random.uniform() * (most - least + 1)),
    chance: (share: number): boolean => random.uniform() < share,
    of: <Value>(choices: readonly Value[]): Value =>
      choices[Math.floor(random.uniform() * choices.length)] as Value,
    uniform: (): number => random.uniform(),
  };
}

function movesOf(draw: Drawing, faultBlocks: number): OracleMove[] {
  const moves: OracleMove[] = [];
  MARKETS.forEach(({ price }, market) => {
    let now = Number(price);
    const shockAt = new Set([draw.int(5, 12), draw.int(12, faultBlocks - 4)]);
    for (let block = 2; block < BLOCKS - 6; block += 1) {
      const isShock = shockAt.has(block);
      if (!isShock && !draw.chance(block < faultBlocks ? 0.6 : 0.2)) continue;
      const by = isShock
        ? (draw.chance(0.5) ? 1 : -1) * (0.012 + 0.03 * draw.uniform())
        : (draw.uniform() - 0.5) * 0.006;
      now *= 1 + by;
      moves.push({
        market,
        price: BigInt(Math.round(now)),
        isFirst: draw.chance(0.6),
        atMs: timeOfBlock(block) + draw.int(10, BLOCK_MS - 10),
      });
    }
  });
  return moves;
}

function rivalsOf(draw: Drawing): RivalPlan[] {
  const rivals: RivalPlan[] = [];
  const eagerness = () => draw.of([0.3, 0.7, 1]);
  if (draw.chance(0.5))
    rivals.push({
      kind: "faster",
      eagerness: eagerness(),
      reactionMs: draw.int(5, 900),
      tipWei: GWEI * BigInt(draw.int(1, 5)),
    });
  if (draw.chance(0.5))
    rivals.push({
      kind: "outbids",
      eagerness: eagerness(),
      reactionMs: draw.int(5, 300),
      tipWei: GWEI,
    });
  return rivals;
}

function spellsOf(draw: Drawing, nodes: number, faultBlocks: number): WeatherSpell[] {
  const spells: WeatherSpell[] = [];
  for (let node = 0; node < nodes; node += 1) {
    for (let i = draw.int(0, 4); i > 0; i -= 1) {
      const fromBlock = draw.int(2, faultBlocks - 2);
      const chance = 0.05 + 0.6 * draw.uniform();
      const weather: NodeWeather = draw.of([
        { ...FAIR, requestLost: chance },
        { ...FAIR, answerLost: chance },
        { ...FAIR, refused: chance },
        { ...FAIR, leastMs: 200, mostMs: 3_500 },
        { ...FAIR, lagBlocks: draw.int(1, 4) },
      ]);
      spells.push({
        node,
        fromMs: timeOfBlock(fromBlock),
        untilMs: timeOfBlock(Math.min(faultBlocks, fromBlock + draw.int(1, 12))),
        weather,
      });
    }
  }
  return spells;
}
