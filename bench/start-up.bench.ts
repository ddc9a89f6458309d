import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved, median } from "./rounds.js";

const ROUNDS = effort(15, 1);
const COMMAND = fileURLToPath(new URL("../bin/marketwright.js", import.meta.url));
const PROCESSOR_TIME = fileURLToPath(new URL("processor-time.cjs", import.meta.url));

/** Both commands print and exit, so their processor time is that of loading the command line. */
const OURS = ["--version", "--help"] as const;

/** `marketwright --version` and `--help` against a Node.js that does nothing. */
export const bench: Bench = {
  about: "processor time of --version or --help, the larger of both, against that of node -e 0",
  ceiling: 5,
  async run() {
    const takenMs = { "--version": [] as number[], "--help": [] as number[] };
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () =>
        Math.max(
          ...OURS.map((option) => {
            const ms = processorMs(COMMAND, option);
            takenMs[option].push(ms);
            return ms;
          }),
        ),
      reference: () => processorMs("-e", "0"),
    });
    return {
      ...measured,
      unit: "ms of processor time",
      referenceIs: "node -e 0",
      details: Object.fromEntries(
        OURS.map((option) => [`${option}, ms`, median(takenMs[option].slice(1))]),
      ),
    };
  },
};

/** The user and system time of Node.js with these arguments. @throws Error if it fails */
function processorMs(...args: string[]): number {
  const { status, stderr, output } = spawnSync(process.execPath, ["-r", PROCESSOR_TIME, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} exited with ${status}: ${stderr}`);
  return Number(output[3]) / 1000;
}
