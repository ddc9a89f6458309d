import { maskSecrets, protectAddress, protectSecret } from "../../core/crypto/secrets.js";
import type { CliContext, TextStream } from "../cli-context.js";

/** The writes beneath the masks, by stream. */
const unmaskedWrites = new WeakMap<object, (text: string) => unknown>();

/**
 * Writes a secret that this user asked for, such as a link that works once, on a stream that masks
 * secrets.
 */
export function writeUnmasked(stream: TextStream, text: string): void {
  const write = unmaskedWrites.get(stream);
  if (write === undefined) stream.write(text);
  else write(text);
}

/** Returns the context with output streams that mask secrets. */
export function withMaskedOutput<Context extends Pick<CliContext, "stdout" | "stderr">>(
  context: Context,
): Context {
  return { ...context, stdout: masked(context.stdout), stderr: masked(context.stderr) };
}

/**
 * Its size is read anew each time, because a terminal changes it. Code that writes to the
 * descriptor directly, such as a non-blocking live screen, masks its own output.
 */
function masked(stream: TextStream): TextStream {
  const outer: TextStream = {
    fd: stream.fd,
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    write: (text) => stream.write(maskedChunk(text)),
    on: (event, listener) => stream.on(event, listener),
    off: (event, listener) => stream.off(event, listener),
  };
  unmaskedWrites.set(outer, (text) => writeUnmasked(stream, text));
  return outer;
}

type Write = NodeJS.WriteStream["write"];

/**
 * Masks everything that this process writes on stdout and stderr from here on. Commands write on
 * {@link withMaskedOutput}'s streams; this covers the rest: output of a strategy and its packages,
 * in this thread or in a worker, and of Node.
 */
export function maskProcessOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (
      chunk: string | Uint8Array,
      ...rest: unknown[]
    ) => boolean;
    unmaskedWrites.set(stream, write);
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) =>
      write(maskedChunk(chunk), ...rest)) as Write;
  }
}

function maskedChunk(chunk: string | Uint8Array): string | Uint8Array {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const shown = maskSecrets(text);
  return shown === text ? chunk : shown;
}

/**
 * Protects secrets that a command line may contain by mistake: a private key or a wallet's phrase
 * as a whole argument, the value of an option with a secret's name (`--password=...`), credentials
 * in an address. Order hashes are not whole arguments: `call` takes them as `orderHash=0x...`.
 */
export function protectArguments(args: readonly string[]): void {
  for (const argument of args) {
    const option = /^--?[\w-]*=(.*)$/s.exec(argument);
    const value = option?.[1] ?? argument;
    const isNamedSecret =
      option !== null && /^--?[\w-]*(pass|key|secret|token|mnemonic)[\w-]*=/i.test(argument);
    if (isKeyOrPhrase(value) || (isNamedSecret && !/^[A-Z]+(_[A-Z0-9]+)*$|[/\\.]/.test(value)))
      protectSecret(value);
    else if (value.includes("://")) protectAddress(value);
  }
}

function isKeyOrPhrase(text: string): boolean {
  return /^(0x)?[0-9a-f]{64}$/i.test(text) || /^[a-z]{3,8}(\s+[a-z]{3,8}){11,}$/i.test(text.trim());
}
