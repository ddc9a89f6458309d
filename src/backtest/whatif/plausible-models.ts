import type { EvaluatedModel, Fit } from "../compare/fit-model.js";
import type { RecordedFill } from "../session/recorded-orders.js";
import type { BlockSpan } from "./fill-blocks.js";

/**
 * The models of a fit that fill the recorded orders as well as the best one, within the error of
 * its share: the best first, then the best of every other queue model, and those with the earliest
 * and the latest orders.
 * @param fills of the session
 */
export function findPlausibleModels(
  { best, tried }: Pick<Fit, "best" | "tried">,
  fills: readonly RecordedFill[],
  span: BlockSpan,
): readonly EvaluatedModel[] {
  const least = best.whole.share - shareError(best, fills, span);
  const plausible = tried.filter(({ whole }) => whole.share >= least);
  const found = [best];
  const add = (model: EvaluatedModel | undefined): void => {
    const isKnown = found.some(
      ({ model: { queue, shiftMs } }) =>
        queue === model?.model.queue && shiftMs === model.model.shiftMs,
    );
    if (model !== undefined && !isKnown) found.push(model);
  };
  for (const queue of new Set(plausible.map(({ model }) => model.queue)))
    if (queue !== best.model.queue) add(bestOf(plausible, ({ model }) => model.queue === queue));
  const shifts = plausible.map(({ model }) => model.shiftMs);
  for (const shiftMs of [Math.min(...shifts), Math.max(...shifts)])
    add(bestOf(plausible, ({ model }) => model.shiftMs === shiftMs));
  return found;
}

function bestOf(
  models: readonly EvaluatedModel[],
  isWanted: (model: EvaluatedModel) => boolean,
): EvaluatedModel | undefined {
  return models
    .filter(isWanted)
    .reduce<EvaluatedModel | undefined>(
      (best, each) => (best === undefined || each.whole.share > best.whole.share ? each : best),
      undefined,
    );
}

/** The standard error of the share of alike fills: that of a ratio of sums over blocks of time. */
function shareError(
  { replay, whole: { match, share } }: EvaluatedModel,
  fills: readonly RecordedFill[],
  { startUs, endUs, blocks }: BlockSpan,
): number {
  const differences = new Array<number>(blocks).fill(0);
  const note = (atUs: number, value: number): void => {
    const at = Math.floor(((atUs - startUs) / (endUs - startUs)) * blocks);
    const block = Math.max(0, Math.min(blocks - 1, at));
    differences[block] = (differences[block] as number) + value;
  };
  // A fill of both lists is in the union once, and is matched.
  for (const { atUs, lots } of fills) note(atUs, lots * (1 - share));
  for (const { fill, lots } of match.liveOnly) note(fill.atUs, -lots);
  for (const { fill, lots } of match.replayedOnly) note(fill.atUs, -lots * share);
  if (match.unionLots === 0 || replay.fills.length === 0) return 0;
  const mean = differences.reduce((sum, value) => sum + value, 0) / blocks;
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt((blocks / (blocks - 1)) * squares) / match.unionLots;
}
