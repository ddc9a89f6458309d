import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { withParts } from "./day/page-parts.js";
import { TraderDesk } from "./day/trader-desk.js";
import { TraderPhone } from "./day/trader-phone.js";
import { TradingDay } from "./day/trading-day.js";

/**
 * `npm run day-pictures`: trades the day of docs/start/a-day.md in a few minutes, on a real
 * exchange with bot, guard and competitor. It writes the commands and their output into the page,
 * and the pictures into docs/start/pictures. A server of this machine takes Telegram's place.
 *
 * Needs tmux, Chromium, and the ports of docs/examples/day.yaml: 8620, 8621 and 8630.
 */
const PAGE = new URL("../docs/start/a-day.md", import.meta.url);

mkdirSync(new URL("pictures/", PAGE), { recursive: true });
const phone = await TraderPhone.open();
const desk = new TraderDesk(phone.url);
try {
  const parts = await new TradingDay(desk, phone).trade();
  writeFileSync(PAGE, withParts(readFileSync(PAGE, "utf8"), parts));
} finally {
  await desk.dispose();
  phone.close();
}
