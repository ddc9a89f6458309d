import { createHash } from "node:crypto";
import type { InputGrade, RunMeta } from "#backtest/run-meta.js";
import type { Instrument } from "#core/instrument.js";

const BOT_YAML = `# every default resolved
markets:
  btcusdc:
    strategy: glft
    params: { gamma: 0.05, levels: 3, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.02 }
risk:
  maxDrawdownQuote: 2000 # <halts> & "says why"
`;

/** Facts about a sample run besides its events. */
export function sampleMeta(
  instruments: readonly Instrument[],
  startUs: number,
  grade: InputGrade = "books",
): RunMeta {
  return {
    name: "GLFT on BTC and dust, August 2024",
    version: "0.1.0",
    seed: "7",
    grade,
    startUs,
    asset: "USDC",
    instruments: new Map(instruments.map((instrument) => [instrument.marketId, instrument])),
    strategies: new Map(instruments.map(({ marketId }) => [marketId, "glft"])),
    configuration: [
      { name: "bot.yaml", yaml: BOT_YAML },
      {
        name: "backtest.yaml",
        yaml: "queue: risk-averse\nlatency: { entryMs: 4, responseMs: 4 }\n",
      },
    ],
    data: instruments.flatMap(({ marketId }) =>
      ["trades", "depth", "funding"].map((kind, index) => ({
        marketId,
        kind,
        file: `${marketId}/${kind}/2024-08-0${index + 1}.parquet`,
        rows: 1_234_567 * (index + 1),
        sha256: createHash("sha256").update(`${marketId} ${kind}`).digest("hex"),
      })),
    ),
    gaps: ["btcusdc trades: 2024-08-02T10:00:00Z to 2024-08-02T11:30:00Z"],
    inputs: [
      { name: "my-strategy.ts", sha256: createHash("sha256").update("my strategy").digest("hex") },
    ],
    sampleMs: 60_000,
    models: [
      { name: "queue", value: "risk-averse" },
      { name: "latency", value: "4 ms to the exchange, 4 ms back" },
      { name: "fees", value: "maker rebate 0.5 bps, taker 4 bps" },
    ],
  };
}
