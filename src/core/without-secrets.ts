/** A value of a config as an error may show it: what looks like a private key or a wallet's phrase is left out, wherever it was pasted by mistake. */
export function withoutSecrets(held: unknown): unknown {
  if (typeof held === "string") {
    return held
      .replace(/(0x)?[0-9a-fA-F]{64,}/g, "[not shown: looks like a private key]")
      .replace(/\b[a-z]{3,8}(\s+[a-z]{3,8}){8,}\b/gi, "[not shown: looks like a wallet's phrase]");
  }
  if (typeof held === "bigint") return held.toString();
  if (typeof held === "number" && Number.isFinite(held) && Math.abs(held) > 1e60) return "[not shown: looks like a private key]";
  if (Array.isArray(held)) return held.map(withoutSecrets);
  if (typeof held === "object" && held !== null)
    return Object.fromEntries(Object.entries(held).map(([key, value]) => [key, withoutSecrets(value)]));
  return held;
}
