/** The same tree with other texts, such as the addresses of an exchange of ccxt. */
export function mapTexts(tree: unknown, map: (text: string) => string): unknown {
  if (typeof tree === "string") return map(tree);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [key, mapTexts(value, map)]),
  );
}
