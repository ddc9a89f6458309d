/** One field of the form of parameters. */
export interface ParameterField {
  /** In the bot's file, such as `markets.btcusdc.params.sizeBase`. */
  readonly path: string;
  readonly name: string;
  /** As text: JSON for anything but a text. */
  readonly running: string;
}

/** The fields of a market's running parameters, in the order of the bot. */
export function parameterFields(
  marketId: string,
  params: Readonly<Record<string, unknown>>,
): readonly ParameterField[] {
  return Object.entries(params).map(([name, value]) => ({
    path: `markets.${marketId}.params.${name}`,
    name,
    running: valueText(value),
  }));
}

/** A value as it is typed: JSON for anything but a text. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The value of a typed text: a number, true, false, a list, or else the text itself. */
export function typedValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}
