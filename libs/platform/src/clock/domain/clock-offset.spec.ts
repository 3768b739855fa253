import {
  boundOffset,
  combineOffsets,
  compareWithLimit,
  estimateOffsetMs,
  measureOffset,
} from './clock-offset.js';

const reading = (requestedAt: number, respondedAt: number, remoteTime: number, resolutionMs = 0) => ({
  requestedAt,
  respondedAt,
  remoteTime,
  resolutionMs,
});

describe('measureOffset', () => {
  it.each([
    ['equal clocks', reading(1_000, 1_000, 1_000), { min: 0, max: 0 }],
    ['a round trip', reading(1_000, 1_400, 1_200), { min: -200, max: 200 }],
    ['a clock of whole seconds', reading(1_700, 1_750, 1_000, 1_000), { min: -300, max: 750 }],
    ['a local clock ahead', reading(121_000, 121_100, 1_000), { min: 120_000, max: 120_100 }],
    ['a local clock behind', reading(1_000, 1_100, 401_000, 1_000), { min: -401_000, max: -399_900 }],
    ['the longest round trip', reading(0, 5_000, 2_500), { min: -2_500, max: 2_500 }],
    ['a longer round trip', reading(0, 5_001, 2_500), undefined],
    ['a local clock that was set back', reading(1_000, 999, 1_000), undefined],
    ['a remote time that is not a number', reading(0, NaN, 0), undefined],
  ])('%s', (_, given, expected) => {
    expect(measureOffset(given)).toEqual(expected);
  });
});

describe('compareWithLimit', () => {
  it.each([
    [{ min: 29_000, max: 30_000 }, 'within'],
    [{ min: 29_500, max: 30_001 }, 'undecided'],
    [{ min: 30_000, max: 30_500 }, 'undecided'],
    [{ min: 30_001, max: 30_500 }, 'beyond'],
    [{ min: -30_000, max: -29_000 }, 'within'],
    [{ min: -30_500, max: -30_000 }, 'undecided'],
    [{ min: -31_000, max: -30_001 }, 'beyond'],
    [{ min: -40_000, max: 40_000 }, 'undecided'],
    // Messages do not prove that the local clock is ahead: a long delivery looks the same.
    [boundOffset(120_000), 'undecided'],
    [boundOffset(30_000), 'within'],
    [boundOffset(-30_000), 'within'],
    [boundOffset(-30_001), 'beyond'],
  ])('%j is %s', (range, verdict) => {
    expect(compareWithLimit(range, 30_000)).toBe(verdict);
  });
});

describe('combineOffsets', () => {
  it.each([
    ['the first range', undefined, { min: 0, max: 9 }, { min: 0, max: 9 }],
    ['the common part', { min: 0, max: 9 }, { min: 5, max: 12 }, { min: 5, max: 9 }],
    ['a common end', { min: 0, max: 5 }, { min: 5, max: 12 }, { min: 5, max: 5 }],
    ['the later range after a clock was set', { min: 0, max: 5 }, { min: 6, max: 12 }, { min: 6, max: 12 }],
  ])('gives %s', (_, earlier, later, expected) => {
    expect(combineOffsets(earlier, later)).toEqual(expected);
  });
});

describe('estimateOffsetMs', () => {
  it('is the middle of the range, or its only known end', () => {
    expect(estimateOffsetMs({ min: -200, max: 300 })).toBe(50);
    expect(estimateOffsetMs(boundOffset(40))).toBe(40);
  });
});
