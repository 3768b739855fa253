import { parseMarketDate } from '@ssb/market';
import { parseProgress, resumeProgress, UnreadableProgressError, type Progress } from './progress.js';

const today = parseMarketDate('2026-03-12');
const SAVED: Progress = {
  seed: 'a',
  anchor: parseMarketDate('2026-03-01'),
  positions: 5,
  publications: 3,
  revisions: 1,
};
/** The day is a Thursday, on which the statement of the week to the Saturday before is due without a shift. */
const RULES = [{ statementAfter: 5 }] as unknown as Parameters<typeof resumeProgress>[3];
const begun = (seed: string): Progress => ({
  seed,
  anchor: today,
  shift: 0,
  positions: 0,
  publications: 0,
  revisions: 0,
});

describe('resumeProgress', () => {
  it.each<[string, Progress | undefined, string, Progress]>([
    ['with the saved progress', SAVED, 'a', SAVED],
    ['anew for another seed', SAVED, 'b', begun('b')],
    ['anew when there was none', undefined, 'a', begun('a')],
  ])('begins %s', (_case, saved, seed, expected) => {
    expect(resumeProgress(saved, seed, today, RULES)).toEqual(expected);
  });
});

describe('parseProgress', () => {
  it('parses saved progress', () => {
    expect(parseProgress(JSON.stringify(SAVED), 'p')).toEqual(SAVED);
  });

  it('parses the progress of earlier releases', () => {
    const earlier = '{"seed":"a","anchor":"2026-03-01","positions":5,"publications":3}';
    expect(parseProgress(earlier, 'p')).toEqual({ ...SAVED, revisions: 0 });
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
