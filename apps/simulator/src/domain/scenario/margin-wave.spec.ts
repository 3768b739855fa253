import type { Wave } from './scenario.js';
import { marginAt } from './margin-wave.js';

const WAVE: Wave = { centre: '400000.00', amplitude: '550000.00', noise: '6000.00', length: 36 };
const swing = (wave: Wave, seed = 'test') =>
  Array.from({ length: wave.length }, (_, position) => marginAt(wave, position, seed, 'WPGENCO'));

describe('marginAt', () => {
  it('is the same for the same seed and another for another', () => {
    expect(swing(WAVE)).toEqual(swing(WAVE));
    expect(swing(WAVE, 'other')).not.toEqual(swing(WAVE));
  });

  it('passes through warning and breach in every swing, some positions each', () => {
    const margins = swing(WAVE);
    const positions = (least: bigint, below: bigint) =>
      margins.filter((each) => each >= least && each < below).length;
    expect(positions(0n, 25_000_000n)).toBeGreaterThanOrEqual(4);
    expect(positions(-100_000_000n, 0n)).toBeGreaterThanOrEqual(4);
    expect(positions(27_500_000n, 100_000_000n)).toBeGreaterThanOrEqual(12);
  });

  it('stays within centre, amplitude and noise', () => {
    const margins = swing(WAVE);
    for (const margin of margins) {
      expect(margin).toBeGreaterThanOrEqual(40_000_000n - 55_000_000n - 600_000n);
      expect(margin).toBeLessThanOrEqual(40_000_000n + 55_000_000n + 600_000n);
    }
  });

  it('returns to the same place after a swing when there is no noise', () => {
    const calm = { ...WAVE, noise: '0.00' };
    expect(marginAt(calm, 5, 'test', 'WPGENCO')).toBe(marginAt(calm, 5 + 36, 'test', 'WPGENCO'));
  });
});
