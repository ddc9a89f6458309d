/** Start data of the cockpit's thread. It holds no secret: the thread has none. */
export interface CockpitStart {
  /** Port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
}

/** A link to a cockpit. The token works once. */
export interface CockpitLink {
  readonly port: number;
  readonly token: string;
}

/** A message to the cockpit's thread: a request for a fresh link. */
export interface LinkRequest {
  readonly kind: "link";
  readonly request: number;
}

/** A message of the cockpit's thread. */
export type CockpitMessage =
  /** It listens on this port. */
  | { readonly kind: "open"; readonly port: number }
  /** It cannot listen, for this reason, and ends. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "link"; readonly request: number; readonly token: string }
  /** A browser has used a link. */
  | { readonly kind: "session" }
  | { readonly kind: "log"; readonly level: "info" | "warn"; readonly message: string };

/** The address to open in a browser. The server never receives the part behind the #. */
export function cockpitUrl({ port, token }: CockpitLink): string {
  return `http://127.0.0.1:${port}/#token=${token}`;
}
