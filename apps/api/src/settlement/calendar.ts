import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { maySee, visibleParticipants, type Caller } from '../access/caller.js';
import { archivedEvents, findId, ofParticipants } from '../database/find-id.js';
import { presentMembers } from '../database/present-members.js';
import { refuseEmptyRange } from '../http/market-fields.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { isUuid } from '../http/texts.js';
import { Invoices } from './invoices.js';
import { LastDays, VERSION_DAYS, type VersionDays } from './last-days.js';
import type { CalendarDate, CalendarQuery, CalendarRow } from './settlement-dto.js';

const DAY_COLUMNS: Readonly<Record<CalendarDate, string>> = {
  statement: 'statement_day',
  published: 'published_day',
  invoice: 'invoice_day',
  payment: 'payment_day',
};

const NEWEST_VERSION = `SELECT ${VERSION_DAYS} FROM settlement_event AS version
  WHERE version.run_id = run.run_id AND version.kind IN ('published', 'revised')
  ORDER BY version.detected_at DESC, version.archive_offset DESC LIMIT 1`;

const columns = (
  day: string,
): string => `run.run_id AS id, run.participant, run.market, run.period_from AS "periodFrom", run.designation,
  run.status, run.${day} AS date, run.period, run.period_to AS "periodTo", run.statement_due AS "statementDueDate",
  run.published_at AS "publishedAt", newest."publishedOn", newest."announcedUntil", run.revisions, run.revised_at AS "revisedAt", run.payment, run.charge,
  run.statement_overdue_since AS "statementOverdueSince", run.invoice_due AS "invoiceDueDate",
  run.invoice_overdue_since AS "invoiceOverdueSince", run.invoice_id AS "invoiceId", invoice.number AS "invoiceNumber",
  invoice.invoice_date AS "invoiceDate", invoice.total AS "invoiceTotal", run.payment_day AS "paymentDueDate",
  invoice.payable_amount AS "payableAmount", invoice.direction, invoice.settlement_required AS "settlementRequired",
  coalesce(invoice.discrepancies, 0) AS discrepancies, 'AUD' AS currency`;
const RUNS = `settlement_run AS run LEFT JOIN invoice ON invoice.invoice_id = run.invoice_id
  LEFT JOIN LATERAL (${NEWEST_VERSION}) AS newest ON true`;

interface StoredRun extends VersionDays {
  readonly id: string;
  readonly participant: string;
  readonly market: string;
  readonly designation: string;
  readonly payableAmount: string | null;
  readonly direction: string | null;
  readonly settlementRequired: boolean | null;
}

/** The runs of each market with their dates. */
@Injectable()
export class Calendar {
  constructor(
    private readonly database: Database,
    private readonly invoices: Invoices,
    private readonly lastDays: LastDays,
  ) {}

  /** @param since the first day by default @throws InvalidRequestError */
  async list(caller: Caller, query: CalendarQuery, since: string): Promise<Page<CalendarRow>> {
    const day = DAY_COLUMNS[query.by];
    refuseEmptyRange('since', query.since ?? since, 'until', query.until);
    const isNewestFirst = query.order === 'published';
    const sortDay = isNewestFirst ? DAY_COLUMNS.published : day;
    const [direction, after] = isNewestFirst ? ['DESC', '<'] : ['ASC', '>'];
    const conditions = new Conditions()
      .addText(`run.${sortDay} IS NOT NULL`)
      .add(query.since ?? since, (date) => `run.${day} >= ${date}::date`)
      .add(query.until, (date) => `run.${day} < ${date}::date`)
      .add(query.market, (markets) => `run.market = ANY (${markets}::text[])`)
      .add(query.status, (statuses) => `run.status = ANY (${statuses}::text[])`)
      .add(
        visibleParticipants(caller, query.participant),
        (codes) => `run.participant = ANY (${codes}::text[])`,
      );
    if (query.cursor !== undefined) {
      const last = await this.findPlace(caller, query.cursor, sortDay);
      conditions.addText(
        `(run.${sortDay}, run.run_id) ${after} (${conditions.parameter(last.date)}::date, ${conditions.parameter(last.id)}::uuid)`,
      );
    }
    const rows = await this.database.query<StoredRun>(
      `SELECT ${columns(day)} FROM ${RUNS} ${conditions.where}
       ORDER BY run.${sortDay} ${direction}, run.run_id ${direction} LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(
      rows.map((row) => this.describe(row)),
      query.limit,
      ({ id }) => id,
    );
  }

  /**
   * The run with this id, or the run that an event with this id concerns. Undefined when the caller may not see it.
   * @param text an id, or its first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, text: string): Promise<CalendarRow | undefined> {
    const runs = ofParticipants(caller, 'settlement_run', 'run_id');
    const id = await findId(this.database, text, 'runs and events', runs, archivedEvents(caller));
    if (id === undefined) return undefined;
    const [row] = await this.database.query<StoredRun>(
      `SELECT ${columns('statement_day')} FROM ${RUNS} WHERE run.run_id = $1::uuid OR run.run_id = (
         SELECT run_id FROM settlement_event JOIN archive USING (archive_offset)
         WHERE event_id = $2 AND type <> 'settlementbus.timeline.changed.v1' LIMIT 1) OR run.run_id = (
         SELECT subject_id(split_part(subject, '/disagreement/', 1)) FROM archive
         WHERE event_id = $2 AND type IN ('settlementbus.statement.disagreement-due.v1', 'settlementbus.statement.disagreement-lapsed.v1'))
       LIMIT 1`,
      [id, id],
    );
    return row === undefined || !maySee(caller, row.participant) ? undefined : this.describe(row);
  }

  private describe({ settlementRequired, publishedOn, announcedUntil, ...row }: StoredRun): CalendarRow {
    const disagreeUntil = this.lastDays.find(row, { publishedOn, announcedUntil });
    const direction =
      row.direction ??
      (settlementRequired === false
        ? undefined
        : this.invoices.directionOf(row.participant, row.payableAmount));
    return {
      ...presentMembers({ ...row, disagreeUntil, direction: direction ?? null }),
    } as unknown as CalendarRow;
  }

  private async findPlace(
    caller: Caller,
    id: string,
    day: string,
  ): Promise<{ date: string | null; id: string }> {
    const [row] = isUuid(id)
      ? await this.database.query<{ date: string | null; id: string; participant: string }>(
          `SELECT ${day} AS date, run_id AS id, participant FROM settlement_run WHERE run_id = $1::uuid`,
          [id],
        )
      : [];
    if (row === undefined || row.date === null || !maySee(caller, row.participant)) throw wrongCursor();
    return row;
  }
}
