import { headroomAbove, resolveMarginThresholds } from '@ssb/config';
import type { MarginLevel } from '@ssb/events';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '@ssb/platform';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { ParticipantSettings } from '../configuration/participant-settings.js';
import { presentMembers } from '../database/present-members.js';
import { toPage, type Page } from '../http/page.js';
import { chooseBuckets } from './bucket-width.js';
import {
  MAX_RANGE_DAYS,
  type MarginThresholds,
  type ParticipantPosition,
  type PositionsQuery,
  type PresentPosition,
} from './position-dto.js';
import { PositionQueries, type NewestMargin, type NewestPosition } from './position-queries.js';
import { SeriesQueries } from './series-queries.js';

/** Participants of a page at most, because each has two series (decision 92). */
export const MAX_PARTICIPANTS = 2;
const DAY_MS = 86_400_000;
const EARLIEST = Date.parse('1970-01-02T00:00:00Z');
const LATEST = Date.parse('9000-01-01T00:00:00Z');

/** The positions of participants: the present one, and the series before it. */
@Injectable()
export class Positions {
  constructor(
    private readonly queries: PositionQueries,
    private readonly series: SeriesQueries,
    private readonly settings: ParticipantSettings,
  ) {}

  /** @throws InvalidRequestError */
  async list(caller: Caller, query: PositionsQuery, now: Date): Promise<Page<ParticipantPosition>> {
    const range = rangeOf(query, now);
    const limit = Math.min(query.limit, MAX_PARTICIPANTS);
    const found = await this.queries.findParticipants(
      visibleParticipants(caller, query.participant),
      query.cursor ?? '',
      limit + 1,
    );
    const { items, next } = toPage(found, limit, (code) => code);
    if (items.length === 0) return { items: [] };
    const buckets = chooseBuckets(range.since, range.until, query.points, items.length);
    const [newest, forecasts, leftOut, series] = await Promise.all([
      this.queries.readNewest(items),
      this.queries.readForecasts(items),
      this.queries.countUnread(items),
      this.series.read(items, buckets),
    ]);
    const { widthMs, since, until } = buckets;
    const positions = items.map((participant): ParticipantPosition => {
      const latest = newest.get(participant);
      const unread = leftOut.get(participant);
      return {
        participant,
        ...(latest && { latest: this.describe(participant, latest) }),
        forecasts: forecasts.get(participant) ?? [],
        bucketSeconds: widthMs / 1_000,
        since,
        until,
        calculated: series.of(participant, false),
        forecast: series.of(participant, true),
        ...(unread !== undefined && { leftOut: unread }),
      };
    });
    return next === undefined ? { items: positions } : { items: positions, next };
  }

  private describe(participant: string, { margin, ...figures }: NewestPosition): PresentPosition {
    const { tradingMargin } = figures;
    const thresholds = margin?.thresholds ?? this.configured(participant, figures.tradingLimit);
    const headroom = thresholds && tradingMargin !== null && headroomOf(thresholds, tradingMargin);
    const level = margin?.level ?? (headroom ? levelOf(headroom) : undefined);
    return {
      ...presentMembers(figures),
      ...(level && { level }),
      ...(thresholds && {
        thresholds: {
          source: margin === null ? 'configuration' : 'event',
          warning: thresholds.warning,
          breach: thresholds.breach,
          ...headroom,
        },
      }),
    };
  }

  private configured(
    participant: string,
    tradingLimit: string | null,
  ): NewestMargin['thresholds'] | undefined {
    const settings = this.settings.find(participant);
    return settings && resolveMarginThresholds(settings.margin, tradingLimit ?? undefined);
  }
}

type Headroom = Required<Pick<MarginThresholds, 'headroomToWarning' | 'headroomToBreach'>>;

function headroomOf(
  { warning, breach }: NewestMargin['thresholds'],
  tradingMargin: string,
): Headroom | undefined {
  const headroomToWarning = headroomAbove(warning, tradingMargin);
  const headroomToBreach = headroomAbove(breach, tradingMargin);
  return headroomToWarning === undefined || headroomToBreach === undefined
    ? undefined
    : { headroomToWarning, headroomToBreach };
}

/** The level of a participant without a margin event. */
function levelOf({ headroomToWarning, headroomToBreach }: Headroom): MarginLevel {
  if (headroomToBreach.startsWith('-')) return 'BREACHED';
  return headroomToWarning.startsWith('-') ? 'WARNING' : 'OK';
}

/** @throws InvalidRequestError */
function rangeOf(
  { since, until }: PositionsQuery,
  now: Date,
): { readonly since: Date; readonly until: Date } {
  const end = until ?? now;
  const begin = since ?? new Date(end.getTime() - DAY_MS);
  const range = end.getTime() - begin.getTime();
  if (range <= 0 || range > MAX_RANGE_DAYS * DAY_MS)
    throw new InvalidRequestError([
      { path: 'since', message: `since must be before until, by at most ${MAX_RANGE_DAYS} days` },
    ]);
  if (begin.getTime() < EARLIEST || end.getTime() > LATEST)
    throw new InvalidRequestError([{ path: 'since', message: 'since and until must be from 1970 to 8999' }]);
  return { since: begin, until: end };
}
