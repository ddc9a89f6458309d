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

/** Smallest transfer, in quote: many times the bot's possible profit or loss in the meantime. */
export const LEAST_TRANSFER_QUOTE = 4_000;

/** A transfer follows a start within this time, so that the reports arrive in every order. */
const AROUND_START_MS: Ms = 40;

/**
 * A person who deposits to the bot's account and withdraws from it, at random times and just after
 * the bot's start.
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

  /** Called before the bot starts. */
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
