import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import {
  maskSecretPath,
  maskSecrets,
  maskVariableName,
  protectAddress,
  protectSecret,
  SECRET_MARK,
} from "#core/secrets.js";

describe("a protected secret", () => {
  const key = `0x${"c3".repeat(31)}d4`;
  protectSecret(key);

  it.each([
    ["as it was given", key],
    ["without its prefix", key.slice(2)],
    ["in upper case", key.slice(2).toUpperCase()],
    ["within other text", `wallet(${key}):`],
    ["in JSON", JSON.stringify({ cause: [key] })],
  ])("is masked %s", (_where, text) => {
    expect(maskSecrets(text).toLowerCase()).not.toContain("c3c3c3c3");
    expect(maskSecrets(text)).toContain(SECRET_MARK);
  });

  it("is masked in the spelling of JSON and of an address, whatever its characters are", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40, unit: "binary" }), (drawn) => {
        const secret = `Q7${drawn}z`;
        protectSecret(secret);
        const spelled = [secret, JSON.stringify(secret).slice(1, -1)];
        for (const text of spelled)
          expect(maskSecrets(`before ${text} after`)).toBe(`before ${SECRET_MARK} after`);
      }),
      { numRuns: 50 },
    );
  });

  it("is not shown in part where an error cuts a long value", () => {
    const { message } = new ConfigError("is wrong", {
      field: "x",
      value: `${"word ".repeat(15)}${key}${"y".repeat(200)}`,
    });
    expect(message).not.toContain("c3c3c3");
  });

  it("is left alone when it is too short to be told from other text", () => {
    protectSecret("btc");
    expect(maskSecrets("btcusdc")).toBe("btcusdc");
  });
});

describe("a protected secret of digits alone", () => {
  protectSecret("199391");

  it("is not found within a longer number: prices and times of the log are data", () => {
    for (const text of [
      '{"time":1764199391123}',
      '{"price":"199391.5"}',
      '{"price":"0.199391"}',
      "1993910",
    ])
      expect(maskSecrets(text)).toBe(text);
  });

  it.each(["password 199391.", "[199391]", "redis://:199391@host", "a199391b"])(
    "is masked where it stands by itself: %s",
    (text) => {
      expect(maskSecrets(text)).not.toContain("199391");
    },
  );
});

describe("an address", () => {
  it.each([
    ["https://user:pa55word@node.example/v1", "https://[secret]@node.example/v1"],
    ["redis://:p@ss/w0rd@queue.example:6379", "redis://[secret]@queue.example:6379"],
    ["wss://node.example/ws/0123456789abcdef0123", "wss://node.example/ws/[secret]"],
    ["https://node.example/v3?apikey=1234", "https://node.example/v3?[secret]"],
    [
      '{"rpc":"https://u:p@node.example/v3?k=1"}',
      '{"rpc":"https://[secret]@node.example/v3?[secret]"}',
    ],
    [
      "ws://127.0.0.1:8620/v1/ws/btcusdc@trades?x=1",
      "ws://127.0.0.1:8620/v1/ws/btcusdc@trades?[secret]",
    ],
    ["http://[::1]:8620/v1/a@b", "http://[::1]:8620/v1/a@b"],
    ["http://127.0.0.1:8620/v1/orderbook", "http://127.0.0.1:8620/v1/orderbook"],
    [
      "file:///home/me/strategies/0123456789abcdef0123/mine.ts?bundle=12",
      "file:///home/me/strategies/0123456789abcdef0123/mine.ts?bundle=12",
    ],
  ])("is shown without user, password, key and query: %s", (address, shown) => {
    expect(maskSecrets(address)).toBe(shown);
  });

  it("is masked whatever stands before it, and however long that is", () => {
    for (const before of ["a".repeat(50), "a-".repeat(50), "x.", "(", "1"])
      expect(maskSecrets(`${before}https://user:pa55word@node.example/v1`)).toBe(
        `${before}https://[secret]@node.example/v1`,
      );
  });

  // An exchange or a node may send such a text as its error: while it is searched, the bot neither
  // quotes nor cancels.
  it("is looked for once in a text of a megabyte, and not again from each of its characters", () => {
    const text = `${"a-".repeat(500_000)} http://node.example`;
    expect(maskSecrets(text)).toBe(text);
  });

  it("keeps what it carries out of other texts once it is protected", () => {
    protectAddress("https://user77:pass%4088@node.example/k/shortkey1?token=tok-12345");
    for (const part of ["user77", "pass@88", "pass%4088", "tok-12345"])
      expect(maskSecrets(`failed for ${part}`)).not.toContain(part);
  });
});

describe("what an error shows of the place where a secret is", () => {
  it.each(["MARKETWRIGHT_KEY", "RPC_1", "KEY"])("is the name of a variable: %s", (name) => {
    expect(maskVariableName(name)).toBe(name);
  });

  it.each(["hunter2", "HUNTER2", "correct-horse", "S3cret!", `0x${"ab".repeat(32)}`, "_x"])(
    "is not what may be the secret itself: %s",
    (name) => {
      expect(maskVariableName(name)).not.toContain(name);
    },
  );

  it.each(["/run/secrets/bot-password", "key.txt", "./main-2.key", ".password.txt"])(
    "is the path of a file: %s",
    (path) => {
      expect(maskSecretPath(path)).toBe(path);
    },
  );

  it.each(["hunter2", "/home/me/config/S3cret!", `0x${"ab".repeat(32)}`])(
    "is not a secret in the place of a path: %s",
    (path) => {
      expect(maskSecretPath(path)).not.toContain(path.slice(path.lastIndexOf("/") + 1));
    },
  );
});
