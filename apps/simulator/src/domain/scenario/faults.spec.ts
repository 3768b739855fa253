import { Fault } from '@ssb/market/admin';
import { buildFault } from './faults.js';
import type { FaultStep } from './scenario-step.js';

const codes = ['WPGENCO', 'SOLARCO'];
const step = { lasts: 4_000, hold: 0 };
const prudential = { ...step, interface: 'prudential' } as const;

it.each<[string, FaultStep, object]>([
  ['a refusal', { ...step, outage: 403 }, { kind: 'clock-skew', seconds: 86_400 }],
  ['a failing service', { ...step, outage: 503 }, { kind: 'error', status: 503 }],
  ['no connection', { ...step, outage: 'reset' }, { kind: 'connection-reset', when: 'before-answer' }],
  ['no answer', { ...step, outage: 'silence' }, { kind: 'latency', ms: 60_000 }],
  [
    'one interface',
    { ...prudential, outage: 500 },
    { kind: 'error', status: 500, path: '/api/v2/prudential/**' },
  ],
  [
    'one participant',
    { ...step, outage: 500, participant: 2 },
    { kind: 'error', status: 500, participant: 'SOLARCO' },
  ],
  [
    'a calculation that cannot be read',
    { ...step, missing: 'calculatedAt', from: 'calculations' },
    { kind: 'missing-property', property: 'calculatedAt', path: '/api/v2/prudential' },
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
  expect(buildFault({ ...step, outage: 500 }, codes, speed).forSeconds).toBe(seconds);
});
