import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "#core/errors.js";
import { choicesShape, type VenueChoices } from "#simulator/choices.js";
import { ANSWER_CHOICES } from "./choices/answer-choices.js";
import type { Case } from "./choices/case.js";
import { GAS_CHOICES } from "./choices/gas-choices.js";
import { MATCHED_CHOICES } from "./choices/matched-choices.js";
import { ORDER_CHOICES } from "./choices/order-choices.js";
import { encode, ReferenceClient, traders, virtualExchange } from "./reference-client.js";

const CASES: Readonly<Record<keyof VenueChoices, readonly Case[]>> = {
  ...ANSWER_CHOICES,
  ...ORDER_CHOICES,
  ...MATCHED_CHOICES,
  ...GAS_CHOICES,
};

describe("a choice of the venue", () => {
  const cases = Object.entries(CASES).flatMap(([key, values]) =>
    values.map((each) => ({ key, text: JSON.stringify(each.value), ...each })),
  );

  it.each(cases)("$key: $text", async ({ key, value, also = {}, config = {}, sees }) => {
    const world = traders({ ...config, choices: { ...also, [key]: value } });
    await sees(world);
    expect(world.exchange.audit().isConserved).toBe(true);
    world.exchange.stop();
  });

  it("is tested with each of its values, the default first", () => {
    const { properties = {} } = z.toJSONSchema(choicesShape, { io: "input" }) as {
      properties?: Record<string, { enum?: string[]; type?: string }>;
    };
    const defaults = choicesShape.parse({});
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(properties).sort());
    for (const [key, node] of Object.entries(properties)) {
      const tried = CASES[key as keyof VenueChoices].map(({ value }) => value);
      const words: readonly unknown[] | undefined =
        node.enum ?? (node.type === "boolean" ? [true, false] : undefined);
      expect(tried[0], key).toEqual(defaults[key as keyof VenueChoices]);
      expect(tried.length, key).toBeGreaterThan(1);
      if (words !== undefined) {
        expect(new Set(tried), key).toEqual(new Set(words));
      }
    }
  });

  it("that contradicts another is refused", () => {
    expect(() => traders({ choices: { matchedOrderList: "history" } })).toThrow(ConfigError);
    expect(() => traders({ choices: { codeStatus: { "9999": 400 } as never } })).toThrow(
      /choices\.codeStatus/,
    );
  });
});

describe("with real signatures", () => {
  it("a JSON body with a content type in capitals is read as JSON", () => {
    const { exchange, clock } = virtualExchange();
    const alice = new ReferenceClient(exchange, () => clock.nowMs()).register();
    const body = JSON.stringify(alice.signed(alice.order("BUY", "30000", "0.1")));
    const answer = exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: encode({}),
      body,
      contentType: "Application/JSON",
      ip: "10.0.0.1",
    });
    expect(answer.status).toBe(200);
  });
});
