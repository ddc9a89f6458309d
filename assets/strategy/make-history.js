// Fills the folder `history` with ten minutes of a generated market, for backtest.yaml.
import { generateCapture, writeCapture } from "marketwright/testing";

const capture = generateCapture({ seconds: 600, seed: 1 });
await writeCapture(capture, { store: "history", market: "btcusdc" });
