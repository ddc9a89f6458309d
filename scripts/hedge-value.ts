import { renderHedgedSeeds, renderHedges } from "./reference-value/hedge-tables.js";
import { HEDGE_ARMS } from "./reference-value/value-arms.js";
import { runValueCommand } from "./reference-value/value-command.js";
import { MARKETS, SEEDS_MARKET } from "./reference-value/value-run.js";

/** Seeds with rows of their own on the page. */
const LISTED_SEEDS = 6;

/**
 * `npm run hedge-value`: the experiment of `npm run reference-value` with `pegged` alone, without a
 * hedge and with one on a second exchange that has the recorded price now. Prints the tables; with
 * `--write` those of docs/reference/hedge-value.md are replaced.
 *
 * `npm run hedge-value -- --seeds 1-50 --processes 2`
 */
await runValueCommand({
  name: "hedge-value",
  arms: HEDGE_ARMS,
  render: (answers) => ({
    means: MARKETS.map(({ name }) => renderHedges(answers, name)).join("\n\n"),
    seeds: renderHedgedSeeds(answers, SEEDS_MARKET, LISTED_SEEDS),
  }),
});
