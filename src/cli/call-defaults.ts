/** Default address of `marketwright call`: the embedded exchange. */
export const DEFAULT_REST = "http://127.0.0.1:8620/v1";
/** Default environment variable of the key that signs a call. */
export const DEFAULT_KEY_ENV = "MARKETWRIGHT_KEY";
