import { isRecord } from "./is-record.js";
import {
  address,
  blockNumber,
  boolean,
  data,
  hash,
  InvalidArgument,
  listOf,
  mapOf,
  oneOfShape,
  quantity,
  recordShape,
  type Shape,
  text,
} from "./rpc-shapes.js";

const MOST_TOPICS = 4;

const ACCESS_LIST = listOf(
  recordShape({ address, storageKeys: listOf(hash) }, ["address", "storageKeys"]),
);

const AUTHORIZATIONS = listOf(
  recordShape(
    {
      chainId: quantity(256),
      address,
      nonce: quantity(64),
      yParity: quantity(8),
      r: quantity(256),
      s: quantity(256),
    },
    ["chainId", "address", "nonce", "yParity", "r", "s"],
  ),
);

const CALL_FIELDS: Readonly<Record<string, Shape>> = {
  from: address,
  to: address,
  gas: quantity(64),
  gasPrice: quantity(128),
  maxFeePerGas: quantity(128),
  maxPriorityFeePerGas: quantity(128),
  maxFeePerBlobGas: quantity(128),
  value: quantity(256),
  nonce: quantity(64),
  data,
  input: data,
  chainId: quantity(64),
  type: quantity(8),
  accessList: ACCESS_LIST,
  authorizationList: AUTHORIZATIONS,
  blobVersionedHashes: listOf(hash),
  blobs: () => {
    throw new InvalidArgument("blobs are accepted only in signed transactions");
  },
};

/** A call: the fields of a transaction, all optional. */
export const call: Shape = (value) => callData(recordShape(CALL_FIELDS)(value));

/** A transaction for the chain to sign. */
export const transaction: Shape = (value) => callData(recordShape(CALL_FIELDS, ["from"])(value));

/** Overrides of account state for one call, by address. */
export const overrides: Shape = mapOf(address, (value) => {
  const words = mapOf(hash, hash);
  const account = recordShape({
    balance: quantity(256),
    nonce: quantity(64),
    code: data,
    state: words,
    stateDiff: words,
  })(value);
  const { state, stateDiff } = account as Record<string, unknown>;
  if (state !== undefined && stateDiff !== undefined)
    throw new InvalidArgument("has both 'state' and 'stateDiff'");
  return account;
});

/** A log filter: blocks, contracts and topics. */
export const logFilter: Shape = (value) => {
  const filter = recordShape({
    address: addresses,
    topics,
    fromBlock: blockNumber,
    toBlock: blockNumber,
    blockHash: hash,
  })(value);
  const { blockHash, fromBlock, toBlock } = filter as Record<string, unknown>;
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw new InvalidArgument(
      "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other",
    );
  }
  return filter;
};

/** Percentiles of a block's gas, ascending. */
export const percentiles: Shape = (value) => {
  const numbers = listOf((entry) => {
    if (typeof entry !== "number" || !(entry >= 0 && entry <= 100))
      throw new InvalidArgument("expected a number from 0 to 100");
    return entry;
  })(value) as number[];
  const place = numbers.findIndex((number, index) => number < (numbers[index - 1] ?? 0));
  if (place >= 0) throw new InvalidArgument(`${place}: expected at least the percentile before it`);
  return numbers;
};

const TYPED_FIELDS = listOf(recordShape({ name: text, type: text }, ["name", "type"]));

/** Typed data (EIP-712), as an object or as its JSON. */
export const typedData: Shape = (value) => {
  const anything: Shape = (entry) => {
    if (!isRecord(entry)) throw new InvalidArgument("expected an object");
    return entry;
  };
  const fields = {
    types: mapOf(text, TYPED_FIELDS),
    primaryType: text,
    domain: anything,
    message: anything,
  };
  return recordShape(
    fields,
    Object.keys(fields),
  )(typeof value === "string" ? parsed(value) : value);
};

/** The options of each of go-ethereum's tracers; null for one without options. */
const TRACERS: Readonly<Record<string, Shape | null>> = {
  "4byteTracer": null,
  callTracer: recordShape({ onlyTopCall: boolean, withLog: boolean }),
  erc7562Tracer: recordShape({ withLog: boolean, stackTopItemsSize: count }),
  flatCallTracer: recordShape({ convertParityErrors: boolean, includePrecompiles: boolean }),
  noopTracer: null,
  prestateTracer: recordShape({ diffMode: boolean, disableCode: boolean, disableStorage: boolean }),
};
const MUX_TRACER = "muxTracer";
const TRACER_NAMES = oneOfShape(...Object.keys(TRACERS), MUX_TRACER);

const TRACE_FIELDS: Readonly<Record<string, Shape>> = {
  disableStack: boolean,
  disableStorage: boolean,
  disableMemory: boolean,
  enableMemory: boolean,
  enableReturnData: boolean,
  limit: count,
  timeout: text,
  tracer: TRACER_NAMES,
  // The EVM would silently trace without them.
  stateOverrides: noOverrides,
  blockOverrides: noOverrides,
};

/** How an execution is traced: step by step, or by go-ethereum's own tracers. */
export const traceOptions: Shape = (value) => {
  const { tracer, ...options } = recordShape(TRACE_FIELDS)(value) as Record<string, unknown>;
  if (tracer === undefined) return options;
  const config: Shape = (given) =>
    tracer === MUX_TRACER ? muxConfig(given) : tracerConfig(tracer as string, given);
  return { ...options, tracer, ...(recordShape({ tracerConfig: config })(value) as object) };
};

function tracerConfig(tracer: string, given: unknown): unknown {
  return (TRACERS[tracer] ?? recordShape({}))(given);
}

/** Several tracers at once, by name, each with its options. */
function muxConfig(value: unknown): unknown {
  const tracers = mapOf(oneOfShape(...Object.keys(TRACERS)), (given) => given)(value) as Record<
    string,
    unknown
  >;
  return Object.fromEntries(
    Object.entries(tracers).map(([tracer, given]) => [
      tracer,
      TRACERS[tracer] === null ? null : tracerConfig(tracer, given ?? {}),
    ]),
  );
}

function noOverrides(value: unknown): undefined {
  if (isRecord(value) && Object.keys(value).length === 0) return undefined;
  throw new InvalidArgument("a trace accepts no overrides here");
}

function count(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgument("expected a whole number from 0");
}

function addresses(value: unknown): unknown {
  return Array.isArray(value) ? listOf(address)(value) : address(value);
}

/** By position: one topic, any of several, or null for any topic. */
function topics(value: unknown): unknown {
  if (Array.isArray(value) && value.length > MOST_TOPICS)
    throw new InvalidArgument("exceed max topics");
  return listOf((entry) => {
    // A null among the alternatives matches everything.
    if (entry === null || (Array.isArray(entry) && entry.includes(null))) return null;
    return Array.isArray(entry) ? listOf(hash)(entry) : hash(entry);
  })(value);
}

/** Keeps one name for the data of a call: the EVM treats `input` as another name of `data`. */
function callData(value: unknown): unknown {
  const { input, ...rest } = value as Record<string, unknown>;
  if (input === undefined) return rest;
  if (rest.data !== undefined && String(rest.data).toLowerCase() !== String(input).toLowerCase()) {
    throw new InvalidArgument(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  }
  return { ...rest, data: input };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The position of the JSON error does not help a caller who did not mean JSON.
    throw new InvalidArgument("expected an object, or its JSON");
  }
}
