import { parseMarketDateTime, type Designation } from '@ssb/market';
import type { Publication } from './publication.js';
import { requestsDue } from './requests-due.js';
import { DEFAULT_SCHEDULE, type Schedule } from './schedule-settings.js';

const SCHEDULE: Schedule = { participant: 'PART1', settings: DEFAULT_SCHEDULE };
const NOW = at('2026-03-12T12:00:00');

function at(marketTime: string): Date {
  return new Date(`${marketTime}+08:00`);
}

interface Row {
  readonly resource?: 'statement' | 'invoice';
  readonly designation?: Designation;
  readonly commencement?: string;
  /** Day of March on which it is due. */
  readonly day: number;
  readonly seenAt?: string;
  readonly last?: string;
  readonly failures?: number;
}

function publication({
  resource = 'statement',
  designation = 'INITIAL',
  commencement,
  day,
  seenAt,
  last,
  failures,
}: Row): Publication {
  const date = parseMarketDateTime(`2026-03-${String(day).padStart(2, '0')}T00:00:00`);
  return {
    resource,
    run: {
      marketService: 'WEM',
      periodFrom: parseMarketDateTime('2026-02-22T00:00:00'),
      periodTo: parseMarketDateTime('2026-02-28T00:00:00'),
      designation,
      commencementDate: parseMarketDateTime(commencement ?? '2026-03-02T00:00:00'),
      statementDate: date,
      invoiceDate: date,
    },
    seenSince: seenAt === undefined ? undefined : at(seenAt),
    lastRequestedAt: last === undefined ? undefined : at(last),
    failures,
  };
}

const EARLY = publication({ day: 30, commencement: '2026-03-25T00:00:00', last: '2026-03-01T00:00:00' });
const COMMENCED = publication({ day: 13, last: '2026-03-12T10:00:00' });
const LONG_OVERDUE = publication({ day: 2, last: '2026-03-12T10:00:00' });
const RECHECK_ROW: Row = { day: 10, seenAt: '2026-03-12T08:00:00', last: '2026-03-12T09:00:00' };
const RECHECK = publication(RECHECK_ROW);
const DUE = publication({ day: 12, last: '2026-03-12T11:59:00' });
const DUE_INVOICE = publication({ day: 12, resource: 'invoice', last: '2026-03-12T11:59:00' });
const DUE_LONGER_AGO = publication({ day: 12, designation: 'ADJ1', last: '2026-03-12T11:58:00' });
const DUE_NEVER = publication({ day: 12, resource: 'invoice', designation: 'ADJ2' });
const DUE_FAILED = publication({ day: 12, designation: 'ADJ2', last: '2026-03-12T11:59:00', failures: 9 });
const FAILED = publication({ day: 13, last: '2026-03-12T10:00:00', failures: 1 });
const FAILED_RECHECK = publication({ ...RECHECK_ROW, failures: 3 });
const NOT_YET = publication({ day: 12, designation: 'ADJ3', last: '2026-03-12T11:59:50' });

it.each<[string, Publication[], Publication[]]>([
  ['nothing', [], []],
  ['what was requested just now is not due', [NOT_YET], []],
  [
    'by urgency',
    [RECHECK, EARLY, COMMENCED, LONG_OVERDUE, DUE],
    [DUE, LONG_OVERDUE, COMMENCED, EARLY, RECHECK],
  ],
  [
    'what failed last, unless it is due',
    [FAILED, FAILED_RECHECK, RECHECK, DUE_FAILED, EARLY],
    [DUE_FAILED, EARLY, RECHECK, FAILED, FAILED_RECHECK],
  ],
  [
    'the least recently requested first, then statements',
    [DUE_INVOICE, DUE, DUE_LONGER_AGO, NOT_YET, DUE_NEVER],
    [DUE_NEVER, DUE_LONGER_AGO, DUE, DUE_INVOICE],
  ],
])('the requests of now: %s', (_, publications, expected) => {
  expect(requestsDue(publications, SCHEDULE, NOW)).toEqual(expected);
  expect(requestsDue([...publications].reverse(), SCHEDULE, NOW)).toEqual(expected);
});
