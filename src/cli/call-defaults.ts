/** Where `marketwright call` asks when no address is given: the embedded exchange. */
export const DEFAULT_REST = "http://127.0.0.1:8620/v1";
/** The environment variable of the key that signs a call when none is named. */
export const DEFAULT_KEY_ENV = "MARKETWRIGHT_KEY";
