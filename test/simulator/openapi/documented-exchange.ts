import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Pool } from "undici";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { ApiParameter } from "#simulator/api-parameters.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { ReferenceClient } from "../reference-client.js";

/** An operation as documented. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly isSigned: boolean;
  /** Of the body of a 200; undefined if the response is a 204. */
  readonly answer: ValidateFunction | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface SchemaObject {
  readonly required: readonly string[];
  readonly properties: Readonly<
    Record<string, ApiParameter["schema"] & { readonly description: string }>
  >;
}

/** The fields of an OpenAPI operation that the tests read. */
interface OperationObject {
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: SchemaObject }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** An exchange on a port, its own document, and clients that sign with their own keys. */
export async function documentedExchange(config: Partial<ExchangeConfigInput> = {}, accounts = 4) {
  const faults: unknown[] = [];
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      port: 0,
      rateLimits: { common: 0, order: 0 },
      markets: {
        btcusdc: {},
        ethusdc: {
          baseAsset: "ETH",
          tickSize: "0.01",
          stepSize: "0.01",
          amountBase: { min: "0.01" },
          marketAmountBase: { min: "0.01" },
        },
      },
      ...config,
    }),
    createLiveRuntime(),
  );
  const server = await serveExchange(exchange, { onFault: (fault) => faults.push(fault) });
  const pool = new Pool(new URL(server.restUrl).origin, { connections: 8, pipelining: 1 });

  const send = async (
    method: string,
    path: string,
    body?: string,
    contentType?: string,
  ): Promise<HttpAnswer> => {
    const answer = await pool.request({
      method: method as "GET",
      path,
      ...(body === undefined ? {} : { body }),
      headers: contentType === undefined ? {} : { "content-type": contentType },
    });
    return { status: answer.statusCode, body: await answer.body.text(), headers: answer.headers };
  };
  const document = JSON.parse((await send("GET", "/openapi.json")).body);

  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: "exchange" });
  const validatorOf = (schema: unknown) =>
    ajv.compile(
      JSON.parse(
        JSON.stringify(schema).replaceAll('"#/components', '"exchange#/components'),
      ) as object,
    );
  const error = validatorOf({ $ref: "#/components/schemas/Error" });
  const signing = new Set(["account", "timestamp", "signature"]);
  const operations: DocumentedOperation[] = Object.entries(
    document.paths as Record<string, Record<string, OperationObject>>,
  ).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const form = operation.requestBody?.content["application/x-www-form-urlencoded"]?.schema ?? {
        required: [],
        properties: {},
      };
      const all: readonly ApiParameter[] =
        operation.parameters ??
        Object.entries(form.properties).map(([name, schema]) => ({
          name,
          required: form.required.includes(name),
          schema,
          description: schema.description,
        }));
      const isSigned = all.some(({ name }) => name === "signature");
      const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
      return {
        method: method.toUpperCase(),
        path,
        parameters: all.filter(({ name }) => !(isSigned && signing.has(name))),
        isSigned,
        answer: schema === undefined ? undefined : validatorOf(schema),
      };
    }),
  );
  const clients = Array.from({ length: accounts }, (_, place) =>
    new ReferenceClient(
      exchange,
      Date.now,
      `0x${(place + 0x51).toString(16).padStart(64, "0")}`,
    ).register(),
  );

  return {
    exchange,
    server,
    document,
    operations,
    clients,
    faults,
    send,
    /** True if an error's body is as documented. */
    isError: (body: unknown): boolean => error(body) === true,
    async close() {
      await pool.close();
      await server.close();
    },
  };
}
