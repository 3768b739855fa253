import { findWrong, summarise, type StatusFacts } from './find-wrong.js';
import type { HopStatus } from './status-dto.js';

const hop = (app: string, changes: Partial<HopStatus> = {}): HopStatus => ({
  app,
  name: app,
  state: 'ok',
  checks: [],
  faults: [],
  furtherFaults: 0,
  certificates: [],
  ...changes,
});

const ARCHIVE = {
  replicas: [{ name: 'subscriber', isReader: true }],
  heartbeats: [],
  watermarks: [],
  openProblems: { critical: 0, warning: 0, info: 0, unacknowledgedCritical: 0 },
  sinks: [],
  quarantine: { messages: 0, trusted: 0 },
  unreadEvents: 0,
};
const QUEUE = {
  waiting: 0,
  active: 0,
  delayed: 0,
  oldestWaitingSeconds: 0,
  deadLetters: 0,
  unverifiedDeadLetters: 0,
};
const WELL: StatusFacts = {
  hops: [hop('poller'), hop('bus-publisher'), hop('subscriber')],
  polling: [{ participant: 'WPGENCO', leaseHolder: 'one', interfaces: [] }],
  queue: QUEUE,
  archive: ARCHIVE,
};
const OUT = { state: 'unreachable', detail: 'The poller does not respond (ECONNREFUSED).' } as const;
const FAULT = {
  reason: 'token-refused',
  participant: 'WPGENCO',
  detail: 'status 401',
  since: '2026-03-02T00:00:00Z',
};

const read = (changes: Partial<StatusFacts>) => summarise(findWrong({ ...WELL, ...changes }));

it('is ok when nothing is wrong', () => {
  expect(read({}).state).toBe('ok');
});

it.each<[string, Partial<StatusFacts>, string, RegExp]>([
  ['no database', { archive: undefined }, 'failing', /^The database does not respond/],
  [
    'no process of an app',
    { hops: [hop('poller', OUT)] },
    'failing',
    /^The poller does not respond \(ECONNREFUSED\): start it/,
  ],
  [
    'one process of an app',
    { hops: [hop('poller'), hop('poller', { ...OUT, name: 'poller 2' })] },
    'degraded',
    /does not respond .*: start it\.$/,
  ],
  [
    'an app that is not ready',
    {
      hops: [
        hop('poller', { state: 'error', checks: [{ name: 'redis', isUp: false, message: 'timeout.' }] }),
      ],
    },
    'failing',
    /^The poller is not ready \(redis: timeout\): /,
  ],
  [
    'events that could not be read',
    { archive: { ...ARCHIVE, unreadEvents: 2 } },
    'degraded',
    /^2 archived events left out of positions/,
  ],
  [
    'a participant that nobody polls',
    { polling: [{ participant: 'GAS', interfaces: [] }] },
    'failing',
    /^No poller polls GAS:/,
  ],
  [
    'channels that nobody reads',
    { archive: { ...ARCHIVE, replicas: [] } },
    'failing',
    /^No subscriber reads/,
  ],
  [
    'a failing sink',
    {
      archive: {
        ...ARCHIVE,
        sinks: [{ sink: 'pager', failingSince: new Date(0), lastOutcome: 'timeout', pending: 1, parked: 0 }],
      },
    },
    'failing',
    /^The sink pager has accepted no delivery since 1970.*\(timeout\): read its last outcome/,
  ],
  [
    'a closed problem of a breach',
    {
      archive: { ...ARCHIVE, closedMargins: [{ participant: 'GAS', level: 'BREACHED', closedBy: 'olivia' }] },
    },
    'degraded',
    /^The margin of GAS is BREACHED, and its problem was closed by olivia: see "busbridge positions"\.$/,
  ],
  [
    'dead letters',
    { queue: { ...QUEUE, deadLetters: 1 } },
    'failing',
    /^1 event could not be published: .*retry\.$/,
  ],
  [
    'a breach that nobody has acknowledged',
    { archive: { ...ARCHIVE, openProblems: { ...ARCHIVE.openProblems, unacknowledgedCritical: 2 } } },
    'failing',
    /^2 critical problems without an acknowledgement/,
  ],
  [
    'a slow queue',
    { queue: { ...QUEUE, oldestWaitingSeconds: 61 } },
    'degraded',
    /^An event has waited for 61 s/,
  ],
  [
    'a fault',
    { hops: [hop('poller', { faults: [FAULT] })] },
    'degraded',
    /^The poller reports token-refused of WPGENCO \(status 401\)/,
  ],
  [
    'a certificate that expires soon',
    { hops: [hop('poller', { certificates: [{ name: 'prudential', participant: 'GAS', daysLeft: 13 }] })] },
    'degraded',
    /^The certificate prudential of GAS of the poller expires in 13 days: renew/,
  ],
  [
    'an app without an address',
    { hops: [hop('poller', { state: 'not-configured', detail: 'POLLER_URLS is not set.' })] },
    'degraded',
    /^POLLER_URLS is not set, so the API does not see the poller/,
  ],
])('%s', (_, changes, state, summary) => {
  expect(read(changes)).toEqual({ state, summary: expect.stringMatching(summary) });
});

it('names the worst first, and how many follow', () => {
  const { state, summary } = read({
    hops: [hop('poller', { faults: [FAULT] })],
    queue: { ...QUEUE, deadLetters: 3, oldestWaitingSeconds: 90 },
  });
  expect([state, summary]).toEqual([
    'failing',
    '3 events could not be published: read the reasons in /v1/dead-letters, correct them, and retry (2 further findings).',
  ]);
});

const DISABLED = {
  sink: 'treasury',
  disabledAt: new Date(0),
  disabledBy: 'developer',
  disabledReason: 'ERP down',
  pending: 0,
  parked: 0,
};

it('has one finding of a disabled sink, before other faults', () => {
  const openProblems = { ...ARCHIVE.openProblems, warning: 1, disabledSinkWarnings: 1 };
  const faultOf = (sink: string) => ({
    ...FAULT,
    reason: 'sink-disabled',
    participant: '*',
    interface: sink,
  });
  const found = findWrong({
    ...WELL,
    hops: [hop('subscriber', { faults: [faultOf('treasury'), faultOf('former')] })],
    archive: { ...ARCHIVE, openProblems, sinks: [DISABLED] },
  });
  expect(found.map(({ text }) => text)).toEqual([
    'Sink treasury is disabled (ERP down, by developer): busbridge sinks enable treasury.',
    expect.stringContaining('The subscriber reports sink-disabled'),
  ]);
});

it('names at most three disabled sinks, and counts the others', () => {
  const find = (...names: string[]): readonly string[] =>
    findWrong({
      ...WELL,
      archive: { ...ARCHIVE, sinks: names.map((sink) => ({ ...DISABLED, sink })) },
    }).map(({ text }) => text);
  expect(find('a', 'b', 'c')).toHaveLength(3);
  expect(find('a', 'b', 'c', 'd').slice(2)).toEqual([
    expect.stringMatching(/^Sink c is disabled/),
    '1 more sink is disabled: busbridge sinks list.',
  ]);
  expect(find('a', 'b', 'c', 'd', 'e').at(-1)).toBe('2 more sinks are disabled: busbridge sinks list.');
});
