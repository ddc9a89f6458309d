import type { Random } from "#core/runtime.js";
import type { ApiParameter } from "#simulator/api-parameters.js";
import { encode, type ReferenceClient } from "../reference-client.js";
import type { DocumentedOperation } from "./documented-exchange.js";

/** The kind of request: as documented, wrong in one place, or hostile. */
export type Intent = "valid" | "near-valid" | "hostile";

export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

/** A record that a response named. */
export interface KnownRecord {
  /** The account that received the response. */
  readonly address: string;
  readonly marketId: string;
  readonly id: string;
}

const FORM = "application/x-www-form-urlencoded";

/**
 * Values that have broken servers before: bounds, other types, other alphabets, other languages'
 * syntax.
 */
const HOSTILE = [
  "",
  " ",
  "-1",
  "0",
  "1e400",
  "NaN",
  "Infinity",
  "0x10",
  "00012",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999999999",
  "-0",
  "1.0000000000000000000000000000001",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "' OR 1=1 --",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "%00",
  "\u0000",
  "\uFFFD",
  "💥",
  "а́btcusdc",
  "BTCUSDC",
  "btcusdc\n",
  "x".repeat(5000),
  "9".repeat(400),
] as const;

/**
 * Makes seeded requests from a document and from earlier responses: ids to request, orders to
 * cancel.
 */
export class RequestMaker {
  constructor(
    private readonly random: Random,
    private readonly operations: readonly DocumentedOperation[],
    private readonly clients: readonly ReferenceClient[],
    /** Orders and trades in earlier responses, newest last. */
    private readonly known: readonly KnownRecord[],
  ) {}

  make(intent: Intent): {
    operation: DocumentedOperation;
    client: ReferenceClient;
    request: MadeRequest;
  } {
    const operation = this.#one(this.operations);
    const client = this.#one(this.clients);
    const parameters = this.#valid(operation, client);
    if (intent !== "valid") this.#spoil(parameters, operation);
    if (intent === "hostile") this.#spoil(parameters, operation);
    const signed = operation.isSigned ? client.signed(parameters) : parameters;
    if (intent === "hostile" && this.#chance(0.2))
      signed[this.#one(["account", "timestamp", "signature", "__proto__"])] = this.#one(HOSTILE);
    return { operation, client, request: this.#carried(operation, signed, intent) };
  }

  #valid(
    { method, path, parameters }: DocumentedOperation,
    client: ReferenceClient,
  ): Record<string, string> {
    if (method === "POST" && path === "/v1/order") {
      const side = this.#one(["BUY", "SELL"] as const);
      const price = 30_000 + this.#below(21) - 10;
      const placed = client.order(side, String(price), (0.01 + this.#below(30) / 100).toFixed(2), {
        timeInForce: this.#one(["GTC", "GTC", "IOC", "FOK", "POST_ONLY"]),
        marketId: this.#one(["btcusdc", "ethusdc"]),
      });
      return Object.fromEntries(
        Object.entries(placed).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
    }
    const chosen: Record<string, string> = {};
    for (const parameter of parameters) {
      if (parameter.required || this.#chance(0.4))
        chosen[parameter.name] = this.#fitting(parameter, client);
    }
    const own = this.known.filter(({ address }) => address === client.address).slice(-10);
    if (chosen.orderId !== undefined && own.length > 0 && this.#chance(0.7)) {
      const { marketId, id } = this.#one(own);
      Object.assign(chosen, { marketId, orderId: id });
    }
    if (chosen.fromId !== undefined && path.endsWith("userTrades")) {
      delete chosen.startTime;
      delete chosen.endTime;
    }
    if (chosen.timeInForce === "GTT") chosen.expiration ??= String(Date.now() + 3_600_000);
    return chosen;
  }

  #fitting({ name, schema }: ApiParameter, client: ReferenceClient): string {
    if (schema.enum !== undefined) return String(this.#one(schema.enum));
    switch (name) {
      case "marketId":
        return this.#one(["btcusdc", "ethusdc"]);
      case "price":
        return String(29_990 + this.#below(21));
      case "amount":
        return (0.01 + this.#below(50) / 100).toFixed(2);
      case "expiration":
        return String(Date.now() + 3_600_000);
      case "startTime":
        return String(Date.now() - 60_000 - this.#below(60_000));
      case "endTime":
        return String(Date.now() - this.#below(60_000));
      case "orderId":
      case "fromId":
        return this.known.length === 0 ? "1" : this.#one(this.known).id;
      case "account":
      case "operator":
        return name === "account" ? client.address : this.#one(this.clients).address;
      case "limit":
        return String(1 + this.#below(500));
      default:
        throw new Error(
          `the document has a parameter ${name} that nothing is known to fit: say here what does`,
        );
    }
  }

  /** Removes a parameter, adds one, or gives one a value from the list. */
  #spoil(
    parameters: Record<string, string>,
    { parameters: documented }: DocumentedOperation,
  ): void {
    const names = [...new Set([...Object.keys(parameters), ...documented.map(({ name }) => name)])];
    const what = this.random.uniform();
    if (names.length === 0 || what < 0.1)
      parameters[this.#one(["limit", "recvWindow", "__proto__", "a b&c=d"])] = this.#one(HOSTILE);
    else if (what < 0.3) delete parameters[this.#one(names)];
    else parameters[this.#one(names)] = this.#one(HOSTILE);
  }

  #carried(
    { method, path }: DocumentedOperation,
    parameters: Record<string, string>,
    intent: Intent,
  ): MadeRequest {
    const form = encode(parameters);
    const target = (query: string) => (query === "" ? path : `${path}?${query}`);
    if (intent === "hostile" && this.#chance(0.25)) {
      return {
        method: this.#one(["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"]),
        path: this.#one([
          target(form),
          `${path}/`,
          `/${path}`,
          `${path}%2f..`,
          `${path}?&&==&%zz`,
          `${path}?${form}&${form}`,
          "/v2/time",
          "/",
        ]),
        ...(this.#chance(0.5)
          ? {
              body: this.#one([
                "{",
                "[1]",
                '{"a":{}}',
                '{"__proto__":"x"}',
                '{"marketId":"\\ud800"}',
                "\u0000",
                form,
              ]),
              contentType: this.#one([
                FORM,
                "application/json",
                "text/plain",
                "multipart/form-data",
              ]),
            }
          : {}),
      };
    }
    if (method !== "POST") return { method, path: target(form) };
    switch (this.#below(3)) {
      case 0:
        return { method, path, body: form, contentType: FORM };
      case 1:
        return { method, path: target(form) };
      default:
        return { method, path, body: JSON.stringify(parameters), contentType: "application/json" };
    }
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #below(bound: number): number {
    return Math.floor(this.random.uniform() * bound);
  }

  #chance(share: number): boolean {
    return this.random.uniform() < share;
  }
}
