import { parseJson } from '../values/json.js';
import { Fault, FAULT_KINDS } from './faults.js';

const isAccepted = (fault: object): boolean => Fault.readStrict(parseJson(JSON.stringify(fault))).ok;

const VALID: Readonly<Record<(typeof FAULT_KINDS)[number], object>> = {
  latency: { ms: 1 },
  'rate-limit': { retryAfter: true, perMinute: 1, perFiveMinutes: 10_000 },
  error: { status: 503, retryAfterSeconds: 0 },
  'connection-reset': { when: 'in-body' },
  'truncated-json': { contentLength: 'of-half' },
  'wrong-content-type': { contentType: 'text/html' },
  'invoice-file': { form: 'padded', bytes: 67_108_864 },
  'unknown-property': { property: 'new', where: 'in-data' },
  'missing-property': { property: 'x'.repeat(60) },
  'clock-skew': { seconds: -86_400 },
};

/** Each breaks one rule. */
const INVALID: readonly object[] = [
  { kind: 'latency', ms: 1 },
  { kind: 'none', times: 1 },
  ...[
    { ms: 0 },
    { ms: 60_001 },
    { ms: 1.5 },
    { times: 10_001 },
    { times: null },
    { forSeconds: 3_601 },
    { participant: ' ' },
    { participant: 'x'.repeat(61) },
    { path: 'api' },
    { path: '' },
    { path: `/${'x'.repeat(200)}` },
    { other: 1 },
  ].map((change) => ({ kind: 'latency', ms: 1, times: 1, ...change })),
  ...[
    { kind: 'rate-limit' },
    { kind: 'rate-limit', retryAfter: 'yes' },
    { kind: 'rate-limit', retryAfter: true, perMinute: 0 },
    { kind: 'error', status: 502 },
    { kind: 'error', status: 500, retryAfterSeconds: -1 },
    { kind: 'connection-reset', when: 'never' },
    { kind: 'truncated-json' },
    { kind: 'wrong-content-type', contentType: 'text/plain' },
    { kind: 'invoice-file', form: 'short' },
    { kind: 'invoice-file', form: 'padded', bytes: 0 },
    { kind: 'unknown-property', property: '', where: 'in-data' },
    { kind: 'unknown-property', property: 'new', where: 'nowhere' },
    { kind: 'missing-property', property: 'x'.repeat(61) },
    { kind: 'clock-skew', seconds: 0 },
    { kind: 'clock-skew', seconds: 86_401 },
  ].map((fault) => ({ ...fault, times: 1 })),
];

it('accepts each kind of fault within its bounds, and refuses what breaks one of them', () => {
  const bounds = { forSeconds: 3_600, times: 10_000, participant: 'WPGENCO', path: '/api/v2/*/summary/**' };
  for (const kind of FAULT_KINDS)
    for (const more of [{ times: 1 }, { forSeconds: 1 }, bounds])
      expect([kind, isAccepted({ kind, ...VALID[kind], ...more })]).toEqual([kind, true]);
  expect(INVALID.filter(isAccepted)).toEqual([]);
});
