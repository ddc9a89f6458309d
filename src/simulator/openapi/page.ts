import type { OpenApiDocument } from "./document.js";

/**
 * The parts of the document that the page reads. The document is generated here, so its shape is
 * known.
 */
interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly description: string;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The interface as an HTML page: one file without scripts, legible in light and dark mode. */
export function docsPage({ info, tags, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const groups = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2>${escaped(name)}</h2>${own.map(({ method, path, operation }) => operationSection(method, path, operation)).join("")}`;
  });
  const records = Object.entries(components.schemas as Record<string, Schema>).map(
    ([name, schema]) =>
      `<section id="${escaped(name)}"><h3>${escaped(name)}</h3>${fieldTable(schema)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(info.title)}</h1><p>${escaped(info.description)} The same as data: <a href="/openapi.json">openapi.json</a>.</p>
${groups.join("\n")}
<h2>records</h2>${records.join("\n")}
</main></body></html>
`;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--quiet:#59636e;--line:#d1d9e0;--shade:#f6f8fa;--link:#0550ae}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--quiet:#9198a1;--line:#3d444d;--shade:#161b22;--link:#79c0ff}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h2{margin-top:2.5rem;text-transform:capitalize;border-bottom:1px solid var(--line)}
h3{margin:1.5rem 0 .25rem;font-size:1rem}
a{color:var(--link)}
code{font:.9em ui-monospace,monospace}
body,code{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td table{font-size:1em}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:500}
tbody tr:nth-child(odd){background:var(--shade)}
.quiet{color:var(--quiet)}
`;

function operationSection(
  method: string,
  path: string,
  { summary, parameters, requestBody, responses }: Operation,
): string {
  const form = Object.values(requestBody?.content ?? {})[0]?.schema;
  const rows =
    parameters ??
    Object.entries(form?.properties ?? {}).map(([name, schema]) => ({
      name,
      required: form?.required?.includes(name) ?? false,
      schema,
      description: schema.description ?? "",
    }));
  const table = rows.length === 0 ? `<p class="quiet">no parameters</p>` : parameterTable(rows);
  const answer = responses["200"]?.content?.["application/json"]?.schema;
  const answered = answer === undefined ? "204, no body" : `200, ${typeOf(answer)}`;
  return `<section><h3><code>${method} ${escaped(path)}</code></h3><p>${escaped(summary)}. Answers ${answered}.</p>${table}</section>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, required, schema, description }) =>
    row(
      `<code>${escaped(name)}</code>${required ? "" : ` <span class="quiet">optional</span>`}`,
      typeOf(schema),
      escaped(description),
    ),
  );
  return tableOf("parameter", rows);
}

function fieldTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isOptional = !(schema.required?.includes(name) ?? false);
    const title = `<code>${escaped(name)}</code>${isOptional ? ` <span class="quiet">optional</span>` : ""}`;
    const inner = field.properties ?? field.items?.properties;
    return row(
      title,
      typeOf(field),
      escaped(field.description ?? "") +
        (inner === undefined ? "" : fieldTable(field.items ?? field)),
    );
  });
  return tableOf("field", rows);
}

function tableOf(title: string, rows: readonly string[]): string {
  return `<table><thead><tr><th>${title}</th><th>type</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function row(...cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** Describes a schema in a few words. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escaped(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
    return `<a href="#${name}">${name}</a>`;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    return options.map(typeOf).join(" or ");
  }
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  }
  if (schema.items !== undefined) {
    return `list of ${typeOf(schema.items)}`;
  }
  if (schema.type === "object") {
    return typeof schema.additionalProperties === "object"
      ? `object by key, each ${typeOf(schema.additionalProperties)}`
      : "object";
  }
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const bounds =
    schema.minimum !== undefined && (schema.maximum ?? Infinity) < 1e6
      ? ` ${schema.minimum} to ${schema.maximum}`
      : "";
  const usual =
    schema.default === undefined
      ? ""
      : `, <code>${escaped(String(schema.default))}</code> when left out`;
  const kind =
    words === undefined
      ? `${schema.format ?? schema.type ?? "anything"}${bounds}`
      : words.map((word) => `<code>${escaped(String(word))}</code>`).join(" ");
  return kind + usual;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
