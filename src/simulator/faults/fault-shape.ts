import { z } from "zod";
import { address, text } from "../config/config-text.js";

/** The most faults that a file, or the admin endpoint, keeps at a time. */
export const MOST_FAULTS = 100;
/** The interfaces of an exchange that faults strike. */
const FAULT_INTERFACES = ["exchange", "binance-usdm"] as const;
const LONGEST_MS = 86_400_000;
const probability = z.number().min(0).max(1);
const lasting = z.int().min(1).max(LONGEST_MS);

/** Keys of every fault. */
const WINDOW = {
  /** Strikes each request or frame with this probability. */
  probability: probability.gt(0).default(1),
  /** From so long after the exchange's start, or after the request that adds the fault. */
  fromMs: z.int().min(0).max(LONGEST_MS).default(0),
  /** For so long; until it is ended when absent. */
  forMs: lasting.optional(),
  /** Strikes only this interface; every one that the exchange serves when absent. */
  interface: z.enum(FAULT_INTERFACES).optional(),
  /** Strikes only the signed requests and the account streams of these accounts. */
  accounts: z.array(address).min(1).optional(),
};

/** Keys of faults that strike HTTP requests. */
const REQUESTS = {
  ...WINDOW,
  /** Strikes only these endpoints. */
  endpoints: z
    .array(text(/^([A-Z]+ )?\/\S*$/, "a path with or without its method, such as POST /v1/order"))
    .min(1)
    .optional(),
};

/** Keys of faults that strike frames of streams. */
const FRAMES = {
  ...WINDOW,
  /** Strikes only frames of these streams. */
  streams: z.array(z.string().min(1)).min(1).optional(),
};

const delay = (min: number, max: number) =>
  z
    .strictObject({
      min: z.int().min(0).max(LONGEST_MS).default(min),
      max: z.int().min(0).max(LONGEST_MS).default(max),
    })
    .refine((bounds) => bounds.min <= bounds.max, {
      path: ["max"],
      message: "is below min",
      params: { expected: "at least min" },
    })
    .prefault({});

/** The share of struck requests that take effect all the same. */
const actedShare = probability.default(0.5);
/** Close codes that a server can send (RFC 6455, 7.4): not those that stand for no code. */
const closeCode = z
  .int()
  .min(1000)
  .max(4999)
  .refine((code) => code >= 3000 || (code <= 1014 && (code <= 1003 || code >= 1007)), {
    message: "is not a close code that can be sent",
    params: { expected: "1000 to 1003, 1007 to 1014, or 3000 to 4999" },
  });
/** The `Retry-After` of the refusal; without the header when absent. */
const retryAfterSeconds = z.int().min(0).max(3600).optional();

/**
 * One fault. The kinds are those of the simulation (docs/reference/simulation-rules.md) that a
 * server can show to its clients, and seven more: `answer-garbled`, `answers-swapped`,
 * `frame-garbled`, `stream-closed`, and those of the handshake of a websocket.
 */
export const faultShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("request-lost"), ...REQUESTS }),
  z.strictObject({ kind: z.literal("request-delayed"), ...REQUESTS, delayMs: delay(50, 9000) }),
  z.strictObject({ kind: z.literal("request-duplicated"), ...REQUESTS, delayMs: delay(1, 1500) }),
  z.strictObject({ kind: z.literal("answer-lost"), ...REQUESTS }),
  z.strictObject({ kind: z.literal("answer-delayed"), ...REQUESTS, delayMs: delay(50, 6000) }),
  z.strictObject({ kind: z.literal("answers-swapped"), ...REQUESTS }),
  z.strictObject({ kind: z.literal("answer-garbled"), ...REQUESTS }),
  z.strictObject({ kind: z.literal("storm-429"), ...REQUESTS, retryAfterSeconds }),
  z.strictObject({ kind: z.literal("storm-418"), ...REQUESTS, retryAfterSeconds }),
  z.strictObject({
    kind: z.literal("storm-5xx"),
    ...REQUESTS,
    status: z.int().min(500).max(599).default(503),
    actedShare,
  }),
  z.strictObject({ kind: z.literal("connection-lost"), ...REQUESTS, actedShare }),
  z.strictObject({ kind: z.literal("upgrade-lost"), ...WINDOW }),
  z.strictObject({ kind: z.literal("upgrade-delayed"), ...WINDOW, delayMs: delay(50, 9000) }),
  z.strictObject({
    kind: z.literal("upgrade-refused"),
    ...WINDOW,
    status: z.int().min(400).max(599).default(503),
  }),
  z.strictObject({ kind: z.literal("stream-dropped"), ...FRAMES }),
  z.strictObject({
    kind: z.literal("stream-closed"),
    ...FRAMES,
    code: closeCode.default(1001),
  }),
  z.strictObject({
    kind: z.literal("stream-stalled"),
    ...FRAMES,
    /** How long a struck connection is silent. */
    stallMs: lasting.default(20_000),
  }),
  z.strictObject({ kind: z.literal("frame-lost"), ...FRAMES }),
  z.strictObject({ kind: z.literal("frames-swapped"), ...FRAMES }),
  z.strictObject({ kind: z.literal("frame-repeated"), ...FRAMES }),
  z.strictObject({ kind: z.literal("frame-garbled"), ...FRAMES }),
  z.strictObject({ kind: z.literal("snapshot-late"), ...FRAMES, delayMs: delay(20, 400) }),
]);

/** A checked fault with its defaults filled in. */
export type Fault = z.output<typeof faultShape>;

export type FaultKind = Fault["kind"];

/** An interface of an exchange, as faults name it. */
export type FaultInterface = (typeof FAULT_INTERFACES)[number];

/** The fault of one kind. */
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;

/** `faults` of the exchange's configuration. */
export const faultsShape = z.strictObject({
  /** The seed of the draws; the exchange's own when absent. */
  seed: z.union([z.int(), z.string().min(1)]).optional(),
  /** The port of the admin endpoint on 127.0.0.1; 0 takes any free one. Closed when absent. */
  adminPort: z.int().min(0).max(65_535).optional(),
  list: z.array(faultShape).max(MOST_FAULTS).default([]),
});
