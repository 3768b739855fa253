import type { AlertTopic } from '@ssb/events';
import { waitFor } from '@ssb/testing/in-process';
import { MalformedResponseError, ReportingForbiddenError } from '@ssb/market';
import type { Connection } from './failure-classification.js';
import { ParticipantFaults } from './participant-faults.js';
import { UnusableResponseError } from '../polls/poll-failures.js';

const PARTICIPANT = 'ALPHA';
const UNUSABLE = 'operator-response-unusable';
const malformed = new MalformedResponseError('GET /x', [{ path: 'data', message: 'x' }]);

let calls: string[];
let now: Date;
let isNamed: boolean;
let saved: AlertTopic[];
let reads: number;
let faults: ParticipantFaults;
let connection: Connection;

interface Topic {
  readonly reason: string;
  readonly interface?: string;
  readonly document?: string;
}

const record = (call: string) => (topic: Topic) =>
  void calls.push([call, topic.reason, topic.interface, topic.document].filter(Boolean).join(' '));
const reporter = { raise: record('raise'), clear: record('clear'), forget: record('forget') };

beforeEach(() => {
  calls = [];
  saved = [];
  reads = 0;
  isNamed = true;
  connection = { secure: false, certificate: undefined };
  now = new Date('2026-03-01T00:00:00Z');
  faults = new ParticipantFaults({
    participant: PARTICIPANT,
    reporter,
    connection: () => connection,
    overdueAfterMs: { prudential: 1_000, settlement: 1_000 },
    isNamed: () => isNamed,
    listLastingTopics: async () => {
      reads += 1;
      return saved;
    },
    onReadFailure: () => undefined,
    now: () => now,
  });
});

const topicOf = (name?: string, document?: string, reason: AlertTopic['reason'] = UNUSABLE): AlertTopic => ({
  app: 'poller',
  reason,
  participant: PARTICIPANT,
  interface: name,
  document,
});

function succeed(
  name: 'prudential' | 'settlement',
  documents: readonly string[] = [],
  isReadable = (_: string) => true,
) {
  const unusable = documents.map((document) => ({ document, detail: 'x' }));
  faults.pollSucceeded(name, { unusable, isReadable, leftOut: [] });
}

const taken = (): string[] => calls.splice(0);

it('a fault of one interface or document hides no other, and each ends by itself', () => {
  faults.leaseAcquired();
  succeed('settlement', ['timeline']);
  expect(taken()).toEqual([`raise ${UNUSABLE} settlement timeline`]);
  succeed('prudential', ['calculation 1']);
  expect(taken()).toContain(`raise ${UNUSABLE} prudential calculation 1`);
  succeed('prudential', ['calculation 1', 'calculation 2']);
  expect(taken()).toContain(`raise ${UNUSABLE} prudential calculation 2`);
  succeed('prudential', ['calculation 2']);
  expect(taken().filter((call) => call.startsWith('clear'))).toEqual([
    `clear ${UNUSABLE} prudential calculation 1`,
  ]);
  faults.pollFailed('prudential', [malformed]);
  expect(taken()).toEqual([
    `raise ${UNUSABLE} prudential`,
    `raise ${UNUSABLE} prudential calculation 2`,
    `raise ${UNUSABLE} settlement timeline`,
  ]);
  succeed('prudential');
  expect(taken().filter((call) => call.startsWith('clear'))).toEqual([
    `clear ${UNUSABLE} prudential calculation 2`,
    `clear ${UNUSABLE} prudential`,
  ]);
});

it('a fault that an earlier leader reported ends once this replica has seen its end', async () => {
  saved = [
    topicOf('settlement', 'statement 1'),
    topicOf('settlement', 'statement 2'),
    topicOf('prudential', 'calculation 1'),
    topicOf('prudential', undefined, 'poll-overdue'),
    { ...topicOf('prudential'), participant: 'BETA' },
  ];
  faults.leaseAcquired();
  await waitFor('the saved faults', () => reads === 1);
  succeed('settlement', [], (document) => document === 'statement 1');
  expect(taken()).toEqual([`clear ${UNUSABLE} settlement statement 1`]);
  succeed('prudential', ['calculation 1']);
  expect(taken()).toEqual([`raise ${UNUSABLE} prudential calculation 1`, 'clear poll-overdue prudential']);
  succeed('settlement');
  expect(taken()).toContain(`clear ${UNUSABLE} settlement statement 2`);
});

it('the end of a fault is reported once after each beginning', () => {
  faults.leaseAcquired();
  succeed('prudential');
  succeed('settlement');
  now = new Date(now.getTime() + 2_000);
  faults.check();
  succeed('prudential');
  succeed('prudential');
  succeed('settlement');
  expect(taken()).toEqual([
    'raise poll-overdue prudential',
    'raise poll-overdue settlement',
    'raise poll-overdue settlement',
    'clear poll-overdue prudential',
    'raise poll-overdue settlement',
    'clear poll-overdue settlement',
  ]);
});

it('what bounds leave out is reported until a poll leaves out nothing, also while polls fail', () => {
  const leftOut = ['timeline: 1 runs of the timeline left out, 20000 kept'];
  faults.leaseAcquired();
  faults.showBackfill([]);
  faults.pollSucceeded('settlement', { unusable: [], isReadable: () => true, leftOut });
  expect(taken()).toEqual(['raise facts-left-out settlement']);
  faults.pollFailed('settlement', [new UnusableResponseError('the timeline', 'data')]);
  expect(taken()).toEqual([`raise ${UNUSABLE} settlement`, 'raise facts-left-out settlement']);
  succeed('settlement');
  expect(taken().sort()).toEqual(['clear facts-left-out settlement', `clear ${UNUSABLE} settlement`]);
});

