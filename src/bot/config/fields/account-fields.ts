import { z } from "zod";
import { exactlyOneOf } from "../../../core/config/key-rules.js";
import { variableField } from "./config-fields.js";

const variableName = variableField("MARKETWRIGHT_KEY");

const keystore = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .describe(
        "The encrypted JSON keystore, relative to this file: `marketwright key new` makes one.",
      ),
    passwordEnv: variableName
      .describe("Name of the environment variable that holds the keystore's password.")
      .optional(),
    passwordFile: z
      .string()
      .min(1)
      .describe("File whose first line is the keystore's password, relative to this file.")
      .optional(),
  })
  .superRefine((held, context) => {
    if ((held.passwordEnv === undefined) !== (held.passwordFile === undefined)) return;
    const message =
      held.passwordEnv === undefined
        ? "has no source of its password"
        : "has two sources of its password";
    context.addIssue({
      code: "custom",
      input: held,
      message,
      params: { expected: "either passwordEnv or passwordFile" },
    });
  })
  .meta({
    description:
      "The account's private key in an encrypted file; its password in exactly one of passwordEnv and passwordFile.",
    allOf: [exactlyOneOf("passwordEnv", "passwordFile")],
  });

/** The trading account: where its key is, and its address if the key is an operator's. */
export const accountShape = z
  .strictObject({
    keyEnv: variableName
      .describe(
        "Name of the environment variable that holds the account's private key: 0x and 64 hex digits. This or keystore.",
      )
      .optional(),
    keystore: keystore.optional(),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .meta({
        description:
          "The trading account, where the key is that of its operator. Default: the key's own.",
        expected: "0x and 40 hex digits",
      })
      .optional(),
  })
  .superRefine((held, context) => {
    if ((held.keyEnv === undefined) !== (held.keystore === undefined)) return;
    const message =
      held.keyEnv === undefined ? "has no source of its key" : "has two sources of its key";
    context.addIssue({
      code: "custom",
      input: held,
      message,
      params: { expected: "either keyEnv or keystore" },
    });
  })
  .meta({
    description:
      "The account that trades: its key in exactly one of keyEnv and keystore. Never write the key itself here.",
    allOf: [exactlyOneOf("keyEnv", "keystore")],
  });
