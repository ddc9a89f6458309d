import { createHmac } from "node:crypto";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelConfig } from "#bot/notify-fields.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { protectSecret } from "#core/secrets.js";
import { DeliveryError } from "#notify/channel.js";
import type { Message } from "#notify/message.js";
import { openChannel } from "#notify/open-channel.js";
import {
  discordAnswer,
  LocalService,
  refusal,
  slackAnswer,
  TELEGRAM_TOKEN,
  TelegramService,
} from "./chat-services.js";

const { clock } = createLiveRuntime();
const SECRET = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0cy0wMDAx";
const PASSWORD = "mail-password-of-the-tests";
/** A reason with the markup of every service, and mentions. */
const HOSTILE = "<b>&amp; *bold* _x_ `code` <!channel> @everyone [a](http://b) ~~ || \u202e ```";

const AT_MS = Date.UTC(2026, 0, 5, 12);
const halt = {
  id: "7",
  atMs: AT_MS,
  severity: "critical",
  kind: "halt",
  title: "btcusdc halted: drawdown",
  text: HOSTILE,
  marketId: "btcusdc",
  command: "marketwright resume /srv/a & b/bot.yaml --market btcusdc",
} as const;
const message = (entries: Message["entries"] = [halt], dropped = 0): Message => ({
  id: "7-1",
  bot: "bot.yaml",
  severity: "critical",
  entries,
  dropped,
});
const long = Array.from({ length: 20 }, (_, at) => ({
  ...halt,
  id: String(at),
  text: HOSTILE.repeat(20),
}));

const telegram = new TelegramService();
const slack = new LocalService(slackAnswer);
const discord = new LocalService(discordAnswer);
const hook = new LocalService(() => ({ status: 200, text: "{}" }));
const services = [telegram, slack, discord, hook];
beforeAll(async () => {
  for (const service of services) await service.open();
});
beforeEach(() => {
  for (const service of services) {
    service.fault = undefined;
    service.posted.length = 0;
  }
});
afterAll(() => {
  for (const service of services) service.close();
});

const base = { from: "warning", digestMs: 0, fills: false, dailySummary: true } as const;
function open(config: Partial<ChannelConfig>) {
  const env = {
    TOKEN: TELEGRAM_TOKEN,
    SLACK: `${slack.url}/services/T000/B000/slack-path-of-the-tests-000001`,
    DISCORD: `${discord.url}/api/webhooks/1/discord-path-of-the-tests-00001`,
    HOOK: `${hook.url}/in`,
    HOOK_SECRET: SECRET,
    MAIL: PASSWORD,
  };
  return openChannel(
    "one",
    { ...base, ...config },
    { notify: { timeZone: "Europe/Berlin" }, env, clock },
  );
}
const openTelegram = () =>
  open({ telegram: { tokenEnv: "TOKEN", chatId: -42, allowedIds: [], url: telegram.url } });

describe("a message to Telegram", () => {
  it("shows a reason as it is, in the trader's time zone, with the command to copy", async () => {
    const channel = await openTelegram();
    await channel.send(message());
    channel.close();
    const { text, chat_id: id } = telegram.sent.at(-1) ?? { text: "", chat_id: 0 };
    expect(id).toBe(-42);
    expect(text).toContain("<b>CRITICAL bot.yaml: btcusdc halted: drawdown</b>");
    expect(text).toContain("2026-01-05 13:00:00");
    expect(text).toContain("&lt;b&gt;&amp;amp; *bold*");
    expect(text).toContain(
      "<code>marketwright resume /srv/a &amp; b/bot.yaml --market btcusdc</code>",
    );
  });

  it("is cut at whole lines, and says how many events it leaves out", async () => {
    const channel = await openTelegram();
    await channel.send(message(long, 3));
    channel.close();
    const { text } = telegram.sent.at(-1) ?? { text: "" };
    expect(text).toMatch(/3 events before this could not be sent/);
    expect(text).toMatch(/\d+ events more: the log has all/);
  });

  it("waits as long as Telegram asks, and is not dropped for a chat that can be put right", async () => {
    const channel = await openTelegram();
    telegram.fault = () => refusal(429, "Too Many Requests: retry after 7", 7);
    await expect(channel.send(message())).rejects.toMatchObject({
      retryAfterMs: 7000,
      isRefused: false,
    });
    telegram.fault = () => refusal(400, "Bad Request: chat not found");
    await expect(channel.send(message())).rejects.toMatchObject({ isRefused: false });
    telegram.fault = () => refusal(400, "Bad Request: can't parse entities");
    await expect(channel.send(message())).rejects.toMatchObject({ isRefused: true });
    channel.close();
  });

  it("shows no token in the error of a server that is away or sends the request elsewhere", async () => {
    protectSecret(TELEGRAM_TOKEN);
    const channel = await open({
      telegram: { tokenEnv: "TOKEN", chatId: 1, allowedIds: [], url: "http://127.0.0.1:1" },
    });
    const away = await channel.send(message()).catch((error: unknown) => error);
    channel.close();
    const other = await openTelegram();
    telegram.fault = () => ({ status: 302, text: "", headers: { location: `${hook.url}/in` } });
    const moved = await other.send(message()).catch((error: unknown) => error);
    other.close();
    for (const error of [away, moved]) {
      expect(error).toBeInstanceOf(DeliveryError);
      expect(String((error as Error).stack)).not.toContain(TELEGRAM_TOKEN);
    }
    expect(String(moved)).toContain("a redirect, which is not followed");
    expect(hook.posted).toEqual([]);
  });
});

