import type { Clock, Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { CreditUnits, Ms } from "#core/units.js";
import { signParams } from "#exchange/request-signing.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

export interface TreasurerOptions {
  readonly exchange: EmbeddedExchange;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly everyMs: Ms;
  readonly untilMs: Ms;
  /** Receives every transfer, signed, in credit units. */
  readonly onTransfer: (amount: CreditUnits) => void;
}

/** The least that is moved, in quote: many times what the bot may win or lose meanwhile. */
export const LEAST_TRANSFER_QUOTE = 4_000;

/** Around a start, so that every order of the reports occurs. */
const AROUND_START_MS: Ms = 40;

/**
 * A person who deposits to the bot's account and withdraws from it, now and then and just as the
 * bot starts.
 */
export class Treasurer {
  readonly #options: TreasurerOptions;

  constructor(options: TreasurerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, random, everyMs } = this.#options;
    clock.setTimer(Math.floor(everyMs * (0.5 + random.uniform())), () => {
      this.#move();
      this.start();
    });
  }

  /** The bot is about to start. */
  botStarts(): void {
    const { clock, random } = this.#options;
    if (random.uniform() < 0.5)
      clock.setTimer(Math.floor(random.uniform() * AROUND_START_MS), () => this.#move());
  }

  #move(): void {
    const { exchange, signer, clock, random, untilMs, onTransfer } = this.#options;
    if (!exchange.isRunning || clock.nowMs() > untilMs) return;
    const quote = LEAST_TRANSFER_QUOTE + Math.floor(random.uniform() * 4_000);
    const units = BigInt(quote) * 10n ** BigInt(exchange.config.creditDecimals);
    if (random.uniform() < 0.5) {
      onTransfer(units);
      exchange.deposit(signer.address, String(quote));
      return;
    }
    const body = signParams({ amount: String(quote) }, signer.address, clock.nowMs(), signer);
    const contentType = "application/x-www-form-urlencoded";
    const { status } = exchange.handle({
      method: "POST",
      path: "/withdraw",
      query: "",
      body,
      contentType,
      ip: "10.0.0.9",
    });
    // Money that serves as margin may not be withdrawn.
    if (status < 300) onTransfer(-units);
  }
}
