import { paymentDirection } from '@ssb/config';
import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { maySee, visibleParticipants, type Caller } from '../access/caller.js';
import { ParticipantSettings } from '../configuration/participant-settings.js';
import { presentMembers } from '../database/present-members.js';
import { refuseEmptyRange } from '../http/market-fields.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { isUuid } from '../http/texts.js';
import type { InvoiceRow, InvoicesQuery } from './settlement-dto.js';

type Nullable<Row, Name extends keyof Row> = Omit<Row, Name> & {
  readonly [Each in Name]: Exclude<Row[Each], undefined> | null;
};
type StoredInvoice = Nullable<
  Omit<InvoiceRow, 'status'> & { readonly status: string },
  | 'number'
  | 'invoiceDate'
  | 'dueDate'
  | 'gstExclusive'
  | 'gst'
  | 'total'
  | 'payableAmount'
  | 'direction'
  | 'settlementRequired'
  | 'adjustment'
  | 'replacedBy'
  | 'overdueSince'
>;

/** Rows of earlier releases do not say whether there was a reminder, but have its direction. */
const statusAt = (today: string): string =>
  `CASE WHEN state IN ('issued', 'adjusted') AND coalesce(reminded, direction IS NOT NULL) AND due_date >= ${today}::date THEN 'due' ELSE state END`;

const columns = (
  today: string,
): string => `participant, market, period_from AS "periodFrom", designation, invoice_id AS id,
  run_id AS "statementId", number, ${statusAt(today)} AS status, invoice_date AS "invoiceDate", due_date AS "dueDate", gst_exclusive AS "gstExclusive", gst, total,
  payable_amount AS "payableAmount", direction, settlement_required AS "settlementRequired", adjustment, replaced_by AS "replacedBy",
  overdue_since AS "overdueSince", discrepancies, 'AUD' AS currency`;

/** What sorts a listing after its date, before the id. */
const NAMES = ['market', 'participant', `coalesce(number, '')`] as const;

/** The date that sorts a listing, and whether the earliest or the latest comes first. */
const ORDERS = {
  due: { date: 'sort_date', names: NAMES, direction: 'ASC', after: '>' },
  published: { date: 'coalesce(invoice_date, period_from)', names: [], direction: 'DESC', after: '<' },
} as const;

/** The present state of invoices. */
@Injectable()
export class Invoices {
  constructor(
    private readonly database: Database,
    private readonly settings: ParticipantSettings,
  ) {}

  /** @param today day of the market @throws InvalidRequestError */
  async list(
    caller: Caller,
    query: InvoicesQuery,
    { today, since }: { readonly today: string; readonly since: string },
  ): Promise<Page<InvoiceRow>> {
    const { date: sortDate, names, direction, after } = ORDERS[query.order];
    refuseEmptyRange('dueSince', query.dueSince ?? since, 'dueUntil', query.dueUntil);
    const conditions = new Conditions();
    const day = conditions.parameter(today);
    conditions
      .add(query.dueSince ?? since, (date) => `sort_date >= ${date}::date`)
      .add(query.dueUntil, (date) => `sort_date < ${date}::date`)
      .add(query.market, (markets) => `market = ANY (${markets}::text[])`)
      .add(query.status, (statuses) => `${statusAt(day)} = ANY (${statuses}::text[])`)
      .add(visibleParticipants(caller, query.participant), (codes) => `participant = ANY (${codes}::text[])`);
    if (query.cursor !== undefined) {
      const last = await this.findPlace(caller, query.cursor, sortDate, names);
      const place = [
        `${conditions.parameter(last.date)}::date`,
        ...last.names.map((name) => `${conditions.parameter(name)}::text`),
        `${conditions.parameter(last.id)}::uuid`,
      ];
      conditions.addText(`(${[sortDate, ...names, 'invoice_id'].join()}) ${after} (${place.join()})`);
    }
    const rows = await this.database.query<StoredInvoice>(
      `SELECT ${columns(day)} FROM invoice ${conditions.where}
       ORDER BY ${[sortDate, ...names, 'invoice_id'].map((key) => `${key} ${direction}`).join()} LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(
      rows.map((row) => this.describe(row)),
      query.limit,
      ({ id }) => id,
    );
  }

  /** Of one run that the caller may see. */
  async listOfRun(runId: string, today: string, limit: number): Promise<InvoiceRow[]> {
    const rows = await this.database.query<StoredInvoice>(
      `SELECT ${columns('$2')} FROM invoice WHERE run_id = $1::uuid ORDER BY detected_at DESC, invoice_id LIMIT $3`,
      [runId, today, limit],
    );
    return rows.map((row) => this.describe(row));
  }

  /** Whether the participant pays or receives an amount whose events do not say it. */
  directionOf(participant: string, amount: string | null): 'pay' | 'receive' | undefined {
    const settings = this.settings.find(participant);
    return settings && amount !== null
      ? paymentDirection(amount, settings.payments.positiveAmount)
      : undefined;
  }

  private describe(row: StoredInvoice): InvoiceRow {
    const { participant, payableAmount, settlementRequired } = row;
    const direction =
      row.direction ??
      (settlementRequired === false ? undefined : this.directionOf(participant, payableAmount ?? null));
    return presentMembers({ ...row, direction: direction ?? null });
  }

  private async findPlace(
    caller: Caller,
    id: string,
    sortDate: string,
    names: readonly string[],
  ): Promise<{ date: string; id: string; names: readonly string[] }> {
    const [row] = isUuid(id)
      ? await this.database.query<{
          date: string;
          id: string;
          participant: string;
          names: readonly string[];
        }>(
          `SELECT ${sortDate} AS date, invoice_id AS id, participant, ARRAY[${names.join()}]::text[] AS names FROM invoice WHERE invoice_id = $1::uuid`,
          [id],
        )
      : [];
    if (row === undefined || !maySee(caller, row.participant)) throw wrongCursor();
    return row;
  }
}
