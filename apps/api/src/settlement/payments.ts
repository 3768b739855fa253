import { paymentDirection } from '@ssb/config';
import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { ParticipantSettings } from '../configuration/participant-settings.js';
import { toPage, wrongCursor } from '../http/page.js';
import { isExistingDate, refuseEmptyRange } from '../http/market-fields.js';
import type { MarketPayments, PaymentsPage, PaymentsQuery, PaymentTotals } from './payment-dto.js';

/** Sums of a market on a day; of a day without a market; of all days without both. */
interface StoredTotals extends PaymentTotals {
  readonly dueDate: string | null;
  readonly market: string | null;
}

/** After a loss of the poller's state a replaced invoice is not known as such, but its run names the newer one. */
const VALID = `EXISTS (SELECT FROM settlement_run AS run WHERE run.run_id = invoice.run_id AND run.invoice_id = invoice.invoice_id)`;

/** What is paid and received on each day, over the participants that the caller may see. */
@Injectable()
export class Payments {
  constructor(
    private readonly database: Database,
    private readonly settings: ParticipantSettings,
  ) {}

  /** By due date. `total` is that of all pages. @param today day of the market @throws InvalidRequestError */
  async list(caller: Caller, query: PaymentsQuery, today: string): Promise<PaymentsPage> {
    const { cursor, limit } = query;
    if (cursor !== undefined && !isExistingDate(cursor)) throw wrongCursor();
    refuseEmptyRange('dueSince', query.dueSince ?? today, 'dueUntil', query.dueUntil);
    const rows = await this.sum(caller, query, query.dueSince ?? today);
    const days = rows.flatMap(({ dueDate, market, ...sums }) =>
      dueDate !== null && market === null && (cursor === undefined || dueDate > cursor)
        ? [{ dueDate, ...sums, markets: marketsOf(rows, dueDate) }]
        : [],
    );
    const [total] = rows.flatMap(({ dueDate, market: _, ...sums }) => (dueDate === null ? [sums] : []));
    if (total === undefined) throw new Error('the sum of all days is missing');
    return { ...toPage(days, limit, ({ dueDate }) => dueDate), total };
  }

  /** Reversed and overdue invoices, those that need no settlement and those of zero are left out. */
  private async sum(
    caller: Caller,
    { participant, market, dueUntil }: PaymentsQuery,
    since: string,
  ): Promise<readonly StoredTotals[]> {
    const conditions = new Conditions()
      .addText(
        `state IN ('issued', 'adjusted') AND settlement_required IS NOT FALSE AND payable_amount IS DISTINCT FROM 0 AND due_date IS NOT NULL`,
      )
      .addText(VALID)
      .add(since, (date) => `sort_date >= ${date}::date`)
      .add(dueUntil, (date) => `sort_date < ${date}::date`)
      .add(market, (markets) => `market = ANY (${markets}::text[])`)
      .add(visibleParticipants(caller, participant), (codes) => `participant = ANY (${codes}::text[])`);
    const undirected = await this.database.query<{ participant: string }>(
      `SELECT DISTINCT participant FROM invoice ${conditions.where} AND direction IS NULL`,
      conditions.values,
    );
    const configured = undirected.flatMap(({ participant: code }) => {
      const payments = this.settings.find(code)?.payments;
      return payments === undefined ? [] : [{ code, positiveAmount: payments.positiveAmount }];
    });
    const directions = (amount: string) =>
      conditions.parameter(
        configured.map(({ positiveAmount }) => paymentDirection(amount, positiveAmount) ?? ''),
      );
    const codes = conditions.parameter(configured.map(({ code }) => code));
    return this.database.query<StoredTotals>(
      `WITH payment AS (
         SELECT due_date, market, abs(payable_amount) AS amount,
           coalesce(direction, CASE WHEN payable_amount > 0 THEN of_positive WHEN payable_amount < 0 THEN of_negative END) AS direction
         FROM invoice
         LEFT JOIN unnest(${codes}::text[], ${directions('1')}::text[], ${directions('-1')}::text[])
           AS setting (code, of_positive, of_negative) ON code = participant
         ${conditions.where}
       ), summed AS (
         SELECT due_date, market, count(direction) AS invoices, count(*) FILTER (WHERE direction IS NULL) AS without_direction,
           coalesce(sum(amount) FILTER (WHERE direction = 'pay'), 0) AS payable,
           coalesce(sum(amount) FILTER (WHERE direction = 'receive'), 0) AS receivable
         FROM payment GROUP BY GROUPING SETS ((due_date, market), (due_date), ())
       )
       SELECT due_date AS "dueDate", market, 'AUD' AS currency, payable, receivable, receivable - payable AS net,
         invoices::integer, without_direction::integer AS "withoutDirection"
       FROM summed ORDER BY due_date, market`,
      conditions.values,
    );
  }
}

function marketsOf(rows: readonly StoredTotals[], day: string): MarketPayments[] {
  return rows.flatMap(({ dueDate, market, ...sums }) =>
    dueDate === day && market !== null ? [{ market, ...sums }] : [],
  );
}
