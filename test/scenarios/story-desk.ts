import type { ListedRiskyAccount, TakeoverPause } from "#liquidator/liquidator-venue.js";
import { Desk } from "../liquidator/simulation/desk.js";
import { type Ground, PERPETUAL } from "../liquidator/simulation/ground.js";

/** The exchange's side, which may also forbid every takeover. */
export class StoryDesk extends Desk {
  paused: TakeoverPause | undefined;
  readonly #ground: Ground;
  #listed: readonly ListedRiskyAccount[] = [];

  constructor(...[ground, ...rest]: ConstructorParameters<typeof Desk>) {
    super(ground, ...rest);
    this.#ground = ground;
  }

  override pause(): TakeoverPause | undefined {
    return this.paused;
  }

  /** With the markets that an account holds something in, as the exchange lists it. */
  override async riskyAccounts(): Promise<readonly ListedRiskyAccount[]> {
    return this.#listed;
  }

  override async onBlock(reorgDepth: number): Promise<void> {
    await super.onBlock(reorgDepth);
    const listed: ListedRiskyAccount[] = [];
    for (const { account, isSafe } of await super.riskyAccounts()) {
      const marketIds: string[] = [];
      for (const { perp, marketId } of this.#ground.markets) {
        const [paper] = await this.#ground.view(perp, PERPETUAL, "balanceOf", [account]);
        if (paper !== 0n) marketIds.push(marketId);
      }
      if (marketIds.length > 0) listed.push({ account, isSafe, marketIds });
    }
    this.#listed = listed;
  }
}
