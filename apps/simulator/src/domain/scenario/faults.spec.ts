import { Fault } from '@ssb/market/admin';
import { buildFault } from './faults.js';
import type { OutageStep } from './scenario-step.js';

const codes = ['WPGENCO', 'SOLARCO'];
const step = { lasts: 4_000, hold: 0 };
const prudential = { ...step, interface: 'prudential' } as const;

it.each<[string, OutageStep, object]>([
  ['a refusal', { ...step, outage: 403 }, { kind: 'clock-skew', seconds: 86_400 }],
  ['a failing service', { ...step, outage: 503 }, { kind: 'error', status: 503 }],
  ['no connection', { ...step, outage: 'reset' }, { kind: 'connection-reset', when: 'before-response' }],
  [
    'one interface',
    { ...prudential, outage: 503 },
    { kind: 'error', status: 503, path: '/api/v2/prudential/**' },
  ],
  [
    'one participant',
    { ...step, outage: 503, participant: 2 },
    { kind: 'error', status: 503, participant: 'SOLARCO' },
  ],
])('the fault of %s is valid', (_case, given, expected) => {
  const fault = buildFault(given, codes, 1);
  expect(fault).toEqual({ ...expected, forSeconds: 4 });
  expect(() => Fault.serialise(fault)).not.toThrow();
});

it.each([
  [2, 2],
  [3, 2],
  [Infinity, 1],
])('at speed %d a fault of 4 s lasts %d s', (speed, seconds) => {
  expect(buildFault({ ...step, outage: 503 }, codes, speed).forSeconds).toBe(seconds);
});
