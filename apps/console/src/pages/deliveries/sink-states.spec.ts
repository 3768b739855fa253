import type { SinkRow } from '../../api/operations.js';
import { describeKind, describeSink, describeTest, sortSinks } from './sink-states.js';

const sink = (rest: Partial<SinkRow>): SinkRow => ({
  name: 'treasury',
  inConfigFile: true,
  state: 'delivering',
  pending: 0,
  parked: 0,
  ...rest,
});

it.each<[Partial<SinkRow>, string, string]>([
  [{}, 'delivering', 'good'],
  [{ parked: 2 }, 'delivering, some refused', 'warning'],
  [{ state: 'failing' }, 'failing', 'critical'],
  [{ state: 'disabled' }, 'disabled', 'warning'],
  [{ state: 'failing', inConfigFile: false }, 'not configured', 'muted'],
])('describes a sink with %p', (rest, label, tone) => {
  expect(describeSink(sink(rest))).toMatchObject({ label, tone });
});

it('says what kind of receiver it is, once', () => {
  const sinks = [
    sink({ kind: 'email' }),
    sink({ name: 'log', kind: 'log' }),
    sink({ name: 'OPERATIONS_WEBHOOK_URL' }),
  ];
  expect(sinks.map(describeKind)).toEqual(['email', '', 'faults of the bridge']);
});

it('shows first what needs a person', () => {
  const sinks = [
    sink({ name: 'b' }),
    sink({ name: 'gone', inConfigFile: false }),
    sink({ name: 'a' }),
    sink({ name: 'off', state: 'disabled' }),
    sink({ name: 'bad', state: 'failing' }),
  ];
  expect(sortSinks(sinks).map(({ name }) => name)).toEqual(['bad', 'off', 'a', 'b', 'gone']);
});

it.each([
  [
    { outcome: 'delivered', status: 204, durationMs: 12 },
    'treasury accepted the test with status 204 in 12 ms.',
  ],
  [
    { outcome: 'rejected', status: 400, durationMs: 9, response: 'bad' },
    'treasury did not accept the test with status 400 in 9 ms (rejected). Response: bad',
  ],
  [
    { outcome: 'unreachable', description: 'connection refused' },
    'treasury did not accept the test (unreachable): connection refused.',
  ],
])('describes the result %p of a test', (result, text) => {
  expect(describeTest('treasury', { result })).toBe(text);
});
