import { z } from "zod";
import type { Ms } from "../../core/units.js";
import { DeliveryError } from "./channel.js";
import { boundedPauseMs, deliveryErrorFor, type JsonPoster } from "./json-poster.js";

const answerSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string().default(""),
    parameters: z.object({ retry_after: z.number().optional() }).optional(),
  }),
]);

/** Calls methods of one Telegram bot (https://core.telegram.org/bots/api#making-requests). */
export class TelegramApi {
  readonly #poster: JsonPoster;
  readonly #base: string;

  /** @param url address of the interface, without the token */
  constructor(
    poster: JsonPoster,
    { url, token }: { readonly url: string; readonly token: string },
  ) {
    this.#poster = poster;
    this.#base = `${url}/bot${token}`;
  }

  /** Returns the result of a method. @throws DeliveryError */
  async call(method: string, params: object, withinMs?: Ms): Promise<unknown> {
    const result = await this.#poster.post(
      `${this.#base}/${method}`,
      JSON.stringify(params),
      withinMs === undefined ? {} : { withinMs },
    );
    const answer = answerSchema.safeParse(parseJson(result.text));
    if (!answer.success) throw deliveryErrorFor(result);
    if (answer.data.ok) return answer.data.result;
    const { error_code: code, description, parameters } = answer.data;
    throw new DeliveryError(`Telegram refuses ${method} (${code}): ${description.slice(0, 200)}`, {
      // A chat that does not exist is a 400 too; but it may be put right, and the message waits.
      isRefused: code === 400 && !/chat not found/i.test(description),
      retryAfterMs: boundedPauseMs((parameters?.retry_after ?? 0) * 1000) ?? result.retryAfterMs,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
