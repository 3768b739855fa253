import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import { presentMembers } from '../database/present-members.js';
import type { Buckets, BucketSource } from './bucket-width.js';
import type { MarginBucket } from './position-dto.js';

/** Rows with the same columns: a summary of an hour or a day, or one calculation. */
const SOURCES: Readonly<Record<BucketSource, string>> = {
  days: 'SELECT *, starts_at AS at FROM calculation_summary WHERE hours = 24',
  hours: 'SELECT *, starts_at AS at FROM calculation_summary WHERE hours = 1',
  calculations: `SELECT participant, is_forecast, calculated_at AS at, archive_offset, 1 AS calculations,
      calculated_at AS first_at, trading_margin AS first_margin, outstanding_amount AS first_outstanding,
      calculated_at AS last_at, trading_margin AS last_margin, outstanding_amount AS last_outstanding,
      trading_margin AS min_margin, calculated_at AS min_at, trading_margin AS max_margin, calculated_at AS max_at
    FROM calculation WHERE trading_margin IS NOT NULL`,
};

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type BucketFigures = Omit<MarginBucket, 'firstOutstandingAmount' | 'lastOutstandingAmount'>;

interface BucketRow extends Writable<BucketFigures> {
  readonly firstOutstandingAmount: string | null;
  readonly lastOutstandingAmount: string | null;
  readonly participant: string;
  readonly isForecast: boolean;
}

/** The series of a page. */
export class Series {
  private readonly buckets = new Map<string, MarginBucket[]>();

  constructor(rows: readonly BucketRow[]) {
    for (const { participant, isForecast, ...bucket } of rows) {
      const key = JSON.stringify([participant, isForecast]);
      const series = this.buckets.get(key) ?? [];
      for (const name of TIMES) bucket[name] = toTime(bucket[name]);
      series.push(presentMembers(bucket));
      this.buckets.set(key, series);
    }
  }

  of(participant: string, isForecast: boolean): readonly MarginBucket[] {
    return this.buckets.get(JSON.stringify([participant, isForecast])) ?? [];
  }
}

/** Reads series of calculations, reduced to buckets. */
@Injectable()
export class SeriesQueries {
  constructor(private readonly database: Database) {}

  async read(codes: readonly string[], { widthMs, source, since, until }: Buckets): Promise<Series> {
    const isSummary = SOURCE_MS[source] === widthMs;
    return new Series(
      await this.database.query<BucketRow>(
        `SELECT participant, is_forecast AS "isForecast", ${isSummary ? columnsOfSummary() : columnsOfGroup(source)}
         FROM (${SOURCES[source]}) AS source
         WHERE participant = ANY ($1::text[]) AND at >= $2 AND at < $3
         ${isSummary ? '' : 'GROUP BY participant, is_forecast, date_bin(make_interval(secs => $4), at, $2)'} ORDER BY participant, is_forecast, "from"`,
        [codes, since, until, ...(isSummary ? [] : [widthMs / 1_000])],
      ),
    );
  }
}

const SOURCE_MS: Readonly<Record<BucketSource, number>> = {
  calculations: 0,
  hours: 3_600_000,
  days: 86_400_000,
};

/** SQL: a time of UTC without its zone, which is a text for the client. */
const toText = (time: string): string => `(${time}) AT TIME ZONE 'UTC'`;

const TIMES = ['from', 'firstAt', 'lastAt', 'minimumAt', 'maximumAt'] as const;

/** @param text as in `2026-11-30 08:00:00.25`, of UTC */
const toTime = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z`;

/** SQL: a bucket that is one summary. */
const columnsOfSummary = (): string => `${toText('at')} AS "from", calculations,
  first_margin AS first, ${toText('first_at')} AS "firstAt", last_margin AS last, ${toText('last_at')} AS "lastAt",
  min_margin AS minimum, ${toText('min_at')} AS "minimumAt", max_margin AS maximum, ${toText('max_at')} AS "maximumAt",
  first_outstanding AS "firstOutstandingAmount", last_outstanding AS "lastOutstandingAmount"`;

/** SQL: a bucket of several rows. */
function columnsOfGroup(source: BucketSource): string {
  const order = source === 'calculations' ? ', archive_offset' : '';
  const first = (column: string, by: string): string => `(array_agg(${column} ORDER BY ${by}))[1]`;
  const earliest = `first_at${order}`;
  const latest = `last_at DESC${order === '' ? '' : `${order} DESC`}`;
  return `${toText('date_bin(make_interval(secs => $4), at, $2)')} AS "from", sum(calculations)::integer AS calculations,
    ${first('first_margin', earliest)} AS first, ${toText('min(first_at)')} AS "firstAt",
    ${first('last_margin', latest)} AS last, ${toText('max(last_at)')} AS "lastAt",
    min(min_margin) AS minimum, ${toText(first('min_at', 'min_margin, min_at'))} AS "minimumAt",
    max(max_margin) AS maximum, ${toText(first('max_at', 'max_margin DESC, max_at'))} AS "maximumAt",
    ${first('first_outstanding', earliest)} AS "firstOutstandingAmount",
    ${first('last_outstanding', latest)} AS "lastOutstandingAmount"`;
}
