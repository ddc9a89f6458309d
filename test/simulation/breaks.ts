import type { Break } from "./world.js";

/** The rules that can be switched off, each of which a simulation must notice (docs/simulation.md). */
export const BREAKS: readonly Break[] = [];
