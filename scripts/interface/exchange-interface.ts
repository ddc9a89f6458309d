import { ERROR_CODES } from "#exchange/errors.js";
import type { OperationParameter } from "#exchange/parameters.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { openApiDocument } from "#simulator/document.js";
import { type OfferedOperation, offeredOperations } from "#simulator/offered-operations.js";
import { type FieldSchema, fieldRows, longLists } from "./field-rows.js";
import { between, table, wrapped } from "./markdown.js";
import { RECORDS } from "./records.js";

const config = parseExchangeConfig({ markets: { btcusdc: {} } });
const document = openApiDocument(config);
const schemas = document.components.schemas as Readonly<Record<string, FieldSchema>>;

/** `docs/reference/exchange-interface.md` with the tables generated from the code. */
export function withInterface(page: string): string {
  return [
    ["endpoints", endpoints()],
    ["records", records()],
    ["filters", filters()],
    ["error codes", errorCodes()],
  ].reduce((text, [name = "", part = ""]) => between(text, name, part), page);
}

function endpoints(): string {
  const offered = offeredOperations(config);
  return [...new Set(offered.map(({ group }) => group))]
    .flatMap((group) => [
      `### ${group.slice(0, 1).toUpperCase()}${group.slice(1)} endpoints`,
      ...offered.filter((operation) => operation.group === group).map(endpoint),
    ])
    .join("\n\n");
}

function endpoint(operation: OfferedOperation): string {
  const { name, method, path, summary, isPrivate, bucket, parameters } = operation;
  const access = isPrivate ? "Signed" : "Public";
  const counted = bucket === null ? "not counted" : `counts as ${bucket}`;
  const text = `\`${method} ${path}\`: ${summary}. ${access}, ${counted}. ${answer(operation)}`;
  const rows = parameters.map((each) => [
    `\`${each.name}\``,
    typeOf(each),
    each.required ? "yes" : "no",
    meaningOf(each),
  ]);
  return [
    `#### ${name}`,
    wrapped(text),
    ...(rows.length === 0 ? [] : [table(["parameter", "type", "required", "meaning"], rows)]),
    ...parameters.flatMap(({ name: parameter, values = [] }) =>
      wordsOf(values).length > LONGEST_CELL
        ? [wrapped(`\`${parameter}\` is one of ${wordsOf(values)}.`)]
        : [],
    ),
  ].join("\n\n");
}

const LONGEST_CELL = 40;

function wordsOf(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}

function typeOf({ type, values = [], max }: OperationParameter): string {
  switch (type) {
    case "enum":
      return wordsOf(values).length > LONGEST_CELL ? "word of a list" : wordsOf(values);
    case "integer":
      return max === undefined ? "integer" : `integer, 1 to ${max}`;
    case "string":
      return "text";
    default:
      return type;
  }
}

function meaningOf({ note, description = note ?? "", default: usual }: OperationParameter): string {
  return usual === undefined ? description : `${description}; default ${usual}`;
}

function answer({ method, path }: OfferedOperation): string {
  const operation = document.paths[path]?.[method.toLowerCase()] as {
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  };
  const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
  if (schema === undefined) return "Answers 204 without a body.";
  const isList = schema.type === "array";
  const ref = (isList ? schema.items?.$ref : schema.$ref) ?? "";
  const link = linkTo(ref.slice(ref.lastIndexOf("/") + 1));
  return `Answers ${isList ? `a list, each with the ${link}` : `the ${link}`}.`;
}

type Content = Readonly<Record<string, { readonly schema: FieldSchema }>>;

function linkTo(name: string): string {
  const known = RECORDS.find(({ schema }) => schema === name);
  if (known === undefined) throw new Error(`records.ts has no record ${name}`);
  const text = known.heading.toLowerCase();
  return `[${text}](#${text.replaceAll(" ", "-")})`;
}

function records(): string {
  const missing = Object.keys(schemas).filter(
    (name) => name !== "Error" && !RECORDS.some(({ schema }) => schema === name),
  );
  if (missing.length > 0) throw new Error(`records.ts has no record ${missing.join(", ")}`);
  return RECORDS.map(({ schema: name, heading, rules, meanings }) => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the OpenAPI document has no record ${name}`);
    const rows = fieldRows(schema, linkTo);
    const unknown = Object.keys(meanings).filter((path) => !rows.some((row) => row.path === path));
    if (unknown.length > 0) throw new Error(`${name} has no field ${unknown.join(", ")}`);
    return [
      `### ${heading}`,
      ...(rules.length === 0 ? [] : [wrapped(`Rules: ${rules.join(", ")}.`)]),
      table(
        ["field", "type", "meaning"],
        rows.map(({ path, type }) => {
          const meaning = meanings[path];
          if (meaning === undefined)
            throw new Error(`records.ts does not say what ${name}.${path} is`);
          return [`\`${path}\``, type, meaning];
        }),
      ),
      ...longLists(schema).map(([path, words]) =>
        wrapped(`\`${path}\` is one of ${wordsOf(words)}.`),
      ),
    ].join("\n\n");
  }).join("\n\n");
}

function filters(): string {
  const kinds = schemas.Market?.properties?.filters?.items?.oneOf ?? [];
  const rows = kinds.flatMap(({ properties = {} }) => {
    const { filterType = {}, ...rest } = properties;
    const names = filterType.enum ?? [filterType.const ?? ""];
    const fields = Object.keys(rest).map((field) => `\`${field}\``);
    return names.map((name) => [`\`${name}\``, fields.join(", ")]);
  });
  return table(["filterType", "fields"], rows);
}

function errorCodes(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { name, codeText, meaning }]) => [
    code,
    `\`${name}\``,
    codeText,
    meaning,
  ]);
  return table(["code", "name", "codeText", "condition"], rows);
}
