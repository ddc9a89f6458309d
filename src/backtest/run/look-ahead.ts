import type { Notice } from "../../bot/notice.js";
import { seededRandom } from "../../core/seeded-random.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import { openHistory } from "./open-history.js";
import { type PlayedBy, reportOf } from "./play-path.js";

/** A decision that was another one when what came after the cut was not there yet. */
export interface LookAhead {
  /** The cut: nothing after it was in the history, microseconds since 1970. */
  readonly cutUs: number;
  /** The first decision before it that changed. */
  readonly atUs: number;
  /** What was decided with the whole history, and without what came after the cut. */
  readonly whole: string;
  readonly cut: string;
}

/** What a check found. */
export interface LookAheadCheck {
  readonly decisions: number;
  readonly cuts: number;
  readonly changed: readonly LookAhead[];
}

/** An intent or an action, as text, with its instant. */
interface Decision {
  readonly atUs: number;
  readonly text: string;
}

/**
 * Proves that no decision knows of what comes after it: the history is cut after each of some seeded decisions and replayed again; every decision
 * before the cut must be the same, to the byte (the idea of freqtrade's lookahead-analysis). It is cut on both clocks: what is stamped after the
 * decision is gone, and so is, for the bot, what was stamped before and not heard yet.
 * @param cuts how many decisions are drawn.
 * @param onCut told before each.
 * @throws as `runBacktest` does
 */
export async function checkLookAhead(
  config: BacktestConfig,
  run: Omit<PlayedBy, "onNotice">,
  cuts: number,
  onCut: (done: number) => void = ignore,
): Promise<LookAheadCheck> {
  const whole = await decisionsOf(config, run);
  const random = seededRandom(`look-ahead ${config.seed}`);
  const drawn = new Set<number>();
  while (drawn.size < Math.min(cuts, whole.length)) drawn.add(Math.floor(random.uniform() * whole.length));
  const changed: LookAhead[] = [];
  for (const [done, at] of [...drawn].sort((a, b) => a - b).entries()) {
    onCut(done);
    const { atUs: cutUs } = whole[at];
    const history = { ...config.history, toUs: cutUs + AFTER_US };
    const found = firstChange(whole, await decisionsOf({ ...config, history }, run, cutUs), cutUs);
    if (found !== undefined) changed.push({ cutUs, ...found });
  }
  return { decisions: whole.length, cuts: drawn.size, changed };
}

/** What is stamped with the decision's own instant was there for it. */
const AFTER_US = 1;
const ignore = (): void => undefined;

async function decisionsOf(config: BacktestConfig, run: PlayedBy, untilUs = Number.POSITIVE_INFINITY): Promise<Decision[]> {
  const decisions: Decision[] = [];
  const opened = await openHistory(config);
  // A history that was cut ends with its cut, not with the last thing that happened before it.
  const history = untilUs === Number.POSITIVE_INFINITY ? opened : { ...opened, endUs: untilUs + AFTER_US };
  const { path } = config.fills;
  const onNotice = (notice: Notice, atUs: number): void => {
    // What the bot does to leave, when its history is over, is no decision on it.
    if (atUs >= history.endUs) return;
    if (notice.kind === "intent") decisions.push({ atUs, text: textOf(notice.intent) });
    else if (notice.kind === "dispatched" && notice.action.kind !== "question") decisions.push({ atUs, text: textOf(notice.action) });
  };
  const cut = untilUs === Number.POSITIVE_INFINITY ? {} : { cutUs: untilUs };
  await reportOf(config, { ...run, ...cut, onNotice }, history, path === "worse" ? "ohlc" : path);
  return decisions;
}

/** The first decision up to the cut that is not the same. */
function firstChange(whole: readonly Decision[], cut: readonly Decision[], cutUs: number): Omit<LookAhead, "cutUs"> | undefined {
  for (let at = 0; at < whole.length && whole[at].atUs <= cutUs; at++) {
    const before = whole[at];
    const after = cut[at];
    if (after?.atUs === before.atUs && after.text === before.text) continue;
    return { atUs: before.atUs, whole: before.text, cut: after === undefined ? "nothing" : after.text };
  }
  return undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) => (typeof held === "bigint" ? held.toString() : held));
}
