import type { OperationName } from "#exchange/operations.js";
import type { Router } from "#simulator/router.js";

/** The handlers with which the router answers operations, by their names. */
export type NamedEndpoints = Partial<
  Record<OperationName, { answer(parameters: ReadonlyMap<string, string>): string | undefined }>
>;

/** The endpoints, of which one has to be signed for though it is public. */
export function signedFor(
  name: OperationName,
  router: Router,
  endpoints: NamedEndpoints,
): NamedEndpoints {
  return {
    ...endpoints,
    [name]: {
      ...endpoints[name],
      answer: (parameters: ReadonlyMap<string, string>) => {
        router.authentication.requireAccount(parameters);
        return endpoints[name]?.answer(parameters);
      },
    },
  };
}
