import { parseMarketDate } from '@ssb/market';
import {
  nextCalculationAt,
  readProgress,
  takeUp,
  UnreadableProgressError,
  type Progress,
} from './progress.js';

const today = parseMarketDate('2026-03-12');
const SAVED: Progress = { seed: 'a', anchor: parseMarketDate('2026-03-01'), positions: 5, publications: 3 };

describe('takeUp', () => {
  it.each<[string, Progress | undefined, string, Progress]>([
    ['where it left off', SAVED, 'a', SAVED],
    ['anew for another seed', SAVED, 'b', { seed: 'b', anchor: today, positions: 0, publications: 0 }],
    ['anew when there was none', undefined, 'a', { seed: 'a', anchor: today, positions: 0, publications: 0 }],
  ])('begins %s', (_what, saved, seed, expected) => {
    expect(takeUp(saved, seed, today)).toEqual(expected);
  });
});

describe('readProgress', () => {
  it('reads what was written', () => {
    expect(readProgress(JSON.stringify(SAVED), 'p')).toEqual(SAVED);
  });

  it.each([
    '',
    '{}',
    '[]',
    '{"seed":"a","anchor":"soon","positions":0,"publications":0}',
    '{"seed":"a","anchor":"2026-03-01","positions":-1,"publications":0}',
  ])('refuses %s, naming the file', (text) => {
    expect(() => readProgress(text, '/some/file')).toThrow(UnreadableProgressError);
    expect(() => readProgress(text, '/some/file')).toThrow('/some/file');
  });
});

describe('nextCalculationAt', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 2, 12, 2, 0, 0, ms));
  it.each([
    [at(0), undefined, at(0)],
    [at(5_000), at(0), at(5_000)],
    [at(200), at(0), at(1_000)],
    [at(0), at(3_000), at(4_000)],
  ])('at %s after %s is %s', (now, last, expected) => {
    expect(nextCalculationAt(now, last)).toEqual(expected);
  });
});
