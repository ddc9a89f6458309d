import { closedOver, ownFields } from "./private-fields.js";

/**
 * Fields that a process does not keep for the next one, by class, with the reason. Every other
 * field has to be restored, so a new field is compared automatically.
 */
const NOT_LASTING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EmbeddedExchange: {
    "#isRunning": "one of the two has not been started",
    "#hasRun": "likewise",
  },
  ExchangeComponents: {
    "#flows": "order flows begin anew",
    durableState: "the store itself",
    hub: "streams end with their process",
  },
  TurnScope: { "#depth": "no event is under way" },
  MarketClock: { "#timers": "set at the start" },
  OrderExpiries: { "#timers": "set at the start" },
  SettlementQueue: { "#timer": "set at the start" },
  Withdrawals: { "#timers": "set at the start" },
  Router: { "#limiter": "rates and bans are forgotten" },
  PublicEndpoints: { "#risky": "a cache", "#riskyReadMs": "likewise" },
  OrderEntry: { "#addressBytes": "a cache" },
  VenueOrderHasher: { "#struct": "written over at each hash", "#envelope": "likewise" },
  PublishedDepth: {
    publishedSequence: "nobody has followed the book yet",
    watched: "likewise",
    "#bids": "likewise",
    "#asks": "likewise",
  },
  Market: { "#agents": "agents begin anew with their flow" },
  ExchangeState: { "#latestMs": "an event that changes nothing but the time is not written" },
  BoundedHistory: { "#dropped": "a shorter array with the same kept items" },
};

/** Maps whose order does not matter; for all others it is the order of lists. */
const UNORDERED: readonly string[] = [
  "usedRequests", // which came first: they are looked up by their digest
  "markets", // in which an account traded first
  "#byTicks", // which price was quoted first: levels are looked up there, and stand in their order in `#levels`
];

/**
 * Differences between a live exchange and the one restored from its records, field by field,
 * including private ones and closures, and differences in the identity of shared objects.
 */
export function stateDifferences(living: object, rebuilt: object): string[] {
  const differences: string[] = [];
  const partners = new Map<object, object>();
  const compare = (path: string, a: unknown, b: unknown): void => {
    if (differences.length >= 20 || Object.is(a, b)) {
      return;
    }
    if (!isObject(a) || !isObject(b)) {
      differences.push(`${path}: ${show(a)}, rebuilt ${show(b)}`);
      return;
    }
    const partner = partners.get(a);
    if (partner !== undefined) {
      if (partner !== b) {
        differences.push(`${path}: one object in the living exchange, two in the rebuilt`);
      }
      return;
    }
    partners.set(a, b);
    if (a.constructor !== b.constructor) {
      differences.push(`${path}: ${a.constructor.name}, rebuilt ${b.constructor.name}`);
      return;
    }
    if (a instanceof Map && b instanceof Map) {
      const [ours, theirs] = UNORDERED.some((name) => path.endsWith(`.${name}`))
        ? [sorted(a), sorted(b)]
        : [[...a], [...b]];
      compareLists(path, ours, theirs);
    } else if (a instanceof Set && b instanceof Set) {
      compareLists(path, inOrder([...a]), inOrder([...b]));
    } else if (Array.isArray(a) && Array.isArray(b)) {
      compareLists(path, a, b);
    } else {
      compareFields(path, a, b);
    }
  };
  const compareLists = (path: string, a: readonly unknown[], b: readonly unknown[]): void => {
    if (a.length !== b.length) {
      differences.push(`${path}: ${a.length} items, rebuilt ${b.length}`);
      return;
    }
    for (const [place, item] of a.entries()) {
      compare(`${path}[${place}]`, item, b[place]);
    }
  };
  const compareFields = (path: string, a: object, b: object): void => {
    const [ours, theirs] = [kept(a), kept(b)];
    for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
      compare(`${path}.${name}`, ours.get(name), theirs.get(name));
    }
  };
  compare("exchange", living, rebuilt);
  return differences;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function kept(object: object): Map<string, unknown> {
  const fields =
    typeof object === "function"
      ? closedOver(object)
      : object.constructor === Object || ArrayBuffer.isView(object)
        ? new Map(Object.entries(object))
        : ownFields(object);
  if (object.constructor.name === "Journal") {
    fields.set(
      "#items",
      (fields.get("#items") as unknown[]).slice(fields.get("#dropped") as number),
    );
  }
  if (object.constructor.name === "PremiumMeter") {
    // An empty meter's state is one constant, shared by all meters.
    fields.set("#state", { ...(fields.get("#state") as object) });
  }
  for (const name of ["runtime", "#runtime", "runtime", "#runtime"]) {
    fields.delete(name);
  }
  for (const name of Object.keys(NOT_LASTING[object.constructor.name] ?? {})) {
    fields.delete(name);
  }
  return fields;
}

function sorted(map: ReadonlyMap<unknown, unknown>): [unknown, unknown][] {
  return [...map].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

/** The holders of a position are a set: their order does not matter. */
function inOrder(items: readonly unknown[]): readonly unknown[] {
  return items.every((item) => typeof item === "object" && item !== null && "address" in item)
    ? [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1))
    : items;
}

function key(item: unknown): string {
  return JSON.stringify(item, (name, value: unknown) =>
    name === "address" || name === "" ? value : undefined,
  );
}

function show(value: unknown): string {
  return typeof value === "bigint"
    ? `${value}n`
    : typeof value === "object"
      ? JSON.stringify(value, bigints)
      : String(value);
}

function bigints(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
