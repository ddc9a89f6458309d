import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { clientScript } from "./libraries.js";

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/nautilus", import.meta.url));
/** The longest installation: several hundred megabytes. */
const INSTALL_MS = 300_000;

/** The environment in which Python finds nautilus_trader. */
export function nautilusEnv(): NodeJS.ProcessEnv {
  // The exchange is at a loopback address, whatever proxy the machine has.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)),
  );
  const path = [FOLDER, env.PYTHONPATH].filter(Boolean).join(delimiter);
  return { ...env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" };
}

/** Installs nautilus_trader where it is not yet. @returns false if it cannot be had here */
export function installNautilus(): boolean {
  if (isInstalled()) return true;
  const requirements = clientScript("nautilus-requirements.txt");
  spawnSync(
    "python3",
    ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", FOLDER].concat([
      "--requirement",
      requirements,
    ]),
    { timeout: INSTALL_MS },
  );
  return isInstalled();
}

function isInstalled(): boolean {
  const script = "import nautilus_trader.live.node";
  return spawnSync("python3", ["-c", script], { env: nautilusEnv() }).status === 0;
}
