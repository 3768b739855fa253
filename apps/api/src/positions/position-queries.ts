import { Injectable } from '@nestjs/common';
import { MAX_HORIZON_DAYS } from '@ssb/config';
import type { MarginLevel, PositionFigure } from '@ssb/events';
import { Database } from '@ssb/postgres';
import { presentMembers } from '../database/present-members.js';
import { NEWEST_MARGIN } from './newest-margin.js';
import type { ForecastPosition } from './position-dto.js';

/** The newest margin event of a participant. */
export interface NewestMargin {
  readonly level: MarginLevel;
  readonly thresholds: { readonly warning: string; readonly breach: string };
}

export type NewestPosition = Readonly<Record<PositionFigure, string | null>> & {
  readonly eventId: string;
  readonly tradingDay: string;
  readonly calculatedAt: Date;
  readonly margin: NewestMargin | null;
};

const FIGURES = `prepayment, invoice_not_paid AS "invoiceNotPaid", cumulative_estimated_exposure AS "cumulativeEstimatedExposure",
  outstanding_amount AS "outstandingAmount", credit_support AS "creditSupport", credit_limit AS "creditLimit", trading_limit AS "tradingLimit",
  trading_margin AS "tradingMargin"`;

interface ForecastRow extends Omit<ForecastPosition, 'tradingMargin' | 'outstandingAmount'> {
  readonly code: string;
  readonly tradingMargin: string | null;
  readonly outstandingAmount: string | null;
}

/** Each uses an index for each participant, so that its time does not depend on the number of calculations. */
const NEWEST_ACTUAL = `SELECT * FROM calculation WHERE participant = code AND NOT is_forecast
  ORDER BY calculated_at DESC, archive_offset DESC LIMIT 1`;

/** Reads what is known about the present position. */
@Injectable()
export class PositionQueries {
  constructor(private readonly database: Database) {}

  /** Participants with a calculation, by code. @param codes those that may be shown; undefined for all @param after shows nothing of others */
  async findParticipants(
    codes: readonly string[] | undefined,
    after: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ code: string }>(
      codes === undefined
        ? `WITH RECURSIVE found (code) AS (
             (SELECT participant FROM calculation WHERE participant > $1 ORDER BY participant LIMIT 1)
             UNION ALL
             SELECT (SELECT participant FROM calculation WHERE participant > code ORDER BY participant LIMIT 1) FROM found WHERE code IS NOT NULL
           ) SELECT code FROM found WHERE code IS NOT NULL LIMIT $2`
        : `SELECT DISTINCT code FROM unnest($3::text[]) AS code
           WHERE code > $1 AND EXISTS (SELECT FROM calculation WHERE participant = code) ORDER BY code LIMIT $2`,
      codes === undefined ? [after, limit] : [after, limit, codes],
    );
    return rows.map(({ code }) => code);
  }

  async readNewest(codes: readonly string[]): Promise<ReadonlyMap<string, NewestPosition>> {
    const rows = await this.database.query<NewestPosition & { code: string }>(
      `SELECT code, event_id AS "eventId", trading_day AS "tradingDay", calculated_at AS "calculatedAt", ${FIGURES}, margin
       FROM unnest($1::text[]) AS code
       CROSS JOIN LATERAL (${NEWEST_ACTUAL}) AS newest
       JOIN archive USING (archive_offset)
       LEFT JOIN LATERAL (${NEWEST_MARGIN}) AS announced ON true`,
      [codes],
    );
    return new Map(rows.map(({ code, ...row }) => [code, row]));
  }

  /** By participant and trading day. */
  async readForecasts(codes: readonly string[]): Promise<ReadonlyMap<string, readonly ForecastPosition[]>> {
    const rows = await this.database.query<ForecastRow>(
      `SELECT code, forecast.trading_day AS "tradingDay", forecast.calculated_at AS "calculatedAt", forecast.trading_margin AS "tradingMargin",
         forecast.outstanding_amount AS "outstandingAmount"
       FROM unnest($1::text[]) AS code
       CROSS JOIN LATERAL (${NEWEST_ACTUAL}) AS newest
       CROSS JOIN generate_series(1, ${MAX_HORIZON_DAYS}) AS ahead
       CROSS JOIN LATERAL (
         SELECT * FROM calculation WHERE participant = code AND is_forecast AND trading_day = newest.trading_day + ahead
         ORDER BY calculated_at DESC, archive_offset DESC LIMIT 1
       ) AS forecast ORDER BY code, forecast.trading_day`,
      [codes],
    );
    const forecasts = new Map<string, ForecastPosition[]>();
    for (const { code, ...row } of rows) {
      const known = forecasts.get(code) ?? [];
      known.push(presentMembers(row));
      forecasts.set(code, known);
    }
    return forecasts;
  }

  async countUnread(codes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ participant: string; count: number }>(
      `SELECT participant, count(*) FROM unread_event
       WHERE participant = ANY ($1::text[]) AND type = 'settlementbus.position.calculated.v1' GROUP BY participant`,
      [codes],
    );
    return new Map(rows.map(({ participant, count }) => [participant, count]));
  }
}
