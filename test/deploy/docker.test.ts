import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PROJECT_ROOT } from "../project/checkout.js";
import { builtCommand } from "../support/built-command.js";

const FOLDER = join(PROJECT_ROOT, "deploy/docker");
const dockerfile = readFileSync(join(FOLDER, "Dockerfile"), "utf8");
const serviceShape = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.literal(true),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  healthcheck: z
    .object({ test: z.array(z.string()) })
    .loose()
    .optional(),
});
const compose = z
  .looseObject({
    services: z.record(z.string(), serviceShape),
    volumes: z.record(z.string(), z.null()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(readFileSync(join(FOLDER, "compose.yaml"), "utf8"), { merge: true }));
const { bot, guard } = compose.services;

/** The instructions of the Dockerfile, with continued lines joined. */
const instructions = dockerfile
  .replace(/^#.*\n/gm, "")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line !== "");

/** Sources that an instruction copies from the project's folder. */
const copied = instructions
  .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
  .flatMap((line) => line.split(" ").slice(1, -1));

describe("the Dockerfile, which nothing here can build,", () => {
  it("copies only what there is, and what .dockerignore leaves in", () => {
    const kept = readFileSync(join(PROJECT_ROOT, ".dockerignore"), "utf8").match(/(?<=^!).+/gm);
    expect(copied.filter((path) => !existsSync(join(PROJECT_ROOT, path)))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual([...(kept ?? [])].sort());
  });

  it("copies enough to build: its build command runs in a folder with no more", () => {
    const build = instructions.slice(
      0,
      instructions.findIndex((line) => line.includes(" AS modules")),
    );
    const folder = mkdtempSync(join(tmpdir(), "mw-build-"));
    try {
      for (const line of build.filter((each) => each.startsWith("COPY ")))
        for (const path of line.split(" ").slice(1, -1))
          cpSync(join(PROJECT_ROOT, path), join(folder, path), { recursive: true });
      symlinkSync(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
      const [, commands = ""] = /^RUN (.*)$/.exec(build.at(-1) ?? "") ?? [];
      // The modules of this machine stand in for those that npm ci fetches.
      expect(commands.split(" && ")).toEqual(["npm ci --ignore-scripts", "npm run build"]);
      const built = spawnSync("npm", ["run", "build"], { cwd: folder, encoding: "utf8" });
      expect(`${built.stderr}exit code ${built.status}`).toMatch(/exit code 0$/);
      expect(existsSync(join(folder, "dist/cli/main.js"))).toBe(true);
      expect(existsSync(join(folder, "dist/cockpit-page/index.html"))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("starts node itself as another user: a shell before it would keep the signal", () => {
    expect(instructions).toContain('ENTRYPOINT ["node", "/app/bin/marketwright.js"]');
    expect(instructions).toContain("USER 10001:10001");
    expect(instructions).toContain("STOPSIGNAL SIGTERM");
  });

  it("has a version of Node that the package runs on", () => {
    const { engines } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"));
    expect(engines.node).toBe(">=20.19");
    expect(
      instructions.filter((line) => line.startsWith("FROM ")).map((line) => line.split(" ")[1]),
    ).toEqual(["node:22-slim", "node:22-slim", "node:22-slim"]);
  });
});

describe("compose.yaml", () => {
  it("mounts only files that there are", () => {
    const sources = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes.map((volume) => volume.split(":")[0] ?? ""))
      .filter((source) => source.startsWith("."));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(join(FOLDER, source)))).toEqual([]);
    const named = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes.map((volume) => volume.split(":")[0] ?? ""))
      .filter((source) => !source.startsWith("."));
    expect([...new Set(named)].sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  it("opens no port to other machines", () => {
    const ports = Object.values(compose.services).flatMap(({ ports: own = [] }) => own);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  });

  it("gives bot and guard the same state, key and file: else nobody cancels for a dead bot", () => {
    expect(guard?.volumes).toEqual(bot?.volumes);
    expect(guard?.secrets).toEqual(bot?.secrets);
    expect(guard?.command?.[1]).toBe(bot?.command?.[1]);
  });

  it("gives the bot longer to stop than it may need", () => {
    expect(bot?.stop_grace_period).toBe("90s");
  });
});

const CONTAINER = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...CONTAINER, "true"]).status === 0;

/** A program of the image as process 1 of its own process ids. */
class Container {
  output = "";
  readonly child: ChildProcess;

  constructor(app: string, args: readonly string[], cwd: string) {
    const env = { PATH: process.env.PATH, HOME: cwd, XDG_RUNTIME_DIR: join(cwd, "run") };
    mkdirSync(env.XDG_RUNTIME_DIR, { recursive: true, mode: 0o700 });
    const entry = join(app, "bin/marketwright.js");
    this.child = spawn("unshare", [...CONTAINER, process.execPath, entry, ...args], { cwd, env });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => {
        this.output += text;
      });
  }

  /** Process 1 of the container, by its id outside. */
  get pid(): number {
    const { pid } = this.child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (this.child.exitCode !== null) throw new Error(`ended without ${pattern}: ${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Sends the signal that Docker sends. @returns the exit code */
  async stop(): Promise<number | null> {
    const ended = once(this.child, "exit");
    process.kill(this.pid, "SIGTERM");
    await ended;
    return this.child.exitCode;
  }
}

describe.skipIf(!hasNamespaces)(
  "the program as process 1, in a folder laid out like the image",
  () => {
    const root = mkdtempSync(join(tmpdir(), "mw-image-"));
    const app = join(root, "app");
    const config = join(root, "config");
    const containers: Container[] = [];
    const started = (args: readonly string[], name: string): Container => {
      const cwd = join(root, name);
      mkdirSync(cwd, { recursive: true });
      const container = new Container(app, args, cwd);
      containers.push(container);
      return container;
    };

    beforeAll(() => {
      builtCommand();
      mkdirSync(app);
      // The last stage's COPY instructions, with the modules and the build of this machine.
      const last = instructions.slice(
        instructions.findLastIndex((line) => line.startsWith("FROM ")),
      );
      for (const line of last.filter((each) => each.startsWith("COPY "))) {
        const words = line.split(" ").slice(1);
        const target = words.at(-1) ?? "";
        if (line.includes("node_modules"))
          symlinkSync(join(PROJECT_ROOT, "node_modules"), join(app, "node_modules"));
        else if (line.includes("--from=build"))
          cpSync(join(PROJECT_ROOT, target), join(app, target), { recursive: true });
        else
          for (const source of words.slice(0, -1))
            cpSync(join(PROJECT_ROOT, source), join(app, target === "./" ? source : target), {
              recursive: true,
            });
      }
      mkdirSync(config);
    });

    afterAll(() => {
      for (const { child } of containers) child.kill("SIGKILL");
      rmSync(root, { recursive: true, force: true });
    });

    it("makes a keystore, trades beside a guard, keeps a second bot out, and ends on SIGTERM with no order", async () => {
      writeFileSync(join(config, "password"), "a password of the test\n", { mode: 0o600 });
      const made = started(
        ["key", "new", join(config, "bot.key.json"), "--password-file", join(config, "password")],
        "key",
      );
      await once(made.child, "exit");
      expect(made.child.exitCode).toBe(0);

      // The files of deploy/docker/config, with this machine's folders and free ports.
      const exchangeFile = readFileSync(join(FOLDER, "config/exchange.yaml"), "utf8");
      writeFileSync(
        join(config, "exchange.yaml"),
        exchangeFile.replace("host: 0.0.0.0", "host: 127.0.0.1"),
      );
      const exchange = started(
        ["exchange", join(config, "exchange.yaml"), "--port", "0", "--json"],
        "exchange",
      );
      const [, port = ""] = await exchange.says(/127\.0\.0\.1:(\d+)/);
      const botFile = readFileSync(join(FOLDER, "config/bot.yaml"), "utf8")
        .replaceAll("exchange:8620", `127.0.0.1:${port}`)
        .replace("/run/secrets/password", join(config, "password"))
        .replace("/state/desk", join(root, "state/desk"))
        .replace("port: 9464, host: 0.0.0.0", "port: 0, host: 127.0.0.1");
      mkdirSync(join(root, "state"), { mode: 0o700 });
      writeFileSync(join(config, "bot.yaml"), botFile);
      const command = (of: { readonly command?: readonly string[] | undefined } | undefined) =>
        (of?.command ?? []).map((word) => word.replace("/config/", `${config}/`));

      const guarding = started(command(guard), "guard");
      const trading = started(command(bot), "bot");
      const [, metrics = ""] = await trading.says(/"port":(\d+).*metrics are served/);
      const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${metrics}${path}`);
      // The bot quotes; the containers' health checks find what they ask for.
      while ((await get("/readyz")).status !== 200)
        await new Promise((resolve) => setTimeout(resolve, 200));
      expect(bot?.healthcheck?.test.join(" ")).toContain("/healthz");
      expect((await get("/healthz")).status).toBe(200);
      expect(guard?.healthcheck?.test.join(" ")).toContain("/state/desk/guard-heartbeat.json");
      expect(statSync(join(root, "state/desk/guard-heartbeat.json")).size).toBeGreaterThan(0);
      while (!(await (await get("/metrics")).text()).includes("marketwright_guarded 1"))
        await new Promise((resolve) => setTimeout(resolve, 200));

      const second = started(command(bot), "second");
      await once(second.child, "exit");
      expect(second.child.exitCode).toBe(1);
      expect(second.output).toContain(
        "another bot on this machine trades this account (process 1)",
      );

      expect(await trading.stop()).toBe(0);
      expect(trading.output).toContain("no order is open");
      // The restarted container finds no lock that holds it up.
      const again = started(command(bot), "bot");
      await again.says(/metrics are served/);
      expect(await again.stop()).not.toBeNull();
      expect(await guarding.stop()).toBe(0);
      expect(await exchange.stop()).toBe(0);
    });

    it("refuses a password file that others may read", async () => {
      chmodSync(join(config, "password"), 0o644);
      const refused = started(["check", join(config, "bot.yaml")], "check");
      await once(refused.child, "exit");
      expect(refused.child.exitCode).toBe(2);
      expect(refused.output).toContain("chmod 600");
    });
  },
);
