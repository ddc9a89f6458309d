/**
 * A function of one object that computes its answer once, and gives it again until it is asked
 * about another object. For objects that are replaced when anything of them changes.
 */
export function memoise<In extends object, Out>(compute: (input: In) => Out): (input: In) => Out {
  let known: { readonly input: In; readonly output: Out } | undefined;
  return (input) => {
    if (known?.input !== input) known = { input, output: compute(input) };
    return known.output;
  };
}
