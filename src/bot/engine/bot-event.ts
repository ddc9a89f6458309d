import type { AccountChange } from "../../account/account-change.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import type { Bucket, DispatchKind } from "../../executor/dispatch-budget.js";
import type { Plan } from "../../executor/plan.js";
import type { Clip } from "../../risk/check-intent.js";
import type { LadderAction, LadderMeasure } from "../../risk/risk-ladder.js";
import type { Intent } from "../../strategies/intent.js";
import type { LeftoverOrder } from "../execution/leftover-order.js";
import type { UnwindReport } from "../unwind/unwind-report.js";

/** How the end of a run came out. */
export interface StopResult {
  readonly reason: string;
  /** Orders of ours that may still fill: empty at a clean end. */
  readonly ordersLeft: readonly LeftoverOrder[];
  /** Open orders of ours as the exchange itself told last; undefined when it could not be asked. */
  readonly openOrdersLeft: number | undefined;
  /** Markets whose position is another at the exchange, or that it has not reported; absent where there are none. */
  readonly positionsApart?: readonly PositionAtEnd[];
}

/** A position at the end of a run that the exchange contradicts, or has not reported (undefined), in base. */
export interface PositionAtEnd {
  readonly marketId: MarketId;
  readonly positionBase: string;
  readonly exchangeBase: string | undefined;
}

/** Everything that a bot tells whoever watches it: log, metrics, screen, a test. Nothing of it comes back. */
export type BotEvent =
  | {
      readonly kind: "log";
      readonly level: "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "account"; readonly change: AccountChange }
  /** An action was handed to the venue. `causeMonotonicMs`: when the message that led to it was received. */
  | {
      readonly kind: "dispatched";
      readonly action: Action;
      readonly causeMonotonicMs: number | undefined;
    }
  | {
      readonly kind: "answered";
      readonly action: Action;
      readonly outcome: Outcome;
      readonly tookMs: Ms;
    }
  | {
      readonly kind: "book-lost";
      readonly marketId: MarketId;
      readonly reason: string;
      readonly gap: boolean;
    }
  | {
      readonly kind: "stream";
      readonly stream: "market" | "account";
      readonly state: "up" | "down";
      readonly reason: string;
    }
  | { readonly kind: "malformed"; readonly where: string; readonly reason: string }
  /** An intent was taken; with `clips`, smaller than it was asked for. */
  | { readonly kind: "intent"; readonly intent: Intent; readonly clips?: readonly Clip[] }
  /** A strategy threw, or emitted a broken intent, which halts its market. `stack`: where, in the lines of its author's; undefined for what has none. */
  | {
      readonly kind: "strategy-failed";
      readonly marketId: MarketId;
      readonly why: string;
      readonly stack: string | undefined;
    }
  | {
      readonly kind: "intent-refused";
      readonly marketId: MarketId;
      readonly refusal: string;
      readonly why: string;
    }
  /** A place that its last check stopped. */
  | {
      readonly kind: "held-back";
      readonly marketId: MarketId;
      readonly limit: string;
      readonly why: string;
    }
  /** An action has to wait for tokens of a rate limit, until `retryAtMs` at least on the clock that never steps: Infinity where the limit is less. */
  | {
      readonly kind: "tokens-short";
      readonly bucket: Bucket;
      readonly action: DispatchKind;
      readonly why: string;
      readonly retryAtMs: Ms;
    }
  /** Of a dry run: what would be done now. Told when it changes. */
  | { readonly kind: "dry-plan"; readonly marketId: MarketId; readonly plan: Plan }
  | {
      readonly kind: "halted";
      readonly reason: string;
      readonly marketId: MarketId | undefined;
      readonly on: boolean;
      readonly why: string;
    }
  /** Another rung of the risk ladder acts for a measure, of one market or of all; none when `action` is undefined. */
  | {
      readonly kind: "rung";
      readonly measure: LadderMeasure;
      readonly marketId: MarketId | undefined;
      readonly action: LadderAction | undefined;
      readonly widenFactor: number | undefined;
      readonly why: string;
    }
  /** Of a takeover: told whenever anything in it but the mark has changed, and once more for each still open when the bot starts. */
  | { readonly kind: "unwind"; readonly unwind: UnwindReport }
  | { readonly kind: "stopped"; readonly result: StopResult };

/** Takes notices; must not throw. */
export type BotListener = (notice: BotEvent) => void;
