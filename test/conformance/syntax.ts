import { parseAst } from "vitest/node";

/** A piece of a parsed source: its position, its kind, and its parts by name. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** The statements of a module, in their order. @throws for a text that is not TypeScript */
export function statementsOf(text: string): readonly Syntax[] {
  return parseAst(text, { lang: "ts" }).body as unknown as readonly Syntax[];
}

/** A piece and everything within it. */
export function* allWithin(piece: Syntax): Iterable<Syntax> {
  yield piece;
  for (const part of Object.values(piece))
    for (const one of Array.isArray(part) ? part : [part]) if (isSyntax(one)) yield* allWithin(one);
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** A part of a piece that is one. */
export function partOf(piece: Syntax | undefined, name: string): Syntax | undefined {
  const part = piece?.[name];
  return isSyntax(part) ? part : undefined;
}

/** The parts of a piece that are listed under a name. */
export function partsOf(piece: Syntax | undefined, name: string): readonly Syntax[] {
  const parts = piece?.[name];
  return Array.isArray(parts) ? parts.filter(isSyntax) : [];
}

/** The name that an identifier is, with the `#` of a private one; undefined of anything else. */
export function nameOf(piece: Syntax | undefined): string | undefined {
  if (piece?.type === "Identifier") return piece.name as string;
  return piece?.type === "PrivateIdentifier" ? `#${piece.name}` : undefined;
}

/** A name that a module imports, and from where; types are not among them. */
export interface Imported {
  readonly local: string;
  readonly name: string;
  /** As it is written. */
  readonly from: string;
}

/** The values that a module imports by their names. */
export function importsOf(statements: readonly Syntax[]): readonly Imported[] {
  return statements
    .filter(({ type, importKind }) => type === "ImportDeclaration" && importKind !== "type")
    .flatMap((statement) =>
      partsOf(statement, "specifiers")
        .filter(({ type, importKind }) => type === "ImportSpecifier" && importKind !== "type")
        .map((specifier) => ({
          local: nameOf(partOf(specifier, "local")) as string,
          name: nameOf(partOf(specifier, "imported")) as string,
          from: partOf(statement, "source")?.value as string,
        })),
    );
}
