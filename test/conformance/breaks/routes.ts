import type { Router } from "../../../src/simulator/rest/router.js";

/** An endpoint of the router by its method and path. */
export type NamedRoute = readonly [
  name: string,
  route: { answer(parameters: ReadonlyMap<string, string>): string | undefined },
];

/** The routes, of which one has to be signed for though it is public. */
export function signedFor(
  name: string,
  router: Router,
  routes: readonly NamedRoute[],
): readonly NamedRoute[] {
  return routes.map((named) => {
    const [known, route] = named;
    if (known !== name) return named;
    const answer = (parameters: ReadonlyMap<string, string>) => {
      router.authentication.accountOf(parameters);
      return route.answer(parameters);
    };
    return [known, { ...route, answer }];
  });
}
