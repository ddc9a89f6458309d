/**
 * Returns a function of one object that computes its result once, and returns it again until it is
 * called with another object. For objects that are replaced on every change.
 */
export function memoise<In extends object, Out>(compute: (input: In) => Out): (input: In) => Out {
  let known: { readonly input: In; readonly output: Out } | undefined;
  return (input) => {
    if (known?.input !== input) known = { input, output: compute(input) };
    return known.output;
  };
}
