import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";

const DRAWS = 20_000;

describe("seeded random", () => {
  it("gives the same draws for the same seed for ever: recorded seeds must replay on any later version", () => {
    const random = seededRandom("golden");
    expect([random.uint64(), random.uint64(), random.uniform()]).toMatchInlineSnapshot(`
      [
        6276618563343080213n,
        11604336277652682977n,
        0.6723957243830869,
      ]
    `);
  });

  it("takes a number and its text as one seed, and gives neighbouring seeds nothing in common", () => {
    expect(seededRandom(7).uint64()).toBe(seededRandom("7").uint64());
    const first = new Set(Array.from({ length: 1_000 }, (_, seed) => seededRandom(seed).uint64()));
    expect(first.size).toBe(1_000);
  });

  it("draws uniforms in [0, 1) with the mean, variance and lag-one correlation of a uniform", () => {
    const random = seededRandom("moments");
    const draws = Array.from({ length: DRAWS }, () => random.uniform());
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / DRAWS;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / DRAWS;
    const lagged =
      draws
        .slice(1)
        .reduce((sum, draw, place) => sum + (draw - mean) * ((draws[place] ?? 0) - mean), 0) /
      DRAWS;
    // Five standard errors: the seed is fixed, so this either always holds or never.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / DRAWS));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / DRAWS));
    expect(Math.abs(lagged)).toBeLessThan(5 / 12 / Math.sqrt(DRAWS));
  });

  it("sets every one of the 64 bits about half the time", () => {
    const random = seededRandom("bits");
    const ones = new Array<number>(64).fill(0);
    for (let draw = 0; draw < 4_000; draw += 1) {
      const word = random.uint64();
      for (let bit = 0; bit < 64; bit += 1) {
        ones[bit] = (ones[bit] ?? 0) + Number((word >> BigInt(bit)) & 1n);
      }
    }
    for (const count of ones) {
      expect(Math.abs(count - 2_000)).toBeLessThan(5 * Math.sqrt(1_000));
    }
  });
});
