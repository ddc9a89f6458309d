import { expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { documentedExchange } from "./documented-exchange.js";
import { type Intent, type KnownRecord, RequestMaker } from "./request-maker.js";

const AT_ONCE = 8;
/** The registration of an account: every client has one already. */
const NEVER_DONE = "POST /v1/account";
/** The most requests, as a multiple, until every other operation has succeeded. */
const MOST_TIMES = 10;
const INTENTS: readonly Intent[] = ["valid", "valid", "near-valid", "hostile"];

/**
 * Sends requests that are made from the exchange's own document over HTTP: valid, near-valid and
 * hostile ones.
 */
export function fuzzDocument(requests: number): void {
  it(`${requests} of them or more get only documented responses, cause no internal fault, and never see another account's data`, async () => {
    const { operations, clients, exchange, faults, send, isError, close } =
      await documentedExchange({ settlement: { delayMs: 20 } });
    const known: KnownRecord[] = [];
    const maker = new RequestMaker(
      seededRandom("fuzz of the document"),
      operations,
      clients,
      known,
    );
    const secretsOf = new Map(
      clients.map(({ address }) => [address, address.slice(2).toLowerCase()]),
    );
    const answered = new Map<string, number>();
    const problems: string[] = [];
    try {
      const one = async (count: number) => {
        const intent = INTENTS[count % INTENTS.length] as Intent;
        const { operation, client, request } = maker.make(intent);
        const { status, body } = await send(
          request.method,
          request.path,
          request.body,
          request.contentType,
        );
        const key = `${operation.method} ${operation.path}`;
        const tell = (what: string) =>
          problems.push(
            `${what}: ${intent} ${JSON.stringify(request).slice(0, 600)} -> ${status} ${body.slice(0, 400)}`,
          );
        const isAsDocumented =
          request.method === operation.method && request.path.split("?")[0] === operation.path;
        if (status >= 500) tell("a fault");
        else if (status >= 400) {
          if (!isError(jsonOf(body))) tell("an error that is not as documented");
        } else if (isAsDocumented && operation.answer === undefined) {
          if (status !== 204 || body !== "") tell("an answer where none is documented");
        } else if (isAsDocumented) {
          const value = jsonOf(body);
          if (operation.answer?.(value) !== true)
            tell(
              `an answer that is not as documented (${JSON.stringify(operation.answer?.errors?.[0])})`,
            );
        }
        if (operation.isSigned && request.method !== "POST") {
          const text = body.toLowerCase();
          for (const [address, secret] of secretsOf) {
            if (address !== client.address && text.includes(secret))
              tell(`something of ${address}'s`);
          }
        }
        for (const [, id, marketId] of body.matchAll(
          /"id":(\d+),"account":"0x\w+","marketId":"(\w+)"/g,
        )) {
          known.push({ address: client.address, marketId: marketId as string, id: id as string });
        }
        known.splice(0, known.length - 500);
        if (status < 300 && isAsDocumented) answered.set(key, (answered.get(key) ?? 0) + 1);
      };
      const undone = () =>
        operations
          .map(({ method, path }) => `${method} ${path}`)
          .filter((key) => key !== NEVER_DONE && !answered.has(key));
      let next = 0;
      // Requests meet orders that may still be open by chance: some get more of them.
      const isOver = () =>
        problems.length >= 5 ||
        next >= MOST_TIMES * requests ||
        (next >= requests && undone().length === 0);
      const worker = async () => {
        while (!isOver()) {
          next += 1;
          await one(next);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));

      expect(problems).toEqual([]);
      expect(faults).toEqual([]);
      expect(exchange.audit().isConserved).toBe(true);
      expect(exchange.market("btcusdc").trades.last()).toBeDefined();
      // Every operation must also have succeeded, or the fuzz test has tested only refusals.
      expect(undone()).toEqual([]);
      expect(answered.has(NEVER_DONE)).toBe(false);
    } finally {
      await close();
    }
  });
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
