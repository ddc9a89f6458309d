import { fileURLToPath } from "node:url";

/**
 * Absolute path of a file in this package, such as `config/bot.yaml`; the same from source and from
 * the build.
 */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
