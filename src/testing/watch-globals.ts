import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../bot/strategy/strategy-bundle.js";

/** A use of the machine's time, timers, randomness or files. */
export interface GlobalUse {
  /** `Date`, `Math.random`, `setTimeout`, `fetch`, `readFileSync` ... */
  readonly name: string;
  /** File, line and column of the caller; undefined if the stack names none. */
  readonly place: string | undefined;
}

type Callable = (...args: unknown[]) => unknown;
type Holder = Record<string, unknown>;

/** The functions that are watched, by the object that holds them and the beginning of its name. */
const WATCHED: readonly (readonly [holder: object, prefix: string, names: readonly string[]])[] = [
  [globalThis, "", ["setTimeout", "setInterval", "setImmediate", "fetch"]],
  [Math, "Math.", ["random"]],
  [Reflect.get(globalThis, "performance") as object, "performance.", ["now"]],
  [Reflect.get(globalThis, "crypto") as object, "crypto.", ["getRandomValues", "randomUUID"]],
  [process, "process.", ["hrtime", "uptime"]],
  [fs, "", ["readFileSync", "readFile", "createReadStream"]],
  [fs.promises, "", ["readFile"]],
];

/** Frames that are not the author's own: the caller of a watched function is behind them. */
const FOREIGN = /node:|[/\\]node_modules[/\\](rxjs|zod|marketwright)[/\\]/;
const OURS = [packageRoot(), pathToFileURL(packageRoot()).href];

/** The uses of the work that is under way, through its promises and timers too. */
const watching = new AsyncLocalStorage<GlobalUse[]>();
let watchers = 0;
let restore: () => void = () => undefined;

/**
 * Runs work, and notes each use of the machine's time, timers, randomness, network and files in it.
 * The functions work as always. Uses of other code that runs meanwhile, such as a test runner's,
 * are not noted.
 */
export async function watchGlobals<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly uses: readonly GlobalUse[] }> {
  if (watchers === 0) restore = install();
  watchers += 1;
  const uses: GlobalUse[] = [];
  try {
    const result = await watching.run(uses, work);
    return { result, uses };
  } finally {
    watchers -= 1;
    if (watchers === 0) restore();
  }
}

/** @returns a function that puts the original functions back */
function install(): () => void {
  const originals: (readonly [Holder, string, PropertyDescriptor | undefined])[] = [];
  const replace = (holder: object, name: string, value: unknown): void => {
    originals.push([holder as Holder, name, Object.getOwnPropertyDescriptor(holder, name)]);
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  };
  for (const [holder, prefix, names] of WATCHED)
    for (const name of names)
      replace(holder, name, watched((holder as Holder)[name] as Callable, `${prefix}${name}`));
  replace(globalThis, "Date", watchedDate(Reflect.get(globalThis, "Date") as DateConstructor));
  syncBuiltinESMExports();
  return () => {
    for (const [holder, name, descriptor] of originals) {
      if (descriptor === undefined) delete holder[name];
      else Object.defineProperty(holder, name, descriptor);
    }
    syncBuiltinESMExports();
  };
}

function watched(original: Callable, name: string): Callable {
  return new Proxy(original, {
    apply(target, holder, args) {
      note(name);
      return Reflect.apply(target, holder, args);
    },
  });
}

/** A date of a given time is no use of the clock: `new Date(view.timeMs)`. */
function watchedDate(original: DateConstructor): DateConstructor {
  const now = watched(original.now as Callable, "Date");
  return new Proxy(original, {
    apply(target, holder, args) {
      note("Date");
      return Reflect.apply(target, holder, args);
    },
    construct(target, args, made) {
      if (args.length === 0) note("Date");
      return Reflect.construct(target, args, made);
    },
    get(target, key, receiver) {
      return key === "now" ? now : Reflect.get(target, key, receiver);
    },
  });
}

function note(name: string): void {
  const uses = watching.getStore();
  if (uses === undefined) return;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, note);
  const frames = (holder.stack ?? "")
    .split("\n")
    .slice(1)
    .filter((frame) => !/watch-globals\.[jt]s|Reflect\.apply/.test(frame));
  // Virtual time is made of the machine's immediates.
  const [caller] = frames;
  if (caller === undefined || isOurs(caller)) return;
  const own = frames.find((frame) => !isOurs(frame) && !FOREIGN.test(frame));
  const place = own === undefined ? undefined : placeIn(own);
  if (!uses.some((use) => use.name === name && use.place === place)) uses.push({ name, place });
}

function isOurs(frame: string): boolean {
  return OURS.some((root) => frame.includes(root));
}

function placeIn(frame: string): string {
  const inBrackets = /\(([^()]+)\)$/.exec(frame.trim())?.[1];
  return (inBrackets ?? frame.trim().replace(/^at (async )?/, "")).replace(/^file:\/\//, "");
}
