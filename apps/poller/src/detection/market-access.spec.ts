import { createFactEvent, type Fact } from '@ssb/events';
import {
  MalformedResponseError,
  NoResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
  type ConnectionEnd,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { BudgetExhaustedError } from '@ssb/redis-queue';
import { FetchesFailedError, StoppingError, UnusableResponseError } from '../polls/poll-failures.js';
import type { DetectionContext } from './detection.js';
import {
  accessFailure,
  detectMarketAccess,
  formatMarketAccessState,
  parseMarketAccessState,
  type MarketAccessState,
  type PollOutcome,
} from './market-access.js';

const OK: PollOutcome = { ok: true, isUsable: true };
const UNUSABLE: PollOutcome = { ok: true, isUsable: false };
const REFUSED: PollOutcome = { ok: false, cause: 'forbidden', detail: 'refused with 403' };
const FAILING: PollOutcome = { ok: false, cause: 'server-error', detail: 'status 503' };

/** 2026-03-02T08:`minute`:00 market time, with two minutes allowed. */
function contextAt(minute: number, unreachableAfterMs = 120_000): DetectionContext {
  const settings = { market: { unreachableAfterMs } } as DetectionSettings;
  return { participant: 'PART1', settings, now: new Date(Date.UTC(2026, 2, 2, 0, minute)) };
}

interface Step {
  readonly minute: number;
  readonly outcome: PollOutcome;
  readonly unreachableAfterMs?: number;
}

/** The facts of each step. `restart` replaces the state between two steps by what is read back from its text. */
function play(steps: readonly Step[], isRestarted = false): { facts: readonly Fact[]; saved: number }[] {
  let state: MarketAccessState | undefined;
  return steps.map(({ minute, outcome, unreachableAfterMs }) => {
    const previous = state && isRestarted ? parseMarketAccessState(formatMarketAccessState(state)) : state;
    const detected = detectMarketAccess(
      previous,
      'settlement',
      outcome,
      contextAt(minute, unreachableAfterMs),
    );
    const saved = detected.state === previous ? 0 : 1;
    state = detected.state;
    return { facts: detected.facts, saved };
  });
}

const unreachable = (since: string, cause: string, detail: string, allowedSeconds = 120) => ({
  type: 'settlementbus.market.unreachable.v1',
  data: { interface: 'settlement', since, cause, detail, allowedSeconds },
});
const recovered = (since: string, cause: string, detail: string, recoveredAt: string) => ({
  type: 'settlementbus.market.recovered.v1',
  data: { interface: 'settlement', since, cause, detail, allowedSeconds: 120, recoveredAt },
});
const SINCE_1 = '2026-03-02T00:01:00.000Z';

it.each<[string, Step[], object[][], number[]]>([
  ['a first poll that succeeds', [{ minute: 0, outcome: OK }], [[]], [1]],
  [
    'an outage that is not announced, and ends with a response that cannot be used',
    [
      { minute: 1, outcome: FAILING },
      { minute: 2, outcome: UNUSABLE },
      { minute: 50, outcome: UNUSABLE },
      { minute: 51, outcome: FAILING },
    ],
    [[], [], [], []],
    [1, 1, 0, 1],
  ],
  [
    'an announced outage, which ends with a response that can be used',
    [
      { minute: 1, outcome: FAILING },
      { minute: 3, outcome: FAILING },
      { minute: 4, outcome: UNUSABLE },
      { minute: 5, outcome: OK },
    ],
    [
      [],
      [unreachable(SINCE_1, 'server-error', 'status 503')],
      [],
      [recovered(SINCE_1, 'server-error', 'status 503', '2026-03-02T00:05:00.000Z')],
    ],
    [1, 1, 0, 1],
  ],
  [
    'an outage is announced once, and its end',
    [
      { minute: 1, outcome: FAILING },
      { minute: 2, outcome: FAILING },
      { minute: 3, outcome: FAILING },
      { minute: 4, outcome: FAILING },
      { minute: 5, outcome: OK },
      { minute: 6, outcome: OK },
    ],
    [
      [],
      [],
      [unreachable(SINCE_1, 'server-error', 'status 503')],
      [],
      [recovered(SINCE_1, 'server-error', 'status 503', '2026-03-02T00:05:00.000Z')],
      [],
    ],
    [1, 0, 1, 0, 1, 0],
  ],
  [
    'cause and detail are those of the latest failure',
    [
      { minute: 1, outcome: FAILING },
      { minute: 4, outcome: REFUSED },
      { minute: 5, outcome: FAILING },
      { minute: 6, outcome: OK },
    ],
    [
      [],
      [unreachable(SINCE_1, 'forbidden', 'refused with 403')],
      [],
      [recovered(SINCE_1, 'server-error', 'status 503', '2026-03-02T00:06:00.000Z')],
    ],
    [1, 1, 1, 1],
  ],
  [
    'nothing is allowed: the first failure is announced',
    [{ minute: 1, outcome: FAILING, unreachableAfterMs: 0 }],
    [[unreachable(SINCE_1, 'server-error', 'status 503', 0)]],
    [1],
  ],
  [
    'more is allowed after the announcement: it is not withdrawn, and its end is announced',
    [
      { minute: 1, outcome: FAILING },
      { minute: 3, outcome: FAILING },
      { minute: 4, outcome: FAILING, unreachableAfterMs: 3_600_000 },
      { minute: 5, outcome: OK, unreachableAfterMs: 3_600_000 },
    ],
    [
      [],
      [unreachable(SINCE_1, 'server-error', 'status 503')],
      [],
      [recovered(SINCE_1, 'server-error', 'status 503', '2026-03-02T00:05:00.000Z')],
    ],
    [1, 1, 0, 1],
  ],
  [
    'the clock is set back during an outage: it begins again',
    [
      { minute: 50, outcome: FAILING },
      { minute: 1, outcome: FAILING },
      { minute: 3, outcome: FAILING },
    ],
    [[], [], [unreachable(SINCE_1, 'server-error', 'status 503')]],
    [1, 1, 1],
  ],
])('%s', (_, steps, facts, saved) => {
  expect(play(steps).map((each) => each.facts)).toEqual(facts);
  expect(play(steps).map((each) => each.saved)).toEqual(saved);
});

describe('every sequence of five polls', () => {
  const sequences = Array.from({ length: 3 ** 5 }, (_, index) =>
    Array.from({ length: 5 }, (_each, minute): Step => {
      const outcome = [OK, FAILING, REFUSED][Math.floor(index / 3 ** minute) % 3] ?? OK;
      return { minute, outcome };
    }),
  );
  const factsOf = (steps: readonly Step[], isRestarted = false) =>
    play(steps, isRestarted).map(({ facts }) => facts);

  it('announces an outage at its third failed poll, and the end of an announced one', () => {
    for (const steps of sequences) {
      const states = steps.map(({ outcome }) => (outcome.ok ? '.' : 'x')).join('');
      const expected = steps.map((_, at) => {
        if (/(?:^|\.)xxx$/.test(states.slice(0, at + 1))) return ['settlementbus.market.unreachable.v1'];
        return /xxx\.$/.test(states.slice(0, at + 1)) ? ['settlementbus.market.recovered.v1'] : [];
      });
      expect(factsOf(steps).map((facts) => facts.map(({ type }) => type))).toEqual(expected);
    }
  });

  it('has the same facts with a restart between any two polls', () => {
    for (const steps of sequences) expect(factsOf(steps, true)).toEqual(factsOf(steps));
  });

  it('raises nothing when each poll is given twice', () => {
    for (const steps of sequences) {
      const twice = factsOf(steps.flatMap((step) => [step, step]));
      expect(twice.filter((_, index) => index % 2 === 0)).toEqual(factsOf(steps));
      expect(twice.filter((_, index) => index % 2 === 1).flat()).toEqual([]);
    }
  });
});

it('the end of an outage follows its statement', () => {
  const steps = [1, 3].map((minute): Step => ({ minute, outcome: FAILING }));
  const facts = play([...steps, { minute: 4, outcome: OK }]).flatMap((each) => each.facts);
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const detection = { detectedAt: new Date('2026-03-02T01:00:00.000Z'), traceparent };
  const events = facts.map((fact) => createFactEvent(fact, 'PART1', detection));
  expect(events.map(({ subject, time }) => [subject, time])).toEqual([
    ['PART1/market/settlement', '2026-03-02T08:03:00.000+08:00'],
    ['PART1/market/settlement', '2026-03-02T08:04:00.000+08:00'],
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(2);
});

it.each([
  ['no JSON', '{'],
  ['another version', '{"version":2}'],
  ['an outage without a cause', `{"version":1,"outage":{"since":"${SINCE_1}","detail":"x"}}`],
  [
    'a time that does not exist',
    '{"version":1,"outage":{"since":"2026-02-30T00:00:00.000Z","cause":"token","detail":"x"}}',
  ],
])('a saved state is discarded: %s', (_, text) => {
  expect(parseMarketAccessState(text)).toBeUndefined();
});

describe('the cause of a failure', () => {
  const GET = 'GET /api/v2/prudential';
  const noResponse = (reason: NoResponseError['reason'], end?: ConnectionEnd) =>
    new ReportingUnavailableError(GET, undefined, undefined, {
      cause: new NoResponseError(reason, 'reason', {}, end),
    });
  const status = (code: number) => new ReportingUnavailableError(GET, code, undefined);
  const alert: ConnectionEnd = { kind: 'tls-alert', alert: 'certificate expired' };

  it.each<[string, unknown, string | undefined]>([
    ['TLS alert about the certificate', noResponse('connection', alert), 'certificate'],
    ['nginx: 495', status(495), 'certificate'],
    [
      'TLS alert of the token service',
      new TokenUnavailableError('no response', undefined, undefined, {
        cause: new NoResponseError('connection', 'x', {}, alert),
      }),
      'certificate',
    ],
    [
      'another TLS alert',
      noResponse('connection', { kind: 'tls-alert', alert: 'internal error' }),
      'no-response',
    ],
    ['a closed connection', noResponse('connection', { kind: 'closed' }), 'no-response'],
    ['a refused connection', noResponse('connection'), 'no-response'],
    ['a timeout', noResponse('timeout'), 'no-response'],
    ['too large', noResponse('too-large'), 'unusable-response'],
    ['an unknown encoding', noResponse('undecodable'), 'unusable-response'],
    ['credentials refused', new TokenRefusedError(401, 'invalid_client', undefined), 'token'],
    ['token service: 503', new TokenUnavailableError('status 503', 503, undefined), 'token'],
    ['token service: no token', new TokenUnavailableError('no token', 200, undefined), 'token'],
    ['401', new ReportingForbiddenError(GET, 401), 'forbidden'],
    ['403', new ReportingForbiddenError(GET, 403), 'forbidden'],
    ['500', status(500), 'server-error'],
    ['599', status(599), 'server-error'],
    ['429', status(429), 'rate-limited'],
    ['302', status(302), 'unusable-response'],
    ['malformed', new MalformedResponseError(GET, [{ path: 'data', message: 'x' }]), 'unusable-response'],
    ['another participant', new UnusableResponseError('prudential range', 'x'), 'unusable-response'],
    ['the request budget', new BudgetExhaustedError('PART1:prudential', 'too-long', 1_000), undefined],
    ['shutdown', new StoppingError(), undefined],
    ['single statements', new FetchesFailedError([status(503)]), undefined],
    ['a programming error', new TypeError('x'), undefined],
    ['not an error', 'text', undefined],
  ])('%s', (_, error, expected) => {
    expect(accessFailure(error)?.cause).toBe(expected);
  });

  const FAULT = {
    reason: 'certificate-expired',
    server: 'reporting',
    detail: 'client.crt (PART1) expired',
  } as const;
  it.each<[string, unknown, Parameters<typeof accessFailure>[1], object]>([
    [
      'the reason of a missing response',
      noResponse('timeout'),
      undefined,
      { cause: 'no-response', detail: `${GET} is not available: no response: no response (timeout): reason` },
    ],
    [
      'the classification of the poller',
      new ReportingForbiddenError(GET, 403),
      FAULT,
      { cause: 'certificate', detail: FAULT.detail },
    ],
    [
      'one line of at most 300 characters',
      new TokenRefusedError(400, `a\n${'x'.repeat(400)}`, undefined),
      undefined,
      { cause: 'token', detail: `the token service refused with 400 a\\n${'x'.repeat(261)}…` },
    ],
  ])('has a detail: %s', (_, error, fault, expected) => {
    expect(accessFailure(error, fault)).toEqual(expected);
  });
});
