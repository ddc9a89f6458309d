import { createHash } from "node:crypto";
import { SourceMap, type SourceMapPayload } from "node:module";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { maskSecrets } from "../../core/crypto/secrets.js";

/**
 * A place in a strategy's bundle, as a stack names it: by the address from {@link bundleAddress},
 * or by the whole bundle.
 */
const PLACE =
  /(?:file:\/\/[^\s()]*[?]bundle=([0-9a-f]{64})|data:text\/javascript;base64,([A-Za-z0-9+/]+=*)):(\d+):(\d+)/g;
/** The bundle's own source map, which the bundler puts at its end. */
const MAP = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/]+=*)/;
/** Most causes of an error that are shown with it. */
const MOST_CAUSES = 4;
/**
 * A longer stack is cut: the address of a module loaded from a bundle contains the bundle's text.
 */
const MOST_CHARACTERS = 8_000_000;

/** A strategy file that this process has loaded. */
export interface LoadedStrategyFile {
  /** Absolute path of the file. */
  readonly path: string;
  /** Fields that name it: `markets.btcusdc.strategy`. */
  readonly fields: ReadonlySet<string>;
}

/** The bundles of this process, by their digests: a stack names only an address. */
const bundles = new Map<
  string,
  LoadedStrategyFile & { readonly fields: Set<string>; readonly code: string }
>();

/**
 * The address of this file's bundle in stacks, which maps back to its sources. @param field that
 * names the file.
 */
export function bundleAddress(path: string, code: string, field: string): string {
  const digest = createHash("sha256").update(code).digest("hex");
  const known = bundles.get(digest) ?? { path, code, fields: new Set() };
  known.fields.add(field);
  bundles.set(digest, known);
  return `${pathToFileURL(path).href}?bundle=${digest}`;
}

/** An error's stack; empty if it has none, or reading it throws. */
export function readStack(error: unknown): string {
  try {
    const { stack } = error as { readonly stack?: unknown };
    return error instanceof Error && typeof stack === "string"
      ? stack.slice(0, MOST_CHARACTERS)
      : "";
  } catch {
    return "";
  }
}

/**
 * The strategy that an error came from, by its stack; undefined if the stack has no place of one.
 */
export function findStrategyBehind(error: unknown): LoadedStrategyFile | undefined {
  for (const [, digest, encoded] of readStack(error).matchAll(PLACE)) {
    const code =
      encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
    const known =
      code === undefined
        ? bundles.get(digest)
        : [...bundles.values()].find((bundle) => code.startsWith(bundle.code));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Every strategy file that this process has loaded. */
export function listLoadedStrategies(): LoadedStrategyFile[] {
  return [...bundles.values()];
}

/**
 * The stack of an error and of its causes, with every place in a strategy's bundle mapped to the
 * author's own file and line. Undefined for a value that is not an error, or has no stack.
 */
export function mapStrategyStack(error: unknown): string | undefined {
  try {
    const texts: string[] = [];
    for (let one = error; one instanceof Error && texts.length < MOST_CAUSES; one = one.cause)
      texts.push(one.stack ?? String(one));
    return texts.length === 0 ? undefined : maskSecrets(inSources(texts.join("\ncaused by ")));
  } catch {
    // An error may throw while it is read: then only the fact that it was thrown is reported.
    return undefined;
  }
}

/**
 * The author's line that a strategy's error came from, as `my-strategy.ts:12:7` relative to
 * `folder`; undefined if the stack has no place of a strategy.
 */
export function findStrategyLocation(error: unknown, folder: string): string | undefined {
  const [frame] = readStack(error).match(PLACE) ?? [];
  return frame === undefined ? undefined : relative(folder, inSources(frame));
}

function inSources(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(
    PLACE,
    (
      _place,
      digest: string | undefined,
      encoded: string | undefined,
      line: string,
      column: string,
    ) => {
      const name = digest ?? encoded ?? "";
      if (!maps.has(name))
        maps.set(
          name,
          mapOf(
            digest === undefined
              ? Buffer.from(name, "base64").toString("utf8")
              : bundles.get(digest)?.code,
          ),
        );
      const entry = maps.get(name)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !("originalSource" in entry))
        return `the strategy's bundle:${line}:${column}`;
      return `${resolve(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    },
  );
}

function mapOf(code: string | undefined): SourceMap | undefined {
  const found = MAP.exec(code ?? "");
  return found === null
    ? undefined
    : new SourceMap(
        JSON.parse(Buffer.from(found[1], "base64").toString("utf8")) as SourceMapPayload,
      );
}
