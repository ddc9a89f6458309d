import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** Stands in the place of a secret. */
export const SECRET_MARK = "[secret]";

/** Stands in the place of a value that may be a secret, in the error that refuses it. */
export const NOT_SHOWN = "[not shown: it may be a secret]";

/** A shorter text is not masked: it would be found in words and figures that have nothing to do with it. */
const SHORTEST = 6;

/** The name by which a thread is given the secrets that were protected before it was started: it writes its own log and reports. */
const THREAD_DATA = "marketwright secrets";

/** The secrets of this process, in every spelling in which they could be printed; the longest first, since one may contain another. */
let spellings: readonly string[] = inherited();

/**
 * Protects a secret of this process, such as a private key or a password: {@link maskSecrets} hides it from then on.
 * A secret belongs to the process and not to one of its parts, so there is one list of them.
 * @param secret fewer than six characters are not protected.
 */
export function protectSecret(secret: string): void {
  const bare = secret.trim().replace(/^0x(?=[0-9a-fA-F]{64}$)/i, "");
  if (bare.length < SHORTEST) return;
  const cases = /^[0-9a-fA-F]{64}$/.test(bare)
    ? [bare, bare.toLowerCase(), bare.toUpperCase()]
    : [bare];
  const escaped = cases.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), uriText(text)]);
  spellings = [...new Set([...spellings, ...escaped])].sort((a, b) => b.length - a.length);
  setEnvironmentData(THREAD_DATA, [...spellings]);
}

/**
 * Protects what an address may carry besides the place that it leads to: user, password, a key in the path, the values of its query.
 * @param address a text that is no address is protected whole.
 */
export function protectAddress(address: string): void {
  if (!URL.canParse(address)) return protectSecret(address);
  const { username, password, pathname, searchParams } = new URL(address);
  for (const part of [
    username,
    password,
    ...pathname.split("/").filter(isKeyLike),
    ...searchParams.values(),
  ]) {
    protectSecret(part);
    protectSecret(decoded(part));
  }
}

/**
 * A text as it may leave the process, on a stream, in a log, in an answer or in a file: without the secrets that are protected, and without what
 * addresses carry (user and password, the query, a part of the path that looks like a key).
 */
export function maskSecrets(text: string): string {
  const known = spellings.reduce(withoutSecret, text);
  return known.includes("://") ? known.replace(ADDRESS, maskAddress) : known;
}

function withoutSecret(text: string, secret: string): string {
  if (!text.includes(secret) || !/^\d{1,20}$/.test(secret))
    return text.replaceAll(secret, SECRET_MARK);
  // Within a longer number it is a part of a price or a time: a log or an answer without it could not be read any more.
  return text.replace(new RegExp(`(?<!\\d|\\d\\.)${secret}(?!\\d|\\.\\d)`, "g"), SECRET_MARK);
}

/**
 * Up to the first character that no address has. A scheme is short: with no bound a text of a megabyte that somebody else sent, `a-a-a-...`, would be
 * searched again from each of its characters.
 */
const ADDRESS = /[a-z0-9+.-]{1,20}:\/\/[^\s"'`<>\\()]+/gi;
/** Addresses of this machine's own files, and of Node's modules. */
const OF_FILES = /^[^:]*\b(file|node|data):/i;

function maskAddress(address: string): string {
  if (OF_FILES.test(address)) return address;
  const [, scheme = "", rest = ""] = /^([^:]+:\/\/)(.*)$/.exec(address) ?? [];
  const at = userInfoEnd(rest);
  const host = at < 0 ? rest : rest.slice(at + 1);
  const [place = "", ...query] = host.split(/[?#]/);
  const path = place
    .split("/")
    .map((part, index) => (index > 0 && isKeyLike(part) ? SECRET_MARK : part))
    .join("/");
  return `${scheme}${at < 0 ? "" : `${SECRET_MARK}@`}${path}${query.length === 0 ? "" : `?${SECRET_MARK}`}`;
}

/**
 * Where user and password of an address end; -1 without them. A password may itself hold a slash or an @: where what stands before the path is not
 * just a host and a port, all before the last @ is taken for one. The @ of a path, as in the name of a stream, is none.
 */
function userInfoEnd(rest: string): number {
  const authority = rest.slice(0, rest.search(/[/?#]|$/));
  return /^(\[[\da-f:.]+\]|[^@:]+)(:\d*)?$/i.test(authority) ? -1 : rest.lastIndexOf("@");
}

/** Long, and either of letters and digits or longer than words of a path are: a version, a market or an endpoint is none. */
function isKeyLike(part: string): boolean {
  return (
    /^[\w~.%-]{16,}$/.test(part) && (part.length >= 32 || (/\d/.test(part) && /[a-z]/i.test(part)))
  );
}

/**
 * The name of an environment variable as an error may show it. A key or a password that was given in the place of its variable's name is not
 * shown: only what is spelled as such names are, in capitals (`MARKETWRIGHT_KEY`, `RPC_1`), is.
 */
export function maskVariableName(name: string): string {
  return /^[A-Z]+(_[A-Z0-9]+)*$/.test(name) ? name : NOT_SHOWN;
}

/**
 * The path of a file that holds a secret as an error may show it: the secret itself may have been given in its place, so a last part that is not
 * spelled like a file's name (`key.txt`, `password`) is not shown.
 */
export function maskSecretPath(path: string): string {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return /^(\.?[\w-]+(\.[\w-]+)*\.[a-z]{1,10}|[a-z_-]{1,24})$/i.test(path.slice(at))
    ? path
    : `${path.slice(0, at)}${NOT_SHOWN}`;
}

/** Whether a key of a config is one whose value could be a secret, in its right place or not: `password`, `privateKey`, `keyEnv`. */
export function isSecretField(name: string): boolean {
  return /(key|keyEnv|pass(word|phrase)?(Env)?|pwd?|secret|token|mnemonic|phrase|rpcEnv)$/i.test(
    name,
  );
}

function inherited(): readonly string[] {
  const held: unknown = getEnvironmentData(THREAD_DATA);
  return Array.isArray(held) ? held.filter((text) => typeof text === "string") : [];
}

function uriText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair has no such spelling.
    return text;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign: the text stands for itself.
    return part;
  }
}
