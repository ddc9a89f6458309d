import { ConfigError } from "../../../core/errors.js";

/** A file that a run reads beside its history differs from the requested one. */
export class ChangedInput extends ConfigError {}
