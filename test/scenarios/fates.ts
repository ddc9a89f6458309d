import type { Ms } from "#core/units.js";
import type { OperationName } from "#exchange/operations.js";

/** The fate of a request. */
export type Fate =
  /** It never arrives. */
  | { readonly is: "request lost" }
  /** It arrives and is executed; the answer is lost. */
  | { readonly is: "answer lost" }
  | { readonly is: "request late"; readonly byMs: Ms }
  | { readonly is: "answer late"; readonly byMs: Ms }
  /** A proxy sends it twice and passes on the second answer. */
  | { readonly is: "sent twice" }
  /**
   * Something between answers in the exchange's place; `arrives` has the exchange work on it all
   * the same.
   */
  | {
      readonly is: "answered by a wall";
      readonly status: number;
      readonly body: string;
      readonly retryAfterMs?: Ms;
      readonly arrives?: boolean;
    }
  /** The exchange's own answer, changed. */
  | { readonly is: "rewritten"; readonly body: (body: string) => string };

/** One request as it left the bot. */
export interface SentRequest {
  readonly atMs: Ms;
  readonly what: OperationName;
  readonly params: URLSearchParams;
  /** HTTP status that the exchange itself gave; undefined when the request never reached it. */
  status: number | undefined;
}
