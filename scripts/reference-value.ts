import { REFERENCE_ARMS } from "./reference-value/value-arms.js";
import { runValueCommand } from "./reference-value/value-command.js";
import { MARKETS, SEEDS_MARKET } from "./reference-value/value-run.js";
import { renderMarket, renderSeeds } from "./reference-value/value-tables.js";

/**
 * `npm run reference-value`: trades recorded prices on an exchange that follows them late, with
 * `ladder` on the exchange's mid and with `pegged`, on fifty seeds in virtual time. Prints the
 * tables; with `--write` those of docs/reference/reference-value.md are replaced.
 *
 * `npm run reference-value -- --seeds 1-50 --processes 2`
 */
await runValueCommand({
  name: "reference-value",
  arms: REFERENCE_ARMS,
  render: (answers) => ({
    means: MARKETS.map(({ name }) => renderMarket(answers, name)).join("\n\n"),
    seeds: renderSeeds(answers, SEEDS_MARKET),
  }),
});
