import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rejectOnAbort } from "#cli/until-interrupted.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { Duck } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { captureCli, startCli } from "./captured-cli.js";

const { clock } = createLiveRuntime();
const folder = mkdtempSync(join(tmpdir(), "mw-interrupted-"));

/** A file of a thousand trades, as the exchange lists them, and a store of its own. */
function trades() {
  const own = mkdtempSync(join(folder, "trades-"));
  const file = join(own, "BTCUSDT-trades-2024-08-08.csv");
  const line = (id: number): string =>
    `${id},60000.${id % 10},0.001,60.0,${1_723_075_200_000 + id},True,True\n`;
  writeFileSync(file, Array.from({ length: 1_000 }, (_, at) => line(at + 1)).join(""));
  return { file, store: join(own, "store") };
}

/** Every file below a folder. */
const filesBelow = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [entry.name] : [],
      )
    : [];

describe("Ctrl-C of an import", () => {
  it("ends it with a line and the exit code of its signal, and leaves no file behind", async () => {
    const { file, store } = trades();
    const run = startCli(["data", "import", file, "--market", "btcusdt", "--store", store]);
    run.interrupt();
    expect(await run.done).toEqual({
      code: 130,
      out: "",
      err: "marketwright: interrupted (SIGINT): nothing was written to the store\n",
    });
    expect(filesBelow(store)).toEqual([]);
    expect(
      await captureCli(["data", "import", file, "--market", "btcusdt", "--store", store]),
    ).toMatchObject({ code: 0 });
  });

  it("while its file is being unpacked, and while the database is at work, is the same", async () => {
    const { file, store } = trades();
    const base = {
      market: "btcusdt",
      files: [file],
      clock: { partsAt: [], baseLatencyNs: 0n },
      replace: false,
    };
    const unpacking = new AbortController();
    const ended = importFiles(new HistoryStore(store), {
      ...base,
      cancellation: { signal: unpacking.signal, clock },
      onFile: () => unpacking.abort(),
    });
    await expect(ended).rejects.toThrow("aborted");
    const working = new AbortController();
    // The database is opened with its limits.
    const limits = {
      get memoryMb() {
        setImmediate(() => working.abort());
        return 256;
      },
      threads: 1,
    };
    await expect(
      importFiles(new HistoryStore(store), {
        ...base,
        limits,
        cancellation: { signal: working.signal, clock },
      }),
    ).rejects.toThrow();
    expect(filesBelow(store)).toEqual([]);
  });
});

describe("a database that is interrupted", () => {
  it("gives up what it is at, on every connection, and begins nothing more", async () => {
    const duck = await Duck.open(join(folder, "spill"));
    // Hours of work.
    const endless =
      "SELECT count(*) AS n FROM range(100000000000) a, range(1000) b WHERE a.range % 7 = b.range % 11";
    const underWay = [duck.row(endless), duck.numbers(`SELECT n::DOUBLE FROM (${endless})`).next()];
    const ended = Promise.allSettled(underWay);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      duck.interrupt();
      await new Promise<void>((resolve) => clock.setTimer(5, resolve));
    }
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(duck.run("SELECT 1")).rejects.toThrow("interrupted");
    await expect(duck.pages("SELECT 1").next()).rejects.toThrow("interrupted");
    duck.close();
  });
});

describe("Ctrl-C of a download", () => {
  it("ends it at once, whatever the exchange does, and says that the next one goes on", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const rest = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`;
    const span = ["--from", "2024-08-08", "--to", "2024-08-09"];
    const run = startCli([
      "data",
      "download",
      "--exchange",
      rest,
      "--market",
      "btcusdc",
      ...span,
      "--store",
      join(folder, "download"),
    ]);
    run.interrupt();
    const err =
      "marketwright: interrupted (SIGINT): the downloaded history is kept, and the same command continues after it\n";
    expect(await run.done).toEqual({ code: 130, out: "", err });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  it("does not wait for what hangs, and says nothing of what has ended by itself", async () => {
    const abort = new AbortController();
    const hangs = rejectOnAbort(abort.signal, new Promise(() => {}));
    abort.abort(new Error("asked to"));
    await expect(hangs).rejects.toThrow("asked to");
    expect(await rejectOnAbort(new AbortController().signal, Promise.resolve(7))).toBe(7);
    await expect(
      rejectOnAbort(new AbortController().signal, Promise.reject(new Error("its own"))),
    ).rejects.toThrow("its own");
  });
});
