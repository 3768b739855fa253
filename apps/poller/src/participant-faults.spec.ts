import { ParticipantFaults } from './participant-faults.js';
import { UnusableAnswerError } from './poll-failures.js';

const PARTICIPANT = 'ALPHA';
const REASONS = [
  'certificate-expired',
  'certificate-refused',
  'facts-left-out',
  'operator-answer-unusable',
  'operator-throttles',
  'poll-overdue',
  'token-refused',
];

let calls: string[];
let now: Date;
let isNamed: boolean;
let faults: ParticipantFaults;

beforeEach(() => {
  calls = [];
  isNamed = true;
  now = new Date('2026-03-01T00:00:00Z');
  faults = new ParticipantFaults({
    participant: PARTICIPANT,
    reporter,
    connection: () => ({ secure: false, certificate: undefined }),
    overdueAfterMs: { prudential: 1_000, settlement: 1_000 },
    isNamed: () => isNamed,
    now: () => now,
  });
  faults.leaseAcquired();
});

const reporter = {
  raise: ({ reason }: { reason: string }): void => void calls.push(`raise ${reason}`),
  clear: ({ reason }: { reason: string }): void => void calls.push(`clear ${reason}`),
  forget: ({ reason }: { reason: string }): void => void calls.push(`forget ${reason}`),
};

function succeed(): void {
  faults.pollSucceeded('prudential', []);
  faults.pollSucceeded('settlement', []);
}

it('the end of a fault that an earlier replica may have reported is reported once', () => {
  for (let round = 0; round < 3; round += 1) succeed();
  expect(calls.sort()).toEqual(REASONS.map((reason) => `clear ${reason}`));
});

it('the end of a fault is reported once after each beginning, and by each replica that acquires the lease', () => {
  succeed();
  calls = [];
  now = new Date(now.getTime() + 2_000);
  faults.check();
  succeed();
  succeed();
  expect(calls).toEqual(['raise poll-overdue', 'raise poll-overdue', 'clear poll-overdue']);
  faults.leaseLost();
  calls = [];
  faults.leaseAcquired();
  succeed();
  expect(calls.sort()).toEqual(REASONS.map((reason) => `clear ${reason}`));
});

it('what bounds leave out is reported until a poll leaves out nothing, also while polls fail', () => {
  succeed();
  calls = [];
  faults.pollSucceeded('settlement', [], undefined, [
    'timeline: 1 runs of the timeline left out, 20000 kept',
  ]);
  faults.pollFailed('settlement', [new UnusableAnswerError('the timeline', 'data')]);
  expect(calls.filter((call) => call.includes('facts-left-out'))).toEqual([
    'raise facts-left-out',
    'raise facts-left-out',
  ]);
  succeed();
  expect(calls.at(-2)).toBe('clear operator-answer-unusable');
  expect(calls.at(-1)).toBe('clear facts-left-out');
});

it('nothing is reported while the file does not name the participant', () => {
  calls = [];
  isNamed = false;
  now = new Date(now.getTime() + 2_000);
  faults.check();
  expect(calls).toEqual([]);
  isNamed = true;
  faults.check();
  expect(calls).toEqual(['raise poll-overdue']);
});

it('the faults of a participant that was removed are reported no more, and their ends are not repeated', () => {
  calls = [];
  faults.end();
  expect(calls.sort()).toEqual(REASONS.map((reason) => `forget ${reason}`));
  calls = [];
  faults.leaseLost();
  faults.leaseAcquired();
  now = new Date(now.getTime() + 2_000);
  faults.check();
  expect([calls, faults.held()]).toEqual([[], []]);
});

describe('an operator that requests a pause', () => {
  const throttling = (isLong: boolean) => ({ isLong, detail: 'the operator responds 429' });

  it('of long is a fault at once, until requests succeed again', () => {
    succeed();
    calls = [];
    faults.pollFailed('prudential', [new Error('429')], throttling(true));
    faults.pollFailed('prudential', [new Error('no response')]);
    expect(new Set(calls)).toEqual(new Set(['raise operator-throttles']));
    calls = [];
    succeed();
    expect(calls).toEqual(['clear operator-throttles']);
  });

  it('of short is a fault with the second poll in a row, also when other requests succeed', () => {
    succeed();
    calls = [];
    faults.pollSucceeded('settlement', [], throttling(false));
    expect(calls).toEqual([]);
    faults.pollThrottled('settlement', throttling(false));
    expect(calls).toEqual(['raise operator-throttles']);
  });
});
