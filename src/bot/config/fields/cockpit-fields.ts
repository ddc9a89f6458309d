import { z } from "zod";
import { countField } from "./config-fields.js";

/**
 * The keys of the cockpit. It has no host: it listens on this machine's loopback address alone, and
 * a tunnel brings it elsewhere.
 */
export const cockpitShape = z
  .strictObject({
    port: countField("Port of the page on 127.0.0.1; 0 takes a free one.", {
      min: 0,
      max: 65_535,
    }),
    control: z
      .boolean()
      .describe(
        "True if the page may halt, resume and flatten this bot and change its parameters; false only shows it.",
      )
      .default(false),
  })
  .describe("The cockpit: a page for all running bots of this user. Default: none.");
