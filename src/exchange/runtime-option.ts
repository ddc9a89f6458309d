import { warnRenamed } from "../core/renamed.js";
import type { Runtime } from "../core/runtime/runtime.js";

interface RuntimeOption {
  readonly runtime: Runtime;
}

/** Options that give the runtime under its former name, `seam`. */
export type FormerRuntimeOption<Options extends RuntimeOption> = Omit<Options, "runtime"> & {
  /** @deprecated Use `runtime`. */
  readonly seam: Runtime;
};

/** Returns the options with the runtime under its current name; the former one warns once. */
export function withRuntime<Options extends RuntimeOption>(
  options: Options | FormerRuntimeOption<Options>,
): Options {
  const {
    seam,
    runtime = seam,
    ...others
  } = options as Partial<RuntimeOption> & {
    readonly seam?: Runtime;
  };
  if (seam === undefined) return options as Options;
  warnRenamed("The option seam", "runtime");
  return { ...others, runtime } as unknown as Options;
}
