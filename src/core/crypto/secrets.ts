import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** Replacement of a secret. */
export const SECRET_MARK = "[secret]";

/** Replacement of a possibly secret value in the error that rejects it. */
export const NOT_SHOWN = "[not shown: it may be a secret]";

/** A shorter text is not masked: it would also occur in unrelated words and figures. */
const SHORTEST = 6;

/**
 * Name of the worker data that passes protected secrets to a thread, which writes its own log and
 * reports.
 */
const THREAD_DATA = "marketwright secrets";

/**
 * The secrets of this process in every printable spelling, the longest first, because one may
 * contain another.
 */
let spellings: readonly string[] = inherited();

/**
 * Protects a secret of this process, such as a private key or a password: {@link maskSecrets} hides
 * it from then on. The list is global, because a secret belongs to the whole process.
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
 * Protects the secret parts of an address: user, password, a key in the path, the values of its
 * query.
 * @param address a text that is not an address is protected whole.
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
 * Masks a text before it leaves the process, on a stream, in a log, in a response or in a file. It
 * hides protected secrets, and the credentials of addresses (user and password, the query, a part
 * of the path that looks like a key).
 */
export function maskSecrets(text: string): string {
  const known = spellings.reduce(withoutSecret, text);
  return known.includes("://") ? known.replace(ADDRESS, maskAddress) : known;
}

function withoutSecret(text: string, secret: string): string {
  if (!text.includes(secret) || !/^\d{1,20}$/.test(secret))
    return text.replaceAll(secret, SECRET_MARK);
  // Within a longer number it is part of a price or a time; masking it would make a log or a
  // response unreadable.
  return text.replace(new RegExp(`(?<!\\d|\\d\\.)${secret}(?!\\d|\\.\\d)`, "g"), SECRET_MARK);
}

/**
 * Up to the first character that an address cannot have. A scheme is short: without a bound, a
 * hostile megabyte of `a-a-a-...` would be searched again from each of its characters.
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
 * End of user and password in an address; -1 without them. A password may contain a slash or an @.
 * If the text before the path is more than a host and a port, everything before the last @ counts
 * as one. An @ in a path, as in a stream's name, does not count.
 */
function userInfoEnd(rest: string): number {
  const authority = rest.slice(0, rest.search(/[/?#]|$/));
  return /^(\[[\da-f:.]+\]|[^@:]+)(:\d*)?$/i.test(authority) ? -1 : rest.lastIndexOf("@");
}

/**
 * True for a long part that mixes letters and digits, or is longer than words of a path; not for a
 * version, a market or an endpoint.
 */
function isKeyLike(part: string): boolean {
  return (
    /^[\w~.%-]{16,}$/.test(part) && (part.length >= 32 || (/\d/.test(part) && /[a-z]/i.test(part)))
  );
}

/**
 * Masks the name of an environment variable for an error. A key or password given in place of a
 * name is hidden. Only the usual spelling of names is shown, in capitals (`MARKETWRIGHT_KEY`,
 * `RPC_1`).
 */
export function maskVariableName(name: string): string {
  return /^[A-Z]+(_[A-Z0-9]+)*$/.test(name) ? name : NOT_SHOWN;
}

/**
 * Masks the path of a secret file for an error. The secret itself may have been given in its place,
 * so a last part that is not spelled like a file name (`key.txt`, `password`) is hidden.
 */
export function maskSecretPath(path: string): string {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return /^(\.?[\w-]+(\.[\w-]+)*\.[a-z]{1,10}|[a-z_-]{1,24})$/i.test(path.slice(at))
    ? path
    : `${path.slice(0, at)}${NOT_SHOWN}`;
}

/**
 * Returns true for a config key whose value could be a secret, in its right place or not:
 * `password`, `privateKey`, `keyEnv`.
 */
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
    // Half a surrogate pair has no such encoding.
    return text;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign: the text is taken literally.
    return part;
  }
}
