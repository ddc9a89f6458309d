import { Decimal } from "decimal.js";
import { z } from "zod";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { MarketwrightError } from "../../core/errors.js";
import { reloadRequest, setRequest, via } from "./configure-request.js";

const marketId = z.string().min(1).max(40);
const sizeBase = z
  .string()
  .refine(
    (text) => /^\d{1,30}(\.\d{1,30})?$/.test(text) && new Decimal(text).gt(0),
    "a decimal string above zero",
  );

const halt = z.strictObject({
  command: z.literal("halt"),
  marketId: marketId.optional(),
  reason: z.string().min(1).max(200).transform(maskSecrets).default("requested by the operator"),
  via,
});
const resume = z.strictObject({
  command: z.literal("resume"),
  marketId: marketId.optional(),
  via,
});
const flatten = z.strictObject({
  command: z.literal("flatten"),
  marketId: marketId.optional(),
  /** Largest distance from the touch, in basis points. */
  maxSlippageBps: z.number().gt(0).max(10_000).default(50),
  /** Largest single order; the market's own limit if absent. */
  sliceBase: sizeBase.optional(),
  via,
});

/** Commands that change what a bot does. Without a market, a command applies to all of them. */
const tradingCommandSchema = z.discriminatedUnion("command", [halt, resume, flatten]);

const status = z.strictObject({ command: z.literal("status") });

/** Commands that an operator types. */
export const operatorCommandSchema = z.discriminatedUnion("command", [
  status,
  halt,
  resume,
  flatten,
]);

/** Shortest and longest interval of the frames of a `watch`. */
const WATCH_MS = { min: 100, max: 10_000, usual: 500 } as const;

/** Commands to a running bot. */
export const controlCommandSchema = z.discriminatedUnion("command", [
  status,
  halt,
  resume,
  flatten,
  /** Sends a frame at once and then at this interval, until the connection closes. */
  z.strictObject({
    command: z.literal("watch"),
    everyMs: z.int().min(WATCH_MS.min).max(WATCH_MS.max).default(WATCH_MS.usual),
  }),
  /** Answers what a command would do now, and does nothing. */
  z.strictObject({ command: z.literal("preview"), of: tradingCommandSchema }),
  /** Answers a fresh link to the bot's cockpit, which works once. */
  z.strictObject({ command: z.literal("cockpit-link") }),
  setRequest,
  reloadRequest,
]);

/** A checked command, defaults filled in. */
export type ControlCommand = z.output<typeof controlCommandSchema>;

/** A command as a client may write it. */
export type ControlRequest = z.input<typeof controlCommandSchema>;

/** A checked command that changes what a bot does. */
export type TradingCommand = z.output<typeof tradingCommandSchema>;

/** A checked command of an operator. */
export type OperatorCommand = z.output<typeof operatorCommandSchema>;

/** The same as a client may write it. */
export type OperatorRequest = z.input<typeof operatorCommandSchema>;

/** A checked command with one answer: every command but `watch`. */
export type AnsweredCommand = Exclude<ControlCommand, { readonly command: "watch" }>;

/** A response: one line of JSON. */
export type ControlResponse =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly field?: string | undefined;
        readonly expected?: string | undefined;
      };
    };

/** Longest line of a command or an answer. */
const MOST_LINE_BYTES = 1_000_000;

/** A failure as it is sent to the client. */
export function controlError(cause: unknown): ControlResponse {
  const field = cause instanceof MarketwrightError ? cause.field : undefined;
  const expected = cause instanceof MarketwrightError ? cause.expected : undefined;
  const { name, message } =
    cause instanceof Error ? cause : { name: "Error", message: String(cause) };
  return { ok: false, error: { name, message, field, expected } };
}

/** A response as its line; bigints become decimal strings. */
export function encodeControlResponse(answer: ControlResponse): string {
  return `${JSON.stringify(answer, (_key, held: unknown) => (typeof held === "bigint" ? held.toString() : held))}\n`;
}

/** Joins chunks into lines; undefined once a line is longer than allowed. */
export class LineReader {
  readonly #mostBytes: number;
  #held = "";

  constructor(mostBytes = MOST_LINE_BYTES) {
    this.#mostBytes = mostBytes;
  }

  push(chunk: string): readonly string[] | undefined {
    const lines = (this.#held + chunk).split("\n");
    this.#held = lines.pop() ?? "";
    return this.#held.length > this.#mostBytes ? undefined : lines;
  }
}
