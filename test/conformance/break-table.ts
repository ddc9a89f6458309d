import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { roomFiles } from "../../scripts/room-files.mjs";
import {
  allWithin,
  type Imported,
  importsOf,
  nameOf,
  partOf,
  partsOf,
  type Syntax,
  statementsOf,
} from "./syntax.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const files = roomFiles(ROOT);

/** The place that a break changes: a function, a constant, or a member of a class. */
export interface Place {
  /** From the project's root. */
  readonly file: string;
  /** The class that it is a member of, if any. */
  readonly owner?: string;
  readonly name: string;
}

/** A break as its table has it written. */
export interface WrittenBreak {
  readonly place: Place;
  /** Makes what breaks the rule of what keeps it. */
  readonly wrap: string;
  /** The imports that the wrap uses; modules of the project are named from its root. */
  readonly imports: readonly Imported[];
}

/** A place in words. */
export function placeName({ owner, name }: Place): string {
  return owner === undefined ? name : `${owner}.${name}`;
}

/**
 * Reads a table of breaks as source: what each wraps by the name in the table and the import
 * that brought it, so that an editor that renames or moves it changes the table too.
 */
export function readTable(url: string): (rule: string, what: string) => WrittenBreak {
  const path = fileURLToPath(url);
  const text = readFileSync(path, "utf8");
  const statements = statementsOf(text);
  const imports = importsOf(statements).map((one) => ({ ...one, from: fromRoot(path, one.from) }));
  const calls = statements.flatMap((statement) =>
    [...allWithin(statement)].filter((piece) => isCallOf(piece, "broken")),
  );
  return (rule, what) => {
    const named = calls
      .map((call) => partsOf(call, "arguments"))
      .filter(([first, second]) => first?.value === rule && second?.value === what);
    const [found] = named;
    const table = relative(ROOT, path);
    if (found === undefined || named.length > 1)
      throw new Error(`${table} has "${what}" of ${rule} ${named.length} times in words, not once`);
    const [, , at, wrap] = found as [Syntax, Syntax, Syntax, Syntax];
    const names = new Set([...allWithin(wrap)].map(nameOf));
    const place = placeOf(at, imports);
    if (place === undefined)
      throw new Error(
        `${table} does not say by an imported name what "${what}" of ${rule} wraps: () => theFunction, () => TheClass.prototype.method or hidden(() => TheClass, "#member")`,
      );
    return {
      place,
      wrap: text.slice(wrap.start, wrap.end),
      imports: imports.filter(({ local }) => names.has(local)),
    };
  };
}

function isCallOf(piece: Syntax, name: string): boolean {
  return piece.type === "CallExpression" && nameOf(partOf(piece, "callee")) === name;
}

function placeOf(at: Syntax, imports: readonly Imported[]): Place | undefined {
  if (isCallOf(at, "hidden")) {
    const [beside, name] = partsOf(at, "arguments");
    const known = beside && placeOf(beside, imports);
    const hidden = name?.value;
    if (known === undefined || typeof hidden !== "string") return undefined;
    return hidden.startsWith("#")
      ? { file: known.file, owner: known.name, name: hidden }
      : { file: known.file, name: hidden };
  }
  const named = partOf(at, "body");
  const object = partOf(named, "object");
  const owner = nameOf(partOf(object, "object")) ?? nameOf(object);
  const root = imports.find(({ local }) => local === (owner ?? nameOf(named)));
  if (root === undefined) return undefined;
  const member = nameOf(partOf(named, "property"));
  return owner === undefined
    ? { file: root.from, name: root.name }
    : { file: root.from, owner: root.name, name: member as string };
}

/** A module by its file from the project's root, or as it is where it is a package's. */
function fromRoot(importer: string, from: string): string {
  if (from.startsWith("#")) return files.get(from) ?? from;
  if (!from.startsWith(".")) return from;
  const file = join(dirname(importer), from).replace(/\.js$/, ".ts");
  return relative(ROOT, file).split(sep).join("/");
}
