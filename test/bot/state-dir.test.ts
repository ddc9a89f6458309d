import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  CorruptStateError,
  FileStateStore,
  MemoryStateStore,
  readJsonState,
  type StateStore,
} from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";

const folder = () => mkdtempSync(join(tmpdir(), "marketwright-state-"));
const asNumber = (value: unknown): number => {
  if (typeof value !== "number") throw new Error("no number");
  return value;
};

describe.each<[string, () => StateStore]>([
  ["on disk", () => new FileStateStore(folder())],
  ["in memory", () => new MemoryStateStore()],
])("state %s", (_name, make) => {
  it("has no text before the first write", () => {
    expect(make().read("peak.json")).toBeUndefined();
  });

  it("returns the last text that was written", () => {
    const store = make();
    store.write("peak.json", '{"peak":"1"}');
    store.write("peak.json", '{"peak":"2"}');
    expect(store.read("peak.json")).toBe('{"peak":"2"}');
    store.writeBehind("peak.json", '{"peak":"3"}');
    expect(store.read("peak.json")).toBe('{"peak":"3"}');
    for (const peak of ["4", "5"]) store.writeLater("peak.json", `{"peak":"${peak}"}`);
    store.close();
    expect(store.read("peak.json")).toBe('{"peak":"5"}');
  });

  it("keeps every line of a log in order", () => {
    const store = make();
    store.append("fills.jsonl", "1");
    store.append("fills.jsonl", "2");
    expect(store.read("fills.jsonl")).toBe("1\n2\n");
    store.close();
  });

  it("returns the last lines of a log, but none that is cut", () => {
    const store = make();
    expect(store.readTail("fills.jsonl", 10)).toBeUndefined();
    for (const line of ["first", "second", "third"]) store.append("fills.jsonl", line);
    expect(store.readTail("fills.jsonl", 100)).toBe("first\nsecond\nthird\n");
    expect(store.readTail("fills.jsonl", 13), "a line that fits just so").toBe("second\nthird\n");
    expect(store.readTail("fills.jsonl", 12)).toBe("third\n");
    expect(store.readTail("fills.jsonl", 3)).toBe("");
    store.close();
  });

  it("refuses a name that leads out of the folder", () => {
    expect(() => make().write("../peak.json", "")).toThrow(RunError);
  });

  it("names a corrupt file instead of starting without its peak", () => {
    const store = make();
    store.write("peak.json", "{");
    expect(() => readJsonState(store, "peak.json", asNumber)).toThrow(CorruptStateError);
    expect(() => readJsonState(store, "peak.json", asNumber)).toThrow(/peak\.json/);
    store.write("peak.json", '"x"');
    expect(() => readJsonState(store, "peak.json", asNumber)).toThrow(/no number/);
  });
});

