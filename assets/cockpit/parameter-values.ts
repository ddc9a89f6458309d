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

/** The path of a typed name: in a market, a name without a dot is a parameter. */
export function fullPath(name: string, marketId: string | undefined): string {
  if (marketId === undefined || name.startsWith("markets.")) return name;
  return `markets.${marketId}.${name.includes(".") ? name : `params.${name}`}`;
}

/** A limit keeps the digits that are written, as in the file. A parameter is a float. */
const QUANTITY = /(?:Base|Quote)$/;

/** The value of a typed text: a number, true, false, null, a list, or else the text itself. */
export function typedValue(path: string, text: string): unknown {
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    const isExact = QUANTITY.test(path) && !path.includes(".params.");
    return isExact && typeof value === "number" ? trimmed : value;
  } catch {
    return trimmed;
  }
}
