import { describe, expect, it } from "vitest";
import { BUILT_FILE, readBuiltHashes, writeBuiltHashes } from "#bot/server-built-hashes.js";
import { CorruptStateError, MemoryStateStore } from "#bot/state-dir.js";

const HASH = `0x${"ab".repeat(32)}`;

describe("the hashes of server-built orders", () => {
  it("are returned as written, in lower case, and empty before", () => {
    const store = new MemoryStateStore();
    expect(readBuiltHashes(store)).toEqual([]);
    writeBuiltHashes(store, [HASH]);
    expect(readBuiltHashes(store)).toEqual([HASH]);
    store.write(BUILT_FILE, JSON.stringify([`0x${"AB".repeat(32)}`]));
    expect(readBuiltHashes(store)).toEqual([HASH]);
  });

  it.each([
    ["null", /it is null.*a list/],
    ["{}", /expected a list/],
    [`"${HASH}"`, /a list/],
    ["[1]", /0 is 1.*a text/],
    ['["0xab"]', /0 is "0xab"/],
    [`["${HASH}",null]`, /1 is null.*a text/],
    [`["${HASH}"`, /JSON/],
    [JSON.stringify("x".repeat(10_000)), /^.{0,180}a list/],
  ])(
    "are refused from a corrupt file, since the bot's orders would count as manual ones: %s",
    (text, why) => {
      const read = () => readBuiltHashes(new MemoryStateStore({ [BUILT_FILE]: text }));
      expect(read).toThrow(CorruptStateError);
      expect(read).toThrow(why);
      expect(read, "the file is named").toThrow(BUILT_FILE);
    },
  );
});
