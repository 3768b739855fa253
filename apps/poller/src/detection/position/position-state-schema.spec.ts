import { pollAll, row, settingsWith } from '../../../test/support/positions.js';
import { formatPositionState, parsePositionState } from './position-state-schema.js';

it('a state is the same after it was saved', () => {
  const settings = settingsWith({
    margin: { minDurationMs: 600_000 },
    forecast: { trend: { method: 'linear', calculations: 3, minSpanMs: 0 } },
  });
  const rows = [
    row('10:00:00', { tradingMargin: '-1', creditSupport: '1', creditLimit: '2' }),
    row('10:05:00', '-2', { isForecast: true }),
  ];
  const [polled] = pollAll([{ rows, settings, now: '10:06:00' }]);
  if (polled === undefined) throw new Error('no state');
  expect(polled.state.log.calculations).toHaveLength(2);
  const text = formatPositionState(polled.state);
  expect(JSON.parse(text)).toMatchObject({ version: 1 });
  expect(parsePositionState(text)).toEqual({ ...polled.state, version: 1 });
});

it.each([
  ['another version', (text: string) => text.replace('"version":1', '"version":2')],
  ['no version', (text: string) => text.replace('"version":1,', '')],
  ['no JSON', () => '{'],
  [
    'a time that does not exist',
    (text: string) => text.replace('2026-03-02T10:00:00', '2026-02-30T10:00:00'),
  ],
])('a text with %s is not a saved state', (_, change) => {
  const [polled] = pollAll([{ rows: [row('10:00:00', '-1')] }]);
  const text = polled === undefined ? '' : formatPositionState(polled.state);
  expect(parsePositionState(text)).toBeDefined();
  expect(parsePositionState(change(text))).toBeUndefined();
});