describe("a message to Slack", () => {
  it("mentions nobody and is accepted by the word ok alone", async () => {
    const channel = await open({ slack: { urlEnv: "SLACK" } });
    await channel.send(message());
    await channel.send(message(long));
    expect(String(slack.posted[0]?.body.text)).toContain("&lt;!channel&gt;");
    expect(String(slack.posted[1]?.body.text).length).toBeLessThanOrEqual(4000);
    slack.fault = () => ({ status: 200, text: "<html>proxy</html>" });
    await expect(channel.send(message())).rejects.toBeInstanceOf(DeliveryError);
    slack.fault = () => ({ status: 400, text: "invalid_payload" });
    await expect(channel.send(message())).rejects.toMatchObject({ isRefused: true });
    slack.fault = () => ({ status: 429, text: "", headers: { "retry-after": "30" } });
    await expect(channel.send(message())).rejects.toMatchObject({ retryAfterMs: 30_000 });
    channel.close();
  });
});

describe("a message to Discord", () => {
  it("fits in 2000 characters, mentions nobody, and obeys the pause of a 429", async () => {
    const channel = await open({ discord: { urlEnv: "DISCORD" } });
    await channel.send(message());
    await channel.send(message(long));
    expect(String(discord.posted[0]?.body.content)).toContain("\\*bold\\*");
    discord.fault = () => ({
      status: 429,
      text: JSON.stringify({ message: "You are being rate limited.", retry_after: 1.337 }),
      headers: { "retry-after": "2" },
    });
    await expect(channel.send(message())).rejects.toMatchObject({ retryAfterMs: 1337 });
    channel.close();
  });

  it("still names a halt and its command if the reason alone is too long", async () => {
    const channel = await open({ discord: { urlEnv: "DISCORD" } });
    await channel.send(message([{ ...halt, text: "*".repeat(5000) }]));
    channel.close();
    expect(String(discord.posted[0]?.body.content)).toContain("--market btcusdc");
  });
});

describe("a signed webhook", () => {
  it("lets the receiver prove who wrote it, when, and that nothing was changed", async () => {
    const channel = await open({ webhook: { urlEnv: "HOOK", secretEnv: "HOOK_SECRET" } });
    await channel.send(message([halt], 2));
    channel.close();
    const [posted] = hook.posted;
    const id = posted?.headers["webhook-id"];
    const timestamp = posted?.headers["webhook-timestamp"];
    const key = Buffer.from(SECRET.slice(6), "base64");
    const expected = createHmac("sha256", key)
      .update(`${id}.${timestamp}.${posted?.raw}`)
      .digest("base64");
    expect(posted?.headers["webhook-signature"]).toBe(`v1,${expected}`);
    expect(Math.abs(Number(timestamp) - clock.nowMs() / 1000)).toBeLessThan(60);
    expect(posted?.body).toEqual({
      version: 1,
      id: "7-1",
      bot: "bot.yaml",
      severity: "critical",
      events: [halt],
      dropped: 2,
    });
    expect(posted?.raw).not.toContain(SECRET);
  });

  it("is not opened without its secret, with a short one, or with an address that is none", async () => {
    const at = { notify: { timeZone: "UTC" }, clock };
    const config = { ...base, webhook: { urlEnv: "URL", secretEnv: "KEY" } };
    const opened = (env: Record<string, string>) => openChannel("pager", config, { ...at, env });
    await expect(opened({ URL: "https://a.example/x" })).rejects.toThrow(
      "notify.channels.pager.webhook.secretEnv: names an environment variable that is not set",
    );
    await expect(opened({ KEY: "too-short", URL: "https://a.example/x" })).rejects.toThrow(
      "too short (not shown)",
    );
    const wrong = opened({ KEY: SECRET, URL: "hooks.example.com/secret-path" });
    await expect(wrong).rejects.toThrow("notify.channels.pager.webhook.urlEnv");
    await expect(wrong).rejects.not.toThrow("secret-path");
    const user = opened({ KEY: SECRET, URL: "https://me:secret-word@hooks.example.com/x" });
    await expect(user).rejects.toThrow("has a user or a password, which would not be sent");
    await expect(user).rejects.not.toThrow("secret-word");
  });
});

describe("an e-mail", () => {
  it("reaches the mail server with the halt in its subject, after a login", async () => {
    const mails: string[] = [];
    const logins: string[] = [];
    const server = new SMTPServer({
      authOptional: false,
      allowInsecureAuth: true,
      disabledCommands: ["STARTTLS"],
      onAuth: ({ username, password }, _session, done) => {
        logins.push(`${username} ${password === PASSWORD}`);
        done(null, { user: username });
      },
      onData: (stream, _session, done) => {
        let text = "";
        stream.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8");
        });
        stream.on("end", () => {
          mails.push(text);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.server.address() as { port: number };
    const channel = await open({
      email: {
        host: "127.0.0.1",
        port,
        tls: "none",
        user: "bot",
        passwordEnv: "MAIL",
        from: "bot@example.com",
        to: ["ops@example.com", "me@example.com"],
      },
    });
    await channel.send(message([{ ...halt, title: "a\r\nBcc: thief@example.com" }]));
    await channel.send(message());
    channel.close();
    await new Promise<void>((resolve) => server.close(resolve));
    expect(logins).toEqual(["bot true", "bot true"]);
    expect(mails[1]).toContain("Subject: CRITICAL bot.yaml: btcusdc halted: drawdown");
    expect(mails[1]).toContain("To: ops@example.com, me@example.com");
    expect(mails[0]?.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/m);
    expect(mails.join()).not.toContain(PASSWORD);
  });
});
