import { z } from "zod";

const shape = z.object({
  id: z.union([z.int(), z.string()]).optional(),
  method: z.enum([
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "LIST_SUBSCRIPTIONS",
    "SET_PROPERTY",
    "GET_PROPERTY",
  ]),
  params: z.array(z.union([z.string(), z.boolean()])).default([]),
});

/** A request to change streams. */
export interface UsdmStreamRequest {
  /** The id as JSON, for the response. */
  readonly id: string;
  readonly method: z.output<typeof shape>["method"];
  readonly params: readonly (string | boolean)[];
}

/** An invalid request to change streams. */
export class UsdmStreamRequestError extends Error {
  constructor(
    /** The request's id as JSON; `null` without one. */
    readonly id: string,
    message: string,
  ) {
    super(message);
    this.name = "UsdmStreamRequestError";
  }
}

/**
 * Reads a client's message.
 * @throws UsdmStreamRequestError naming the problem
 */
export function readUsdmStreamRequest(text: string): UsdmStreamRequest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsdmStreamRequestError("null", "the message is not valid JSON");
  }
  const result = shape.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new UsdmStreamRequestError(
      "null",
      `${issue?.path.join(".") || "the message"}: ${issue?.message ?? "is not valid"}`,
    );
  }
  const { id, method, params } = result.data;
  return { id: id === undefined ? "null" : JSON.stringify(id), method, params };
}
