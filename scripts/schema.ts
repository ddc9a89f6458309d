import { writeFileSync } from "node:fs";
import { botJsonSchema } from "../src/bot/config/config-json-schema.js";

writeFileSync(new URL("../config/schema.json", import.meta.url), botJsonSchema());
