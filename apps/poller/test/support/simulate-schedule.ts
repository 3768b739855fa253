import { addDays, toInstant, toMarketDate, type MarketDate } from '@ssb/market';
import {
  type Publication,
  type RequestReason,
  REQUEST_REASONS,
  dueFrom,
  nextRequestAt,
  publicationKey,
  reasonAt,
  type ScheduledRun,
} from '../../src/detection/schedule/publication.js';
import { requestsDue } from '../../src/detection/schedule/requests-due.js';
import type { Schedule } from '../../src/detection/schedule/schedule-settings.js';
import { nextTimelineAt } from '../../src/detection/schedule/timeline-due.js';

export interface SimulationOptions {
  readonly schedule: Schedule;
  /** The runs that the timeline lists on a day. */
  readonly runsOn: (today: MarketDate) => readonly ScheduledRun[];
  /** When the operator publishes it; undefined for never. */
  readonly publishedAt: (publication: Pick<Publication, 'resource' | 'run'>) => Date | undefined;
  readonly from: MarketDate;
  readonly days: number;
}

export type RequestCounts = Readonly<
  Record<RequestReason | 'timeline' | 'all' | 'maxPerFiveMinutes', number>
>;

export interface SimulatedSchedule {
  /** By market day. The first day includes what is requested after a start without a state. */
  readonly counts: ReadonlyMap<MarketDate, RequestCounts>;
  /** From the publication to the request that found it, milliseconds. What is due counts from its market day at the earliest. */
  readonly delays: readonly {
    readonly publication: Publication;
    readonly reason: RequestReason;
    readonly ms: number;
  }[];
}

const FIVE_MINUTES_MS = 5 * 60_000;

/** Plays a schedule with immediate responses, from a start at which everything that was due earlier is seen. */
export function simulateSchedule(options: SimulationOptions): SimulatedSchedule {
  const { schedule, runsOn, publishedAt } = options;
  const start = toInstant(options.from).getTime();
  const end = toInstant(addDays(options.from, options.days)).getTime();
  const requests: { readonly at: number; readonly reason: RequestReason | 'timeline' }[] = [];
  const delays: SimulatedSchedule['delays'][number][] = [];
  const known = new Map<string, Publication>();
  let publications: Publication[] = [];
  /** When each publication is requested next, in the order of `publications`. It changes only with a request. */
  let nextAt: number[] = [];
  let timelineNext = new Date(start);

  function readTimeline(now: Date): void {
    requests.push({ at: now.getTime(), reason: 'timeline' });
    publications = runsOn(toMarketDate(now)).flatMap((run) =>
      (['statement', 'invoice'] as const).map((resource) => {
        const created: Publication = { resource, run, seenSince: undefined, lastRequestedAt: undefined };
        return known.get(publicationKey(created)) ?? (now.getTime() === start ? startWith(created) : created);
      }),
    );
  }

  function startWith(publication: Publication): Publication {
    const at = publishedAt(publication);
    if (at === undefined || at.getTime() >= start) return publication;
    return { ...publication, seenSince: at };
  }

  function request(publication: Publication, now: Date): void {
    const reason = reasonAt(publication, schedule, now) ?? 'recheck';
    requests.push({ at: now.getTime(), reason });
    const at = publishedAt(publication);
    const isFound = publication.seenSince === undefined && at !== undefined && at <= now;
    if (isFound) {
      const from = reason === 'due' ? Math.max(at.getTime(), dueFrom(publication)) : at.getTime();
      delays.push({ publication, reason, ms: now.getTime() - from });
    }
    const seenSince = isFound ? at : publication.seenSince;
    known.set(publicationKey(publication), { ...publication, seenSince, lastRequestedAt: now });
  }

  for (let now = new Date(start); now.getTime() < end;) {
    const time = now;
    const nextOf = (each: Publication): number => nextRequestAt(each, schedule, time) ?? Infinity;
    if (timelineNext <= now) {
      readTimeline(now);
      timelineNext = nextTimelineAt(now, schedule, runsOf(publications), now);
      nextAt = publications.map(nextOf);
    }
    const due = nextAt.flatMap((at, index) => (at <= time.getTime() ? [index] : []));
    const candidates = due.flatMap((index) => publications[index] ?? []);
    for (const publication of requestsDue(candidates, schedule, now)) request(publication, now);
    candidates.forEach((before, place) => {
      const index = due[place] ?? -1;
      const each = known.get(publicationKey(before)) ?? before;
      publications[index] = each;
      nextAt[index] = nextOf(each);
    });
    const next = nextAt.reduce((first, at) => Math.min(first, at), timelineNext.getTime());
    // The poller looks at most once a second.
    now = new Date(Math.max(now.getTime() + 1_000, next));
  }
  return { counts: countByDay(requests), delays };
}

function runsOf(publications: readonly Publication[]): ScheduledRun[] {
  return publications.map(({ run }) => run);
}

function countByDay(
  requests: readonly { readonly at: number; readonly reason: RequestReason | 'timeline' }[],
): ReadonlyMap<MarketDate, RequestCounts> {
  const days = new Map<MarketDate, { at: number; reason: RequestReason | 'timeline' }[]>();
  for (const each of requests) {
    const day = toMarketDate(new Date(each.at));
    const own = days.get(day) ?? [];
    own.push(each);
    days.set(day, own);
  }
  return new Map(
    [...days].map(([day, own]) => {
      const count = (reason: RequestReason | 'timeline'): number =>
        own.filter((each) => each.reason === reason).length;
      const byReason = Object.fromEntries(REQUEST_REASONS.map((reason) => [reason, count(reason)]));
      return [
        day,
        {
          ...(byReason as Record<RequestReason, number>),
          timeline: count('timeline'),
          all: own.length,
          maxPerFiveMinutes: maxWithin(
            own.map(({ at }) => at),
            FIVE_MINUTES_MS,
          ),
        },
      ];
    }),
  );
}

/** The largest number of these ascending times within any window of this length. */
function maxWithin(times: readonly number[], ms: number): number {
  let first = 0;
  return times.reduce((max, time, index) => {
    while ((times[first] ?? time) <= time - ms) first += 1;
    return Math.max(max, index - first + 1);
  }, 0);
}