it('documents of a poll without a usable response are reported, and the interface becomes overdue', () => {
  const failures = [new UnusableResponseError('statement 1', 'data')];
  faults.leaseAcquired();
  succeed('prudential');
  succeed('settlement');
  taken();
  const unusable = [{ document: 'statement 1', detail: 'data' }];
  const poll = { failures, unusable, isReadable: () => true, leftOut: [] };
  faults.pollUndecided('settlement', poll, undefined);
  expect(taken()).toEqual([`raise ${UNUSABLE} settlement statement 1`]);
  now = new Date(now.getTime() + 2_000);
  succeed('prudential');
  faults.pollUndecided('settlement', { ...poll, unusable: [] }, undefined);
  expect(taken().slice(-2)).toEqual([
    'raise poll-overdue settlement',
    `clear ${UNUSABLE} settlement statement 1`,
  ]);
});

it('a response that cannot be used ends a refusal of access, also one that an earlier leader reported', async () => {
  saved = [
    topicOf('prudential', undefined, 'certificate-refused'),
    topicOf('prudential', undefined, 'poll-overdue'),
  ];
  faults.leaseAcquired();
  await waitFor('the saved faults', () => reads === 1);
  faults.pollFailed('prudential', [new ReportingForbiddenError('operation 1', 403)]);
  expect(taken()).toEqual(['raise token-refused prudential']);
  const failures = [new UnusableResponseError('calculation 1', 'data')];
  const poll = { failures, unusable: [], isReadable: () => true, leftOut: [] };
  faults.pollUndecided('prudential', poll, undefined);
  expect(taken().sort()).toEqual(['clear certificate-refused prudential', 'clear token-refused prudential']);
});

it('what an earlier leader reported as left out of a backfill lasts until this replica has read the backfill', async () => {
  const topic = topicOf('settlement', undefined, 'facts-left-out');
  const leftOut = ['backfill: 1 bytes of the full record left out, 0 kept'];
  saved = [topic];
  faults.leaseAcquired();
  await waitFor('the saved faults', () => reads === 1);
  succeed('settlement');
  expect(taken()).toEqual([]);
  faults.showBackfill(leftOut);
  expect(taken()).toEqual(['raise facts-left-out settlement']);
  faults.showBackfill([]);
  expect(taken()).toEqual(['clear facts-left-out settlement']);
});

it('nothing is reported while the file does not name the participant', () => {
  faults.leaseAcquired();
  isNamed = false;
  now = new Date(now.getTime() + 2_000);
  faults.check();
  expect(taken()).toEqual([]);
  isNamed = true;
  faults.check();
  expect(taken()).toEqual(['raise poll-overdue prudential', 'raise poll-overdue settlement']);
});

it('the faults of a participant that was removed are reported no more, and their ends are not repeated', () => {
  faults.leaseAcquired();
  succeed('prudential', ['calculation 1']);
  taken();
  faults.end();
  expect(taken()).toEqual([`forget ${UNUSABLE} prudential calculation 1`]);
  faults.leaseLost();
  faults.leaseAcquired();
  now = new Date(now.getTime() + 2_000);
  faults.check();
  expect([taken(), faults.held()]).toEqual([[], []]);
});

it('a certificate that expires while the polls succeed is a fault until it is renewed', () => {
  const certificate = { file: 'client.crt', commonName: 'ALPHA', expiresAt: new Date(now.getTime() + 500) };
  connection = { secure: true, certificate };
  faults.leaseAcquired();
  expect(taken()).toEqual([]);
  now = new Date(now.getTime() + 501);
  faults.check();
  const EXPIRED = ['prudential', 'token', 'settlement'].map((name) => `certificate-expired ${name}`);
  expect(taken()).toEqual(EXPIRED.map((each) => `raise ${each}`));
  connection = { secure: true, certificate: { ...certificate, expiresAt: new Date(now.getTime() + 60_000) } };
  faults.check();
  expect(taken()).toEqual(EXPIRED.map((each) => `clear ${each}`));
});

describe('an operator that requests a pause', () => {
  const throttling = (isLong: boolean) => ({ isLong, detail: 'the operator responds 429' });
  const usable = { unusable: [], isReadable: () => true, leftOut: [] };

  beforeEach(() => {
    faults.leaseAcquired();
    succeed('prudential');
    succeed('settlement');
    taken();
  });

  it('of long is a fault at once, until requests succeed again', () => {
    faults.pollFailed('prudential', [new Error('429')], throttling(true));
    faults.pollFailed('prudential', [new Error('no response')]);
    expect(new Set(taken())).toEqual(new Set(['raise operator-throttles prudential']));
    succeed('prudential');
    expect(taken()).toEqual(['clear operator-throttles prudential']);
  });

  it('of short is a fault with the second poll in a row, also when other requests succeed', () => {
    faults.pollSucceeded('settlement', usable, throttling(false));
    expect(taken()).toEqual([]);
    faults.pollUndecided('settlement', { ...usable, failures: [new Error('429')] }, throttling(false));
    expect(taken()).toEqual(['raise operator-throttles settlement']);
  });
});
