import { z } from "zod";
import { exactlyOneOf } from "../../../core/config/key-rules.js";
import { SEVERITIES } from "../../../notify/notice.js";
import {
  addressField,
  countField,
  durationField,
  nameField,
  variableField,
} from "./config-fields.js";

const channelName = nameField("a name of letters, digits, - and _, such as phone");

/** Ids of Telegram have at most 52 bits. */
const MOST_ID = 2 ** 52;

const chatId = z
  .int()
  .min(-MOST_ID)
  .max(MOST_ID)
  .refine((id) => id !== 0, "must not be zero");

const telegram = z
  .strictObject({
    tokenEnv: variableField("TELEGRAM_TOKEN").describe(
      "Name of the environment variable that holds the bot's token.",
    ),
    chatId: chatId.describe("Id of the chat; that of a group is below zero."),
    allowedIds: z
      .array(chatId)
      .max(50)
      .describe("Ids of the users whose commands in this chat are accepted. Default: none.")
      .default([]),
    url: addressField("Address of the interface", ["https:", "http:"], "api.telegram.org").default(
      "https://api.telegram.org",
    ),
  })
  .describe("A chat of a Telegram bot.");

const urlEnv = variableField("SLACK_WEBHOOK");

const slack = z
  .strictObject({
    urlEnv: urlEnv.describe("Name of the environment variable that holds the webhook's address."),
  })
  .describe("An incoming webhook of Slack.");

const discord = z
  .strictObject({
    urlEnv: urlEnv.describe("Name of the environment variable that holds the webhook's address."),
  })
  .describe("A webhook of a Discord channel.");

const webhook = z
  .strictObject({
    urlEnv: urlEnv.describe("Name of the environment variable that holds its address."),
    secretEnv: variableField("WEBHOOK_SECRET").describe(
      "Name of the environment variable that holds the secret of the signatures.",
    ),
  })
  .describe("Any server that takes a signed POST of JSON.");

const mailbox = z
  .string()
  .regex(/^[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190}$/)
  .meta({ expected: "an address such as ops@example.com" });

const email = z
  .strictObject({
    host: z
      .string()
      .regex(/^[A-Za-z0-9.:-]{1,253}$/)
      .meta({ description: "Name or address of the mail server.", expected: "the name of a host" }),
    port: countField("Port of the mail server.", { max: 65_535 }).default(465),
    tls: z
      .enum(["from-start", "starttls", "none"])
      .describe(
        "Encryption: at once (port 465), after STARTTLS (587), or none, on this machine alone.",
      )
      .default("from-start"),
    user: z.string().min(1).max(200).describe("User at the mail server.").optional(),
    passwordEnv: variableField("MAIL_PASSWORD")
      .describe("Name of the environment variable that holds the user's password.")
      .optional(),
    from: mailbox.describe("Address of the sender."),
    to: z.array(mailbox).min(1).max(20).describe("Addresses of the recipients."),
  })
  .superRefine(({ host, tls, user, passwordEnv }, context) => {
    const fail = (path: string, input: unknown, message: string, expected: string): void => {
      context.addIssue({ code: "custom", path: [path], input, message, params: { expected } });
    };
    if ((user === undefined) !== (passwordEnv === undefined))
      fail(
        user === undefined ? "user" : "passwordEnv",
        undefined,
        "is missing",
        "both user and passwordEnv, or neither",
      );
    if (tls === "none" && !["127.0.0.1", "localhost", "::1"].includes(host))
      fail("tls", tls, "would send the mail in the clear", "from-start or starttls");
  })
  .meta({ description: "E-mail through a mail server." });

/** The keys that name a channel's service: each channel has exactly one. */
export const CHANNEL_KINDS = ["telegram", "slack", "discord", "webhook", "email"] as const;

const channel = z
  .strictObject({
    telegram: telegram.optional(),
    slack: slack.optional(),
    discord: discord.optional(),
    webhook: webhook.optional(),
    email: email.optional(),
    from: z.enum(SEVERITIES).describe("Least severe event that is sent.").default("warning"),
    digestMs: durationField(
      "Events below critical are collected for this long, into one message; 0 sends each at once.",
      { min: 0 },
    ).default(60_000),
    fills: z.boolean().describe("True to send fills too.").default(false),
    dailySummary: z
      .boolean()
      .describe("False to leave out the daily summary of `dailySummaryAt`.")
      .default(true),
  })
  .superRefine((held, context) => {
    const named = CHANNEL_KINDS.filter((kind) => held[kind] !== undefined);
    if (named.length === 1) return;
    context.issues.push({
      code: "custom",
      input: held,
      message: named.length === 0 ? "names no service" : "names two services",
      params: { expected: `exactly one of ${CHANNEL_KINDS.join(", ")}` },
    });
  })
  .meta({
    description: "One channel, and the events that it gets.",
    allOf: [exactlyOneOf(...CHANNEL_KINDS)],
  });

/** `notify` of a bot file: where its events are sent. */
export const notifyShape = z
  .strictObject({
    channels: z
      .record(channelName, channel)
      .refine((channels) => Object.keys(channels).length > 0, {
        message: "names no channel",
        params: { expected: "at least one channel" },
      })
      .meta({ description: "The channels by name.", minProperties: 1 }),
    repeatMs: durationField("The same event within this time is counted, and not sent again.", {
      min: 0,
    }).default(600_000),
    maxBacklog: countField("Most events that wait for a channel that is down.", {
      min: 10,
      max: 10_000,
    }).default(500),
    maxAgeMs: durationField("An event that waited for longer is not sent any more.", {
      min: 60_000,
      max: 604_800_000,
    }).default(86_400_000),
    dailySummaryAt: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .meta({
        description: "Time of the daily summary, in `timeZone`. Default: no summary.",
        expected: 'a time in quotes, such as "07:00"',
      })
      .optional(),
    timeZone: z
      .string()
      .refine(isTimeZone, {
        message: "is not a time zone",
        params: { expected: "a name such as UTC or Europe/Berlin" },
      })
      .describe("Time zone of the times in messages.")
      .default("UTC"),
    control: z
      .boolean()
      .describe("True if a chat may flatten positions, with a one-time password.")
      .default(false),
    totpSecretEnv: variableField("TOTP_SECRET")
      .describe(
        "Name of the environment variable that holds the secret of the one-time passwords, in base32.",
      )
      .optional(),
  })
  .superRefine(({ channels, control, totpSecretEnv }, context) => {
    const fail = (path: string, input: unknown, message: string, expected: string): void => {
      context.addIssue({ code: "custom", path: [path], input, message, params: { expected } });
    };
    const readers = Object.values(channels).flatMap(({ telegram: chat }) =>
      chat === undefined || chat.allowedIds.length === 0 ? [] : [chat.tokenEnv],
    );
    if (new Set(readers).size < readers.length)
      fail(
        "channels",
        Object.keys(channels),
        "have two chats with allowedIds and one tokenEnv",
        "a Telegram bot for each chat that accepts commands",
      );
    if (!control) return;
    if (totpSecretEnv === undefined)
      fail("totpSecretEnv", undefined, "is missing beside control", "the name of a variable");
    if (readers.length === 0)
      fail("control", control, "has no chat with allowedIds", "a telegram channel with allowedIds");
  })
  .meta({ description: "Where the bot's events are sent. Default: nowhere." });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** `notify` of a bot file, checked. */
export type NotifyConfig = DeepReadonly<z.output<typeof notifyShape>>;

/** One channel of a bot file, checked. */
export type ChannelConfig = NotifyConfig["channels"][string];
