import { readRange } from './read-range.js';

const CODES = ['WPGENCO', 'OTHER'];
/** 2 May in the market. */
const NOW = new Date('2026-05-01T16:00:00Z');
const OPTIONS = { participant: 'OTHER', dryRun: false, cancel: false };

it.each([
  [
    { from: '2026-01-01', to: '2026-01-31' },
    { from: '2026-01-01', to: '2026-01-31' },
  ],
  [{ from: '2026-01-01' }, { from: '2026-01-01', to: '2026-05-02' }],
  [{ cancel: true }, { from: '2026-05-02', to: '2026-05-02' }],
])('%j is the range %j', (options, range) => {
  expect(readRange({ ...OPTIONS, ...options }, CODES, NOW)).toEqual({
    participant: 'OTHER',
    dryRun: false,
    ...range,
  });
});

it('the only participant needs no option', () => {
  const options = { ...OPTIONS, participant: undefined, from: '2026-01-01' };
  expect(readRange(options, ['WPGENCO'], NOW)).toMatchObject({ participant: 'WPGENCO' });
});

it.each([
  [
    { participant: undefined, from: '2026-01-01' },
    'CONFIG_FILE has 2 participants: choose one with --participant, such as WPGENCO.',
  ],
  [{ participant: 'X', from: '2026-01-01' }, 'X is not in participants of CONFIG_FILE. Give one of them.'],
  [{}, 'Give the first market date with --from, such as --from 2026-01-01.'],
  [{ from: '2026-02-30' }, '--from is 2026-02-30; it must be a date that exists, such as 2026-01-01.'],
  [{ from: '2026-02-02', to: '2026-02-01' }, '--from 2026-02-02 is after --to 2026-02-01.'],
  [
    { from: '2026-05-01', to: '2026-05-03' },
    '--to 2026-05-03 is in the future; the market date is 2026-05-02.',
  ],
  [{ from: '2020-01-01' }, 'The range has more than 800 days; divide it.'],
])('%j is refused', (options, sentence) => {
  expect(readRange({ ...OPTIONS, ...options }, CODES, NOW)).toBe(sentence);
});