describe("the state folder", () => {
  it("can only be entered and read by its owner", () => {
    const store = new FileStateStore(join(folder(), "a", "b"));
    store.write("peak.json", "{}");
    store.append("fills.jsonl", "1");
    expect(statSync(store.directory).mode & 0o777).toBe(0o700);
    expect(statSync(store.pathFor("peak.json")).mode & 0o777).toBe(0o600);
    expect(statSync(store.pathFor("fills.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("survives the process that wrote it", () => {
    const at = folder();
    new FileStateStore(at).write("peak.json", "7");
    expect(readJsonState(new FileStateStore(at), "peak.json", asNumber)).toBe(7);
  });

  it("keeps the old text when the new one was cut short by a crash", () => {
    const store = new FileStateStore(folder());
    store.write("peak.json", "7");
    writeFileSync(`${store.pathFor("peak.json")}.new`, "8 half wr");
    expect(store.read("peak.json")).toBe("7");
    store.write("peak.json", "9");
    expect(store.read("peak.json")).toBe("9");
    expect(existsSync(`${store.pathFor("peak.json")}.new`)).toBe(false);
  });

  it("waits for the disk only for a text that has to survive a power loss", () => {
    const store = new FileStateStore(folder());
    const { fsyncSync } = fs;
    let waits = 0;
    fs.fsyncSync = (handle) => {
      waits += 1;
      fsyncSync(handle);
    };
    syncBuiltinESMExports();
    try {
      store.write("peak.json", "7");
      expect(waits).toBeGreaterThan(0);
      waits = 0;
      store.writeBehind("peak.json", "8");
      expect(waits).toBe(0);
    } finally {
      fs.fsyncSync = fsyncSync;
      syncBuiltinESMExports();
    }
    expect(readdirSync(store.directory)).toEqual(["peak.json"]);
    expect(store.read("peak.json")).toBe("8");
    expect(statSync(store.pathFor("peak.json")).mode & 0o777).toBe(0o600);
  });

  describe("with a text that is brought to the disk later", () => {
    /** A disk that completes its work when the test says so. */
    function withASlowDisk(use: (done: (error?: Error) => void) => void): void {
      const asked: ((error: Error | null) => void)[] = [];
      const { fsync } = fs;
      fs.fsync = ((_file: number, then: (error: Error | null) => void) =>
        asked.push(then)) as unknown as typeof fs.fsync;
      syncBuiltinESMExports();
      try {
        use((error) => asked.shift()?.(error ?? null));
        for (const then of asked) then(null);
      } finally {
        fs.fsync = fsync;
        syncBuiltinESMExports();
      }
    }
    const newStore = (): FileStateStore => {
      const store = new FileStateStore(folder());
      store.write("peak.json", "7");
      return store;
    };

    it("keeps the old one until the disk has it: a power loss could leave it empty, and the drawdown would be forgotten", () => {
      const store = newStore();
      withASlowDisk((done) => {
        for (const text of ["8", "9", "10"]) store.writeLater("peak.json", text);
        expect(store.read("peak.json")).toBe("7");
        done();
        expect(store.read("peak.json")).toBe("8");
        done();
        expect(store.read("peak.json"), "the last of those that came meanwhile").toBe("10");
        done();
      });
      expect(readdirSync(store.directory)).toEqual(["peak.json"]);
      expect(statSync(store.pathFor("peak.json")).mode & 0o777).toBe(0o600);
    });

    it("has the newest one in place after close", () => {
      const store = newStore();
      withASlowDisk(() => {
        for (const text of ["8", "9"]) store.writeLater("peak.json", text);
        store.close();
        expect(store.read("peak.json")).toBe("9");
        expect(readdirSync(store.directory)).toEqual(["peak.json"]);
      });
      expect(store.read("peak.json")).toBe("9");
    });

    it("does not overwrite a later text: an accepted loss would count again", () => {
      const store = newStore();
      withASlowDisk((done) => {
        for (const text of ["8", "9"]) store.writeLater("peak.json", text);
        store.write("peak.json", "1");
        store.writeLater("peak.json", "2");
        done();
        expect(store.read("peak.json")).toBe("1");
        done();
        expect(store.read("peak.json")).toBe("2");
      });
      store.close();
      expect(store.read("peak.json")).toBe("2");
    });

    it("reports a disk error at the next write, and retries", () => {
      const store = newStore();
      withASlowDisk((done) => {
        store.writeLater("peak.json", "8");
        done(Object.assign(new Error("no"), { code: "EIO" }));
        expect(() => store.writeLater("peak.json", "9")).toThrow(/EIO/);
        expect(store.read("peak.json")).toBe("7");
        store.writeLater("peak.json", "9");
        done();
        expect(store.read("peak.json")).toBe("9");
      });
    });
  });

  it("leaves no temporary file of a text that could not be written, however often it is retried", () => {
    const store = new FileStateStore(folder(), "beside.new");
    mkdirSync(store.pathFor("peak.json"));
    expect(() => store.write("peak.json", "8")).toThrow(RunError);
    expect(readdirSync(store.directory)).toEqual(["peak.json"]);
  });

  it("drops a log's last line that a crash cut short, and appends after it", () => {
    const at = folder();
    const before = new FileStateStore(at);
    before.append("fills.jsonl", "1");
    before.close();
    appendFileSync(before.pathFor("fills.jsonl"), '{"half":');
    const after = new FileStateStore(at);
    after.append("fills.jsonl", "2");
    expect(readFileSync(after.pathFor("fills.jsonl"), "utf8")).toBe("1\n2\n");
  });

  it("keeps a last line that lacks only its line feed", () => {
    const store = new FileStateStore(folder());
    writeFileSync(store.pathFor("fills.jsonl"), "1\n2");
    store.append("fills.jsonl", "3");
    expect(store.read("fills.jsonl")).toBe("1\n2\n3\n");
  });

  it("gives a run-time error if its path is a file, or cannot be written", () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(() => new FileStateStore(file)).toThrow(RunError);
    const store = new FileStateStore(folder());
    if (process.getuid?.() === 0) return;
    chmodSync(store.directory, 0o500);
    expect(() => store.write("peak.json", "1")).toThrow(RunError);
  });
});

describe("a state folder that cannot be made", () => {
  it("is reported at once: below a file, and in a place without folders", () => {
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(() => new FileStateStore(file)).toThrow(
      /stateDir: cannot make .*file \(it is not a folder\)/,
    );
    expect(() => new FileStateStore(join(file, "state"))).toThrow(/stateDir: cannot make .*state/);
  });

  it.skipIf(process.platform !== "linux")(
    "is reported at once below /proc, where Node's own recursion never ends",
    () => {
      expect(() => new FileStateStore("/proc/nope/state")).toThrow(
        /stateDir: cannot make \/proc\/nope\/state \(ENOENT\)/,
      );
    },
  );

  it("is created with all folders above it, each only for its owner", () => {
    const above = join(folder(), "a");
    expect(new FileStateStore(join(above, "b", "c")).directory).toBe(join(above, "b", "c"));
    expect(statSync(above).mode & 0o777).toBe(0o700);
  });
});
