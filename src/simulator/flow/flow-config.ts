import { z } from "zod";
import { checkShape } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import { isQueueModelName, QUEUE_MODEL_NAMES } from "../../core/queue/queue-model-names.js";
import type { MarketId, Ms } from "../../core/units.js";
import { type CaptureFiles, findCaptureFiles } from "./capture/capture-files.js";
import { recordedDataFolder } from "./capture/data-folder.js";
import { type ReplayEnd, ReplayFlow, type ReplayFlowOptions } from "./capture/replay-flow.js";
import type { OrderFlow } from "./flow-market.js";
import { leveragedShape } from "./leveraged-params.js";
import { SyntheticFlow } from "./synthetic-flow.js";
import { syntheticOverridesShape, syntheticParams } from "./synthetic-params.js";

/** No other participants. */
const emptyFlowShape = z.strictObject({ kind: z.literal("none") });

/** `flow: { kind: synthetic, ... }`: seeded agents around a latent fundamental. */
const syntheticFlowShape = z.strictObject({
  kind: z.literal("synthetic"),
  /** The fundamental's start, quote per base. */
  startPriceQuote: z.number().positive().max(1e12),
  preset: z.enum(["lively", "quiet", "fitted"]).default("lively"),
  /** The seed of this market alone; default: drawn from the exchange's seed and the market's id. */
  seed: z.union([z.int(), z.string().min(1)]).optional(),
  ...syntheticOverridesShape.shape,
  /** Traders with their own accounts, near their highest leverage; none when left out. */
  leveraged: leveragedShape.optional(),
});

/** `flow: { kind: replay, ... }`: a recorded market. */
const replayFlowShape = z.strictObject({
  kind: z.literal("replay"),
  /** Name of the capture's files without folder and ending: `btcusdt-perp_20240808`. */
  tag: z.string().min(1),
  /**
   * The folder with `books/`, `trades/` and `mark/`; default: the folder of recorded data
   * (`MARKETWRIGHT_DATA`).
   */
  folder: z.string().min(1).optional(),
  /** Gaps between recorded events are divided by it. */
  speed: z.number().positive().max(100_000).default(1),
  /** The model of participants' positions in the recorded queues. */
  queue: z
    .string()
    .refine(isQueueModelName, {
      error: "is an unknown queue model",
      params: { expected: QUEUE_MODEL_NAMES },
    })
    .default("risk-averse"),
  /** Capture time to begin at, milliseconds since the epoch. */
  fromMs: z.int().positive().optional(),
  /** The duration to play, in capture time. */
  forMs: z.int().positive().optional(),
});

/** Every kind of order flow, for a JSON Schema of the exchange's configuration. */
export const flowConfigShape = z.discriminatedUnion("kind", [
  emptyFlowShape,
  syntheticFlowShape,
  replayFlowShape,
]);

/** One market's order flow, checked and with its defaults. */
export type FlowConfig = z.output<typeof flowConfigShape>;

/**
 * Checks one market's `flow`.
 * @param at the path of the value in its file, for messages: `["markets", "btcusdc", "flow"]`.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function parseFlowConfig(
  value: unknown,
  at: readonly (string | number)[] = ["flow"],
): FlowConfig {
  const kind =
    typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  switch (kind) {
    case "none":
      return checkShape(emptyFlowShape, value, { at });
    case "synthetic":
      return checkShape(syntheticFlowShape, value, { at });
    case "replay":
      return checkShape(replayFlowShape, value, { at });
    default:
      throw new ConfigError("is an unknown order flow", {
        field: [...at, "kind"].join("."),
        value: kind ?? null,
        expected: "one of none, synthetic, replay",
      });
  }
}

/** Parameters of an order flow besides its own configuration. */
export interface FlowContext {
  readonly marketId: MarketId;
  /** The exchange's seed. */
  readonly seed: string | number;
  /** The configuration file's folder, to which its paths are relative. */
  readonly baseFolder: string;
  /**
   * The mark at a restart of the exchange, from which a synthetic market continues; null at the
   * first start.
   */
  readonly restart: { readonly startPriceQuote: number } | null;
  /** Time since the start of a synthetic price that continues; default 0. */
  readonly elapsedMs?: Ms;
  /** Called once when a replay is over. The exchange keeps running with its last book. */
  readonly onReplayEnd: (marketId: MarketId, end: ReplayEnd) => void;
}

/**
 * Creates the order flow of one market, not yet started; null for `none`. A replay begins its
 * capture anew at every start.
 * @throws ConfigError when a replay's folder or capture is missing.
 */
export function createOrderFlow(
  config: FlowConfig,
  { marketId, seed, baseFolder, restart, elapsedMs, onReplayEnd }: FlowContext,
): OrderFlow | null {
  switch (config.kind) {
    case "none":
      return null;
    case "synthetic": {
      const {
        kind: _kind,
        startPriceQuote,
        preset,
        seed: ownSeed,
        leveraged: _traders,
        ...overrides
      } = config;
      return new SyntheticFlow({
        params: syntheticParams(preset, overrides),
        seed: String(ownSeed ?? `${seed}/${marketId}`),
        startPriceQuote: restart?.startPriceQuote ?? startPriceQuote,
        ...(elapsedMs === undefined ? {} : { elapsedMs }),
      });
    }
    case "replay": {
      const options: ReplayFlowOptions = {
        files: findMarketCapture(config, marketId, baseFolder),
        speed: config.speed,
        queue: config.queue,
        fromMs: config.fromMs,
        forMs: config.forMs,
      };
      return new ReplayFlow(options, (end) => onReplayEnd(marketId, end));
    }
  }
}

/**
 * Finds a replay's capture.
 * @throws ConfigError naming the market's setting when it is missing.
 */
export function findMarketCapture(
  { folder, tag }: Extract<FlowConfig, { kind: "replay" }>,
  marketId: MarketId,
  baseFolder: string,
): CaptureFiles {
  const at = ["markets", marketId, "flow"];
  return findCaptureFiles(recordedDataFolder(folder, baseFolder), tag, {
    at,
    folderIsDefault: folder === undefined,
  });
}

/** The part of an exchange's configuration that its flows need. */
export interface FlowsConfig {
  readonly seed: string | number;
  readonly markets: Readonly<Record<MarketId, { readonly flow: unknown }>>;
}

/**
 * Returns a factory of the markets' order flows, which an exchange calls at every start. Everything
 * is checked here, at once, including the captures' files.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function orderFlowFactory(
  config: FlowsConfig,
  context: Pick<FlowContext, "baseFolder" | "onReplayEnd">,
): (marketId: MarketId, restart: FlowContext["restart"]) => OrderFlow | null {
  const make = (
    marketId: MarketId,
    flow: FlowConfig,
    restart: FlowContext["restart"],
  ): OrderFlow | null =>
    createOrderFlow(flow, { ...context, marketId, seed: config.seed, restart });
  const flows = new Map<MarketId, FlowConfig>();
  for (const [marketId, market] of Object.entries(config.markets)) {
    const flow = parseFlowConfig(market.flow, ["markets", marketId, "flow"]);
    make(marketId, flow, null);
    flows.set(marketId, flow);
  }
  return (marketId, restart) => {
    const flow = flows.get(marketId);
    return flow === undefined ? null : make(marketId, flow, restart);
  };
}
