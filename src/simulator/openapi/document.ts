import { z } from "zod";
import * as account from "../../exchange/protocol/account.js";
import { errorBody } from "../../exchange/protocol/errors.js";
import * as market from "../../exchange/protocol/market.js";
import * as data from "../../exchange/protocol/market-data.js";
import * as order from "../../exchange/protocol/order.js";
import { WRITTEN_FORMS } from "../../exchange/protocol/values.js";
import type { ExchangeConfig } from "../config/config.js";
import {
  faucetAnswer,
  type OfferedOperation,
  offeredOperations,
  operatorsAnswer,
  withdrawalAnswer,
} from "../rest/offered-operations.js";
import { type ApiParameter, documented, SIGNING } from "./api-parameters.js";
import { writtenSchemas } from "./written-schema.js";

/** The shapes by their names in the document. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  Time: data.time,
  ExchangeInfo: market.exchangeInfo,
  Market: market.market,
  OrderBook: data.orderBook,
  PublicTrade: data.publicTrade,
  Kline: data.kline,
  TradeVolume: data.tradeVolume,
  FundingRate: data.fundingRate,
  RiskyAccount: account.riskyAccount,
  Contract: data.contract,
  Contracts: data.contracts,
  Account: account.account,
  Balances: account.accountBalances,
  BalancesAnswer: account.balances,
  Position: account.undatedPosition,
  DatedPosition: account.datedPosition,
  UserTrade: account.userTrade,
  Income: account.income,
  OrderStruct: order.orderStruct,
  Order: order.order,
  BuildResult: order.builtOrder,
  Faucet: faucetAnswer,
  Withdrawal: withdrawalAnswer,
  Operators: operatorsAnswer,
  Error: errorBody,
};

/** An OpenAPI document: plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** The OpenAPI 3.1 document of an exchange of this configuration. */
export function openApiDocument(config: ExchangeConfig): OpenApiDocument {
  const offered = offeredOperations(config);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of offered) {
    const isBare = operation.path === "/v1/account" && !config.choices.accountEndpointsSigned;
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = operationObject(operation, isBare);
    paths[operation.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Marketwright exchange", version: "1", description: DESCRIPTION },
    tags: [...new Set(offered.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: writtenSchemas(SHAPES, refTo),
      responses: RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const DESCRIPTION = [
  "A perpetual-futures exchange: matching off the chain, settlement on it. Decimals are strings, identifiers 64-bit integers,",
  "times milliseconds. Parameters of GET and DELETE are in the query; those of POST in a form, as shown here, in the query or in a flat JSON",
  "object. The body takes precedence over the query. Signed operations need account, timestamp and signature.",
].join(" ");

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const RESPONSES = {
  Refused: {
    description: "Refused with an error code; nothing has changed",
    content: { [JSON_TYPE]: { schema: refTo("Error") } },
  },
};

/**
 * OpenAPI cannot describe a signature over the other parameters; the nearest is a key in the query.
 * It is also among each operation's parameters, so that a generated client can pass one for each
 * request.
 */
const SECURITY_SCHEMES = {
  requestSignature: {
    type: "apiKey",
    in: "query",
    name: "signature",
    description: [
      "EIP-191 signature, by the account or its operator, over all other parameters, sorted by name and form-encoded. A POST can",
      "have it in its body.",
    ].join(" "),
  },
};

function operationObject(
  { method, path, group, summary, isPrivate, parameters, answer }: OfferedOperation,
  isBare: boolean,
): object {
  const own = parameters.map(documented);
  // A signed operation names its account among what is signed.
  const all = isPrivate
    ? [
        ...own.filter(({ name }) => name !== "account"),
        ...(isBare ? SIGNING.slice(0, 1) : SIGNING),
      ].map(withoutDefault)
    : own;
  return {
    operationId: `${method.toLowerCase()}${path.replace("/v1", "").replace(/\/(\w)/g, (_, first: string) => first.toUpperCase())}`,
    tags: [group],
    summary: `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}`,
    security: isPrivate && !isBare ? [{ requestSignature: [] }] : [],
    ...(method === "POST" ? { requestBody: formOf(all) } : { parameters: all.map(queryParameter) }),
    responses: {
      ...(answer instanceof z.ZodNull
        ? { 204: { description: "Done; no body" } }
        : {
            200: {
              description: "Done",
              content: { [JSON_TYPE]: { schema: answerSchema(answer) } },
            },
          }),
      "4XX": { $ref: "#/components/responses/Refused" },
      "5XX": { $ref: "#/components/responses/Refused" },
    },
  };
}

/**
 * Removes the default and describes it in words: a generated client would add a default that its
 * caller left out and so did not sign.
 */
function withoutDefault(parameter: ApiParameter): ApiParameter {
  const { default: usual, ...schema } = parameter.schema;
  return usual === undefined
    ? parameter
    : { ...parameter, schema, description: `${parameter.description}; ${usual} when left out` };
}

function queryParameter({ name, required, schema, description }: ApiParameter): object {
  return { name, in: "query", required, schema, description };
}

function formOf(parameters: readonly ApiParameter[]): object {
  const schema = {
    type: "object",
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, schema: own, description }) => [name, { ...own, description }]),
    ),
  };
  // Only one of the two accepted forms: for several, openapi-python-client generates a module that
  // cannot be imported.
  return { required: true, content: { [FORM_TYPE]: { schema } } };
}

function answerSchema(answer: z.ZodType): object {
  return answer instanceof z.ZodArray
    ? { type: "array", items: refToRecord(answer.element as z.ZodType) }
    : refToRecord(answer);
}

function refToRecord(record: z.ZodType): object {
  const written = WRITTEN_FORMS.get(record)?.written;
  const name = Object.keys(SHAPES).find((known) => [record, written].includes(SHAPES[known]));
  return refTo(name as string);
}

function refTo(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
