import { parseMarketDate } from '@ssb/market';
import { readProgress, resumedProgress, UnreadableProgressError, type Progress } from './progress.js';

const today = parseMarketDate('2026-03-12');
const SAVED: Progress = { seed: 'a', anchor: parseMarketDate('2026-03-01'), positions: 5, publications: 3 };

describe('resumedProgress', () => {
  it.each<[string, Progress | undefined, string, Progress]>([
    ['where it left off', SAVED, 'a', SAVED],
    ['anew for another seed', SAVED, 'b', { seed: 'b', anchor: today, positions: 0, publications: 0 }],
    ['anew when there was none', undefined, 'a', { seed: 'a', anchor: today, positions: 0, publications: 0 }],
  ])('begins %s', (_what, saved, seed, expected) => {
    expect(resumedProgress(saved, seed, today)).toEqual(expected);
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
