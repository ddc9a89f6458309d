// A TypeDoc plugin: a type that is inferred from a Zod schema is written out, field by field.
// TypeDoc would show the type of the schema itself, which no reader needs.
import {
  ArrayType,
  Converter,
  DeclarationReflection,
  ReferenceType,
  ReflectionFlag,
  ReflectionKind,
  ReflectionType,
  TypeScript as ts,
  UnionType,
} from "typedoc";

/** Names of the types that infer: of Zod, and of `src/exchange/protocol/values.ts`. */
const INFERRING = new Set(["TypeOf", "infer", "input", "output", "RecordOf"]);

/** @param {import("typedoc").Application} app */
export function load(app) {
  /** Aliases of inferred types, so that a field of such a type leads to its page. */
  const aliases = new Map();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.TypeAlias)) return;
    const declaration = context
      .getSymbolFromReflection(reflection)
      ?.getDeclarations()
      ?.find(ts.isTypeAliasDeclaration);
    const node = declaration?.type;
    if (node === undefined || !ts.isTypeReferenceNode(node)) return;
    const name = ts.isQualifiedName(node.typeName) ? node.typeName.right : node.typeName;
    if (!INFERRING.has(name.text)) return;
    const type = context.checker.getTypeAtLocation(declaration);
    aliases.set(type, reflection);
    // Twice: exports are converted at the first, and all aliases are known at the second.
    context.converter.deferConversion(() => {
      context.converter.deferConversion(() => {
        reflection.type = writtenOut(context.withScope(reflection), type);
      });
    });
  });

  function typeFor(context, type) {
    const alias = aliases.get(type);
    if (alias === undefined) return writtenOut(context, type);
    return ReferenceType.createResolvedReference(alias.name, alias, context.project);
  }

  function writtenOut(context, type) {
    const { checker } = context;
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type);
      return new ArrayType(typeFor(context, element));
    }
    if (!isRecord(type)) return context.converter.convertType(context, type);
    const literal = new DeclarationReflection("__type", ReflectionKind.TypeLiteral, context.scope);
    context.registerReflection(literal, undefined);
    const scope = context.withScope(literal);
    literal.children = checker.getPropertiesOfType(type).map((field) => fieldOf(scope, field));
    return new ReflectionType(literal);
  }

  function fieldOf(context, symbol) {
    const field = new DeclarationReflection(symbol.name, ReflectionKind.Property, context.scope);
    context.registerReflection(field, undefined);
    const isOptional = Boolean(symbol.flags & ts.SymbolFlags.Optional);
    field.setFlag(ReflectionFlag.Optional, isOptional);
    field.setFlag(ReflectionFlag.Readonly, true);
    field.comment = context.getComment(symbol, ReflectionKind.Property);
    field.type = fieldType(context.withScope(field), symbol, isOptional);
    return field;
  }

  /** The question mark of an optional field says that it may be undefined. */
  function fieldType(context, symbol, isOptional) {
    const type = context.checker.getTypeOfSymbol(symbol);
    if (!isOptional || !type.isUnion()) return typeFor(context, type);
    const defined = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    if (defined.length === 1) return typeFor(context, defined[0]);
    const whole = context.converter.convertType(context, type);
    return whole.type === "union" ? new UnionType(whole.types.filter(isDefined)) : whole;
  }
}

function isDefined(type) {
  return !(type.type === "intrinsic" && type.name === "undefined");
}

/** An object of fields, and no class, function or named interface. */
function isRecord(type) {
  const name = type.aliasSymbol?.name;
  if (name !== undefined && !INFERRING.has(name) && name !== "Readonly") return false;
  if (type.isIntersection()) return type.types.every(isFields);
  return isFields(type);
}

function isFields(type) {
  const isObject = Boolean(type.flags & ts.TypeFlags.Object);
  if (!isObject || type.getCallSignatures().length > 0) return false;
  // `WithExtra` is the part of a record that holds its unknown fields.
  return !type.isClassOrInterface() || type.symbol.name === "WithExtra";
}
