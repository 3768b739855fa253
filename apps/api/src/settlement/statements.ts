import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { presentMembers } from '../database/present-members.js';
import { notFound } from '../http/problems.js';
import { Calendar } from './calendar.js';
import { Invoices } from './invoices.js';
import { LastDays, VERSION_DAYS, type VersionDays } from './last-days.js';
import type { CalendarRow } from './settlement-dto.js';
import type { StatementDetail, StatementVariable, StatementVersion } from './statement-dto.js';

const MAX_VERSIONS = 100;
const MAX_VARIABLES = 10_000;
const MAX_INVOICES = 100;

const VERSIONS = `SELECT event_id AS "eventId", kind, (data->>'runId')::integer AS "runId", market_instant(data->>'publishedAt') AS "publishedAt",
    ${VERSION_DAYS},
    data->'totals'->>'payment' AS payment, data->'totals'->>'charge' AS charge, (data->'previous'->>'runId')::integer AS "previousRunId",
    data->'previous'->'totals'->>'payment' AS "previousPayment", data->'previous'->'totals'->>'charge' AS "previousCharge",
    data->'difference'->>'payment' AS "paymentDifference", data->'difference'->>'charge' AS "chargeDifference",
    (data->'late'->>'seconds')::integer AS "lateSeconds", (data->>'restated')::boolean AS restated
  FROM settlement_event JOIN archive USING (archive_offset)
  WHERE run_id = $1::uuid AND kind IN ('published', 'revised') ORDER BY settlement_event.detected_at DESC, archive_offset DESC LIMIT $2`;

type StoredVersion = Omit<StatementVersion, 'disagreeUntil'> & VersionDays;

interface StatementContent {
  readonly variables: readonly StatementVariable[] | null;
  readonly count: number;
  readonly summary: {
    count: number;
    payments: number;
    charges: number;
    sha256: string;
    source: { path: string };
  } | null;
}

/** A run with the versions of its statement and its invoices. */
@Injectable()
export class Statements {
  constructor(
    private readonly database: Database,
    private readonly calendar: Calendar,
    private readonly invoices: Invoices,
    private readonly lastDays: LastDays,
  ) {}

  /** @throws ProblemException 404 */
  async find(caller: Caller, id: string, today: string): Promise<StatementDetail> {
    const run = (await this.calendar.find(caller, id)) ?? notFound('statement');
    const [versions, invoices] = await Promise.all([
      this.database.query<StoredVersion>(VERSIONS, [run.id, MAX_VERSIONS + 1]),
      this.invoices.listOfRun(run.id, today, MAX_INVOICES + 1),
    ]);
    const newest = versions[0] && (await this.readContent(versions[0].eventId));
    return {
      ...run,
      versions: versions.slice(0, MAX_VERSIONS).map((version) => this.describe(run, version)),
      moreVersions: versions.length > MAX_VERSIONS,
      ...(newest?.variables && { variables: newest.variables }),
      moreVariables: (newest?.count ?? 0) > MAX_VARIABLES,
      ...(newest?.summary && { variablesSummary: summaryOf(newest.summary) }),
      invoices: invoices.slice(0, MAX_INVOICES),
      moreInvoices: invoices.length > MAX_INVOICES,
    };
  }

  private describe(
    run: CalendarRow,
    { publishedOn, announcedUntil, ...version }: StoredVersion,
  ): StatementVersion {
    const disagreeUntil = this.lastDays.find(run, { publishedOn, announcedUntil });
    return presentMembers({ ...version, disagreeUntil });
  }

  private async readContent(eventId: string): Promise<StatementContent | undefined> {
    const [row] = await this.database.query<{ data: Record<string, unknown> }>(
      `SELECT event::jsonb->'data' AS data FROM archive WHERE event_id = $1`,
      [eventId],
    );
    if (row === undefined) return undefined;
    const { variables, variablesSummary } = row.data as {
      variables?: StatementVariable[];
      variablesSummary?: StatementContent['summary'];
    };
    return {
      variables:
        variables
          ?.slice(0, MAX_VARIABLES)
          .map((each) => ({ ...each, tradingDay: each.tradingDay.slice(0, 10) })) ?? null,
      count: variables?.length ?? 0,
      summary: variablesSummary ?? null,
    };
  }
}

function summaryOf({ count, payments, charges, sha256, source }: NonNullable<StatementContent['summary']>) {
  return { count, payments, charges, sha256, path: source.path };
}
