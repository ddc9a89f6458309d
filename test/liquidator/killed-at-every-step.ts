import { expect } from "vitest";
import { LiquidatingStage, OWN } from "../scenarios/liquidating-stage.js";
import { FAIR } from "./simulation/faulty-node.js";
import { COIN } from "./simulation/ground.js";

const CONFIRMATIONS = 2;
const BLOCKS_TO_THE_END = 8;
/**
 * Steps of questions to an RPC: there are many, and all but those that hand a transaction over
 * change nothing.
 */
const QUESTIONS = new Set(["asking", "asked"]);

/** A takeover whose way to its end has something in it. */
export interface TakeoverStory {
  readonly name: string;
  /** Its questions are worth dying at too. */
  readonly isWhole?: boolean;
  /** From the first poll to the end, so that every step is included. */
  readonly play: (stage: LiquidatingStage) => Promise<void>;
}

/**
 * The ways to the end that a takeover can go, each with everything in it that the process must
 * remember.
 */
export const STORIES: readonly TakeoverStory[] = [
  {
    name: "that is mined and final",
    isWhole: true,
    play: (stage) => stage.blocks(BLOCKS_TO_THE_END),
  },
  {
    name: "that is stuck, and replaced until it is mined",
    play: async (stage) => {
      let toHold = 2;
      stage.builder.faultsOf = (from) => {
        const isHeld = from === stage.ground.cast.liquidator.address && toHold > 0;
        if (isHeld) toHold -= 1;
        return { isDropped: false, heldBlocks: isHeld ? 40 : 0 };
      };
      await stage.blocks(BLOCKS_TO_THE_END);
    },
  },
  {
    name: "that every node forgets",
    play: async (stage) => {
      let toDrop = 2;
      stage.builder.faultsOf = (from) => {
        const isDropped = from === stage.ground.cast.liquidator.address && toDrop > 0;
        if (isDropped) toDrop -= 1;
        return { isDropped, heldBlocks: 0 };
      };
      await stage.blocks(BLOCKS_TO_THE_END);
    },
  },
  {
    name: "whose block is replaced",
    play: async (stage) => {
      await stage.blocks(2);
      await stage.reorg(1);
      await stage.blocks(BLOCKS_TO_THE_END);
    },
  },
  {
    name: "that was final, and whose block is replaced all the same",
    isWhole: true,
    play: async (stage) => {
      await stage.blocks(4);
      await stage.reorg(4);
      await stage.blocks(BLOCKS_TO_THE_END);
    },
  },
  {
    name: "that nobody could ask about for a while",
    play: async (stage) => {
      await stage.blocks(1);
      stage.weather[0] = { ...FAIR, answerLost: 1 };
      await stage.blocks(2);
      stage.weather[0] = FAIR;
      await stage.blocks(BLOCKS_TO_THE_END);
    },
  },
];

/**
 * Runs a story once to count its steps. Then runs it once for each of them, kills the process there
 * and restarts it after two seconds. In every run, the position is ours or no one paid for it,
 * once; the bot sells what the chain has; and nothing stays open.
 */
export async function killAtEveryStep(
  story: TakeoverStory,
  withQuestions: boolean,
): Promise<number> {
  const counts = (kind: string) => withQuestions || !QUESTIONS.has(kind);
  let steps = 0;
  await play(story, (kind) => {
    if (counts(kind)) steps += 1;
    return false;
  });
  expect(steps).toBeGreaterThan(15);
  for (let killAt = 1; killAt <= steps; killAt += 1) {
    let step = 0;
    let at = "";
    await play(story, (kind) => {
      if (!counts(kind)) return false;
      step += 1;
      if (step === killAt) at = `step ${killAt} of ${steps}, ${kind}`;
      return step === killAt;
    }).catch((error: unknown) => {
      throw new Error(
        `killed at ${at}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
  }
  return steps;
}

async function play(
  { play: tell }: TakeoverStory,
  isKilledAt: (kind: string) => boolean,
): Promise<void> {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  let kills = 0;
  // A process that is killed during its shutdown cannot report the end of it.
  let isStopping = false;
  const plan = { confirmations: CONFIRMATIONS };
  stage.starts({
    plan,
    onStep: (kind) => {
      if (kills > 0 || isStopping || !isKilledAt(kind)) return;
      kills += 1;
      stage.isKilled();
      stage.clock.setTimer(2_000, () => stage.starts({ plan }));
    },
  });
  await tell(stage);
  // Killed at the end of its story, it is restarted after it, and must end by itself.
  if (kills > 0) await stage.blocks(BLOCKS_TO_THE_END);
  isStopping = true;
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
  const { paper, credit } = await stage.held();
  const won = stage.ledger().filter(({ outcome }) => outcome === "won");
  expect([...stage.desk.acquired.values()].map(({ lots }) => lots)).toEqual([1_000]);
  expect(won.map(({ takenOver }) => takenOver?.paper)).toEqual([COIN]);
  expect(paper).toBe(COIN);
  expect(credit).toBe(OWN + (won[0]?.takenOver?.credit ?? 0n));
}
