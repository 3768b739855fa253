import { parseMarketDate } from '@ssb/market';
import { parseProgress, resumeProgress, UnreadableProgressError, type Progress } from './progress.js';

const today = parseMarketDate('2026-03-12');
const SAVED: Progress = { seed: 'a', anchor: parseMarketDate('2026-03-01'), positions: 5, publications: 3 };

describe('resumeProgress', () => {
  it.each<[string, Progress | undefined, string, Progress]>([
    ['with the saved progress', SAVED, 'a', SAVED],
    ['anew for another seed', SAVED, 'b', { seed: 'b', anchor: today, positions: 0, publications: 0 }],
    ['anew when there was none', undefined, 'a', { seed: 'a', anchor: today, positions: 0, publications: 0 }],
  ])('begins %s', (_case, saved, seed, expected) => {
    expect(resumeProgress(saved, seed, today)).toEqual(expected);
  });
});

describe('parseProgress', () => {
  it('parses saved progress', () => {
    expect(parseProgress(JSON.stringify(SAVED), 'p')).toEqual(SAVED);
  });

  it.each([
    '',
    '{}',
    '[]',
    '{"seed":"a","anchor":"soon","positions":0,"publications":0}',
    '{"seed":"a","anchor":"2026-03-01","positions":-1,"publications":0}',
  ])('refuses %s with the path of the file', (text) => {
    expect(() => parseProgress(text, '/some/file')).toThrow(UnreadableProgressError);
    expect(() => parseProgress(text, '/some/file')).toThrow('/some/file');
  });
});
