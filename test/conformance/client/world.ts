import { Decimal } from "decimal.js";
import { afterEach, expect } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type Connection, type ConnectOptions, connect } from "#exchange/connect.js";
import { ExchangeClient, type ExchangeClientOptions } from "#exchange/exchange-client.js";
import type { HttpRequest, HttpResult } from "#exchange/transport.js";
import { KEYS, START_MS } from "../../simulator/reference-client.js";
import type { World } from "../exchange/world.js";
import { TABLES, type Table } from "../tables.js";

/** A request as the client sent it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  /** Character by character. */
  readonly text: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A scripted answer: JSON text, or a whole response. */
export type Scripted =
  | string
  | { readonly status: number; readonly body: string; readonly retryAfterMs?: number };

/** A client at the other end of which is the test. */
export interface ScriptedClient {
  readonly client: ExchangeClient;
  readonly clock: VirtualClock;
  readonly sent: Sent[];
  /** The last request. */
  last(): Sent;
}

/**
 * A client that is answered by the test's own wire text, by method and path; what is not scripted
 * is a 404. The text is what the specification's tables say, so that the client meets another
 * witness than the embedded exchange.
 */
export function scripted(
  answers: Readonly<
    Record<string, Scripted | ((params: Readonly<Record<string, string>>) => Scripted)>
  >,
  options: Partial<ExchangeClientOptions> = {},
): ScriptedClient {
  const clock = new VirtualClock(START_MS);
  const sent: Sent[] = [];
  const request = (
    { method, path, params: text }: HttpRequest,
    done: (result: HttpResult) => void,
  ): void => {
    const params = Object.fromEntries(new URLSearchParams(text));
    sent.push({ method, path, text, params });
    const found = answers[`${method} ${path}`] ?? {
      status: 404,
      body: '{"code":1111,"codeText":"Bad params","message":"not scripted"}',
    };
    const answer = typeof found === "function" ? found(params) : found;
    const { status, body, retryAfterMs } =
      typeof answer === "string"
        ? { status: 200, body: answer, retryAfterMs: undefined }
        : { retryAfterMs: undefined, ...answer };
    queueMicrotask(() => done({ ok: true, status, body, retryAfterMs }));
  };
  const client = new ExchangeClient({
    transport: { request },
    runtime: { clock, random: seededRandom("conformance") },
    signer: ecdsaScheme.signer(KEYS[0]),
    retry: { tries: 1 },
    ...options,
  });
  return { client, clock, sent, last: () => sent.at(-1) as Sent };
}

/**
 * Connects clients to a world's exchange over its real port, in its virtual time; each ends with
 * its test.
 */
export function connections(): (
  world: World,
  key?: string,
  options?: Partial<ConnectOptions>,
) => Promise<Connection> {
  const open: Connection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });
  return async ({ server, clock }, key = KEYS[0], options = {}) => {
    const runtime = { clock, random: seededRandom(`client ${open.length}`) };
    const connection = await connect({
      baseUrl: server.restUrl,
      streamUrl: server.streamUrl,
      key,
      runtime,
      retry: { tries: 1 },
      ...options,
    });
    open.push(connection);
    return connection;
  };
}

/** Asserts that the client gives every field of a wire record, exactly, and nothing as a float. */
export function expectRead(read: object, wire: object, name: keyof typeof TABLES): void {
  const table: Table = TABLES[name];
  const given = read as Readonly<Record<string, unknown>>;
  for (const [field, value] of Object.entries(wire)) {
    const found = given[field];
    switch (table[field]) {
      case "decimal":
        expect([field, Decimal.isDecimal(found), String(found)]).toEqual([field, true, value]);
        break;
      case "integer":
        expect([field, field === "id" ? found : String(found)]).toEqual([field, String(value)]);
        break;
      case "ms text":
        expect([field, found]).toEqual([field, Number(value)]);
        break;
      case "address":
      case "bytes":
      case "bytes32":
        expect([field, found]).toEqual([field, String(value).toLowerCase()]);
        break;
      case "whole text":
        expect([field, found]).toEqual([field, BigInt(String(value))]);
        break;
      case "list":
      case "object":
        expect([field, typeof found]).toEqual([field, "object"]);
        break;
      default:
        expect([field, found]).toEqual([field, value]);
    }
  }
  expect(Object.keys(wire).sort(), `the example of ${name}`).toEqual(Object.keys(table).sort());
  expect(given.extra, `beyond ${name}`).toEqual({});
}
