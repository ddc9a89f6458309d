export type {
  ConfigDifference,
  DifferentFromFile,
  MarketDifference,
  QuotedMarket,
  QuotedOrder,
  StrategyEffect,
} from "../../src/bot/configure/config-difference.js";
export type { CommandPreview, FlattenPreview } from "../../src/bot/preview/command-preview.js";
export type { BotStatus } from "../../src/bot/status/bot-status.js";
export type {
  Frame,
  FrameBook,
  FrameFill,
  FrameLevel,
  FrameMarket,
  FrameNotice,
} from "../../src/bot/status/frame.js";
export type { LadderRungStatus } from "../../src/bot/status/ladder-rung-status.js";
export type { MarketStatus } from "../../src/bot/status/market-status.js";
export type { MarkoutStatus } from "../../src/bot/status/markout-status.js";
export type { OwnQuote } from "../../src/bot/status/own-quotes.js";

/** `BUY` or `SELL`. */
export type Side = "BUY" | "SELL";

/** A bot in the list of all bots of this user. */
export interface BotEntry {
  readonly id: string;
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  readonly control: boolean;
  /** Why there is no newer frame. */
  readonly trouble?: string;
}

/** A command of the page. Without a market it is for all of them. */
export type PageRequest =
  | { readonly command: "halt"; readonly marketId?: string; readonly reason: string }
  | { readonly command: "resume"; readonly marketId?: string }
  | { readonly command: "flatten"; readonly marketId?: string; readonly maxSlippageBps: number }
  | {
      readonly command: "set";
      readonly changes: readonly { readonly path: string; readonly value: unknown }[];
      readonly preview: boolean;
      /** Writes the values that differ back to the file. */
      readonly save: boolean;
    }
  | { readonly command: "reload"; readonly preview: boolean };

/** The answer to a command or to its preview. */
export type PageResponse =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly field?: string;
        readonly expected?: string;
      };
    };
