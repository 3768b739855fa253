import { KeyRing } from './key-ring.js';
import { activateRing, replaceRing, retireRing, rotateRing, stateOf, type RingChange } from './rotation.js';

const MINUTE_MS = 60_000;
const NOW = new Date('2026-07-01T00:00:00Z');
const at = (minutes: number): Date => new Date(NOW.getTime() + minutes * MINUTE_MS);
const OPTIONS = { now: NOW, activeInMs: 15 * MINUTE_MS, overlapMs: 60 * MINUTE_MS, secret: 'new' };

/** Versions from 1, active from these minutes on. */
const ringOf = (...minutes: number[]): KeyRing =>
  new KeyRing(
    minutes.map((minute, index) => ({ version: index + 1, activeFrom: at(minute), secret: `${index + 1}` })),
  );

/** Version and minute of each key; the sentence of a refusal. */
function show(change: RingChange): unknown {
  if (!change.ok) return change.problem;
  return change.ring.keys.map(({ version, activeFrom, secret }) => [
    version,
    (activeFrom.getTime() - NOW.getTime()) / MINUTE_MS,
    secret,
  ]);
}

describe('a key ring', () => {
  it('has one active version, previous ones and pending ones', () => {
    const ring = ringOf(-100, -10, 10);
    expect(ring.keys.map((key) => stateOf(ring, key, NOW))).toEqual(['previous', 'active', 'pending']);
  });

  it.each<[string, KeyRing, unknown]>([
    [
      'adds a version that is active later',
      ringOf(-10),
      [
        [1, -10, '1'],
        [2, 15, 'new'],
      ],
    ],
    [
      'drops versions whose overlap is over',
      ringOf(-1000, -200, -60),
      [
        [3, -60, '3'],
        [4, 15, 'new'],
      ],
    ],
    ['refuses while a version is pending', ringOf(-10, 1), expect.stringMatching(/^version 2 is not active/)],
    [
      'refuses during the overlap of the last rotation',
      ringOf(-100, -59),
      'version 1 is replaced, but stays valid until 2026-07-01T00:01:00.000Z; rotate after that, or give a shorter --overlap',
    ],
  ])('rotated, %s', (_, ring, expected) => {
    expect(show(rotateRing(ring, OPTIONS))).toEqual(expected);
  });

  it('rotated because of a leak, keeps no former version', () => {
    expect(show(replaceRing(ringOf(-10, 5), NOW, 'new'))).toEqual([[3, 0, 'new']]);
  });

  it('activates a pending version earlier, never before the version that it replaces', () => {
    expect(show(activateRing(ringOf(-10, 600), NOW, MINUTE_MS))).toEqual([
      [1, -10, '1'],
      [2, 1, '2'],
    ]);
    expect(show(activateRing(ringOf(-10), NOW, MINUTE_MS))).toMatch(/^no version is pending/);
  });

  it('retires only versions that were replaced longer ago than the overlap', () => {
    expect(show(retireRing(ringOf(-500, -60, -59, 10), NOW, 60 * MINUTE_MS))).toEqual([
      [2, -60, '2'],
      [3, -59, '3'],
      [4, 10, '4'],
    ]);
  });
});
