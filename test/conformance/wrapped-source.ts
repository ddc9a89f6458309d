import { dirname, relative, sep } from "node:path";
import { type Place, placeName, type WrittenBreak } from "./break-table.js";
import {
  type Imported,
  importsOf,
  nameOf,
  partOf,
  partsOf,
  type Syntax,
  statementsOf,
} from "./syntax.js";

/** The name of the declaration that keeps the rule, after another one has taken its own. */
const KEPT = "$kept";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A module's text where a declaration is wrapped: what had the name keeps the rule under another
 * one, and its own name now means the wrapped version.
 * @throws Error when the module does not declare it exactly once
 */
export function wrapped(text: string, { place, wrap, imports }: WrittenBreak): string {
  const statements = statementsOf(text);
  const edits =
    place.owner === undefined
      ? declarationEdits(text, statements, place, wrap)
      : memberEdits(statements, place, wrap);
  const added = imports
    .filter((one) => !has(statements, one, place.file))
    .map(({ local, name, from }) => {
      const named = name === local ? name : `${name} as ${local}`;
      return `import { ${named} } from "${specifier(place.file, from)}";\n`;
    });
  return `${added.join("")}${edited(text, edits)}`;
}

/** A function or a constant of the module itself. */
function declarationEdits(
  text: string,
  statements: readonly Syntax[],
  place: Place,
  wrap: string,
): readonly Edit[] {
  const { name } = place;
  const declared = statements.map((statement) => ({
    statement,
    declaration: partOf(statement, "declaration") ?? statement,
  }));
  const constants = declared.flatMap(({ declaration }) =>
    declaration.type === "VariableDeclaration"
      ? partsOf(declaration, "declarations").filter((one) => nameOf(partOf(one, "id")) === name)
      : [],
  );
  const functions = declared.filter(
    ({ declaration }) =>
      /^(FunctionDeclaration|TSDeclareFunction)$/.test(declaration.type) &&
      nameOf(partOf(declaration, "id")) === name,
  );
  const bodies = functions.filter(({ declaration }) => declaration.type === "FunctionDeclaration");
  once(place, constants.length + bodies.length);
  const value = partOf(constants[0], "init");
  if (value !== undefined) {
    return [{ ...value, text: `(${wrap})(${text.slice(value.start, value.end)})` }];
  }
  return [
    ...functions.flatMap(({ statement, declaration }): Edit[] =>
      declaration.type === "TSDeclareFunction"
        ? [{ ...statement, text: "" }]
        : [
            { start: statement.start, end: declaration.start, text: "" },
            { ...(partOf(declaration, "id") as Syntax), text: `${name}${KEPT}` },
          ],
    ),
    {
      start: text.length,
      end: text.length,
      text: `\nexport function ${name}(...given) { return (${wrap})(${name}${KEPT})(...given); }\n`,
    },
  ];
}

/** A method, a getter or a field of a class. */
function memberEdits(statements: readonly Syntax[], place: Place, wrap: string): readonly Edit[] {
  const { owner, name } = place;
  const members = statements
    .map((statement) => partOf(statement, "declaration") ?? statement)
    .filter((one) => one.type === "ClassDeclaration" && nameOf(partOf(one, "id")) === owner)
    .flatMap((one) => partsOf(partOf(one, "body"), "body"))
    .filter((one) => nameOf(partOf(one, "key")) === name && one.kind !== "set");
  const bodies = members.filter(({ type }) => !type.startsWith("TSAbstract"));
  const [member] = bodies;
  once(place, bodies.length);
  const { start, kind, type } = member as Syntax;
  const kept = `this.${name}${KEPT}`;
  const head = member?.static === true ? "static " : "";
  const wrapping =
    type === "PropertyDefinition"
      ? undefined
      : kind === "get"
        ? `${head}get ${name}() { return (${wrap})(${kept}, this); }\n`
        : `${head}${name}(...given) { return (${wrap})((...taken) => ${kept}(...taken), this)(...given); }\n`;
  if (wrapping === undefined) throw new Error(`${placeName(place)} is a field: wrap what reads it`);
  return [
    { start, end: start, text: wrapping },
    { ...(partOf(member, "key") as Syntax), text: `${name}${KEPT}` },
  ];
}

function once(place: Place, found: number): void {
  if (found !== 1)
    throw new Error(`${place.file} declares ${placeName(place)} ${found} times, not once`);
}

/**
 * True when a module has a name already, by an import or its own.
 * @throws Error where the name means another thing there
 */
function has(statements: readonly Syntax[], wanted: Imported, file: string): boolean {
  if (wanted.from === file) return true;
  const held = importsOf(statements).find(({ local }) => local === wanted.local);
  if (held === undefined) return false;
  if (held.from !== specifier(file, wanted.from) || held.name !== wanted.name)
    throw new Error(`${wanted.local} is another thing in ${file} than in the table of breaks`);
  return true;
}

/** A module as another names it. */
function specifier(importer: string, from: string): string {
  if (!from.endsWith(".ts")) return from;
  const path = relative(dirname(importer), from).split(sep).join("/").replace(/\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

function edited(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce(
      (whole, { start, end, text: put }) => whole.slice(0, start) + put + whole.slice(end),
      text,
    );
}
