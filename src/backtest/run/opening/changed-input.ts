import { ConfigError } from "../../../core/errors.js";

/** A file that a run reads beside its history is another one than was asked for. */
export class ChangedInput extends ConfigError {}
