import { parseJson } from '@ssb/market';
import { Fault, FAULT_KINDS } from '@ssb/market/admin';
import { FaultPipe } from './fault.pipe.js';

/** Whether the published schema and the operator API accept a fault. */
async function verdicts(body: string): Promise<{ published: boolean; accepted: boolean }> {
  const accepted = await new FaultPipe().transform(body).then(
    () => true,
    () => false,
  );
  return { published: Fault.readStrict(parseJson(body)).ok, accepted };
}

const VALID: Readonly<Record<(typeof FAULT_KINDS)[number], object>> = {
  latency: { ms: 1 },
  'rate-limit': { retryAfter: true, perMinute: 1, perFiveMinutes: 10_000 },
  error: { status: 503, retryAfterSeconds: 0 },
  'connection-reset': { when: 'in-body' },
  'truncated-json': { contentLength: 'of-half' },
  'wrong-content-type': { contentType: 'text/html' },
  'unknown-property': { property: 'new', where: 'in-data' },
  'missing-property': { property: 'x'.repeat(60) },
  'clock-skew': { seconds: -86_400 },
};

const INVALID: readonly object[] = [
  { kind: 'latency', ms: 0, times: 1 },
  { kind: 'latency', ms: 60_001, times: 1 },
  { kind: 'latency', ms: 1.5, times: 1 },
  { kind: 'latency', ms: 1 },
  { kind: 'latency', ms: 1, times: 10_001 },
  { kind: 'latency', ms: 1, forSeconds: 3_601 },
  { kind: 'latency', ms: 1, times: 1, participant: ' ' },
  { kind: 'latency', ms: 1, times: 1, participant: 'x'.repeat(61) },
  { kind: 'latency', ms: 1, times: 1, path: 'api' },
  { kind: 'latency', ms: 1, times: 1, path: '' },
  { kind: 'latency', ms: 1, times: 1, path: `/${'x'.repeat(200)}` },
  { kind: 'latency', ms: 1, times: 1, other: 1 },
  { kind: 'latency', ms: 1, times: null },
  { kind: 'rate-limit', times: 1 },
  { kind: 'rate-limit', retryAfter: 'yes', times: 1 },
  { kind: 'rate-limit', retryAfter: true, perMinute: 0, times: 1 },
  { kind: 'error', status: 502, times: 1 },
  { kind: 'error', status: 500, retryAfterSeconds: -1, times: 1 },
  { kind: 'connection-reset', when: 'never', times: 1 },
  { kind: 'truncated-json', times: 1 },
  { kind: 'wrong-content-type', contentType: 'text/plain', times: 1 },
  { kind: 'unknown-property', property: '', where: 'in-data', times: 1 },
  { kind: 'unknown-property', property: 'new', where: 'nowhere', times: 1 },
  { kind: 'missing-property', property: 'x'.repeat(61), times: 1 },
  { kind: 'clock-skew', seconds: 0, times: 1 },
  { kind: 'clock-skew', seconds: 86_401, times: 1 },
  { kind: 'none', times: 1 },
];

describe('the published schema of a fault and the operator API', () => {
  it.each(FAULT_KINDS)('both accept a fault of the kind %s', async (kind) => {
    const allBounds = {
      forSeconds: 3_600,
      times: 10_000,
      participant: 'WPGENCO',
      path: '/api/v2/*/summary/**',
    };
    for (const more of [{ times: 1 }, { forSeconds: 1 }, allBounds]) {
      const body = JSON.stringify({ kind, ...VALID[kind], ...more });
      expect([body, await verdicts(body)]).toEqual([body, { published: true, accepted: true }]);
    }
  });

  it.each(INVALID.map((each) => JSON.stringify(each)))('both refuse %s', async (body) => {
    expect(await verdicts(body)).toEqual({ published: false, accepted: false });
  });
});
