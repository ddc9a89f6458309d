import { describe } from "vitest";
import { fuzzDocument } from "./fuzz-document.js";

describe("requests from the exchange's own document, valid, near-valid and hostile, over HTTP", () => {
  fuzzDocument(1_000);
});
