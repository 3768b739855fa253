import type { Wave } from './scenario.js';
import { marginAt } from './margin-wave.js';

const WAVE: Wave = { centre: '400000.00', amplitude: '550000.00', noise: '6000.00', length: 36 };
const sampleWave = (wave: Wave, seed = 'test') =>
  Array.from({ length: wave.length }, (_, position) => marginAt(wave, position, seed, 'WPGENCO'));

describe('marginAt', () => {
  it('passes through warning and breach for several positions per wave', () => {
    const margins = sampleWave(WAVE);
    const countBetween = (min: bigint, below: bigint) =>
      margins.filter((each) => each >= min && each < below).length;
    expect(countBetween(0n, 25_000_000n)).toBeGreaterThanOrEqual(4);
    expect(countBetween(-100_000_000n, 0n)).toBeGreaterThanOrEqual(4);
    expect(countBetween(27_500_000n, 100_000_000n)).toBeGreaterThanOrEqual(12);
  });

  it('stays within centre, amplitude and noise', () => {
    const margins = sampleWave(WAVE);
    for (const margin of margins) {
      expect(margin).toBeGreaterThanOrEqual(40_000_000n - 55_000_000n - 600_000n);
      expect(margin).toBeLessThanOrEqual(40_000_000n + 55_000_000n + 600_000n);
    }
  });
});
