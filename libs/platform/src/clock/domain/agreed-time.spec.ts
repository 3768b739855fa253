import { agreeOnOffset } from './agreed-time.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

describe('the agreed time', () => {
  it.each([
    ['the clock of the operator, which the local one confirms', [20_000], -5 * HOUR_MS, 20_000, 'primary'],
    [
      'the clock of the operator, which Redis confirms',
      [-25 * HOUR_MS],
      -25 * HOUR_MS + 9,
      -25 * HOUR_MS,
      'primary',
    ],
    ['the clock of the second service, when the first is wrong', [DAY_MS, 500], 0, 500, 'primary'],
    ['the local clock, when the operator alone differs', [DAY_MS], 30_000, 0, 'local'],
    ['the local clock, without the operator', [], -30_000, 0, 'local'],
    ['the local clock, without another', [], undefined, 0, 'local'],
    ['the middle clock, when no two agree', [DAY_MS], 60_000, 60_000, 'middle'],
    ['the later clock of two: Redis', [], -60_000, -60_000, 'middle'],
    ['the later clock of two: the local one', [60_000], undefined, 0, 'middle'],
  ] as const)('is that of %s', (_, primary, reference, offsetMs, by) => {
    expect(agreeOnOffset({ primary, reference })).toEqual({ offsetMs, by });
  });
});
