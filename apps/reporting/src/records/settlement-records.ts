import type { Database } from '@ssb/database';
import {
  dateOf,
  SettlementInvoice,
  SettlementStatementSummary,
  type InvoiceLoad,
  type StatementLoad,
} from '@ssb/market';
import type { SettlementKey } from '../domain/settlement-question.js';
import { insertOnce, type LoadResult } from './insert-once.js';

/** Settlement statements and invoices. A new run of a period stands beside the old one. */
export class SettlementRecords {
  constructor(private readonly database: Database) {}

  /** One transaction. @throws RecordConflictError when this run was published with another content */
  loadStatement({ statement }: StatementLoad): Promise<LoadResult> {
    return this.database.transaction((session) =>
      insertOnce(session, {
        table: 'statement',
        key: {
          participant: statement.participantCode,
          market_service: statement.marketService,
          period_from: dateOf(statement.periodFrom),
          designation: statement.designation,
          run_id: statement.runId,
        },
        document: SettlementStatementSummary.serialise(statement),
      }),
    );
  }

  /** One transaction. @throws RecordConflictError when this invoice was issued with another content */
  loadInvoice(load: InvoiceLoad): Promise<LoadResult> {
    const { participantCode, marketService, periodFrom, designation, invoice } = load;
    return this.database.transaction((session) =>
      insertOnce(session, {
        table: 'invoice',
        key: {
          participant: participantCode,
          market_service: marketService,
          period_from: periodFrom,
          designation,
          invoice_id: invoice.id,
        },
        document: SettlementInvoice.serialise(invoice),
        rest: { invoice_date: invoice.invoiceDate },
      }),
    );
  }

  /** Operation 5: the statement of the run with the highest id. */
  latestStatement(participant: string, key: SettlementKey): Promise<string | undefined> {
    return this.latest('statement', 'run_id DESC', participant, key);
  }

  /** Operation 9: the invoice dated last; of one day, the one issued last. */
  latestInvoice(participant: string, key: SettlementKey): Promise<string | undefined> {
    return this.latest('invoice', 'invoice_date DESC, sequence DESC', participant, key);
  }

  private async latest(
    table: 'statement' | 'invoice',
    order: string,
    participant: string,
    { marketService, periodFrom, designation }: SettlementKey,
  ): Promise<string | undefined> {
    const [row] = await this.database.query<{ document: string }>(
      `SELECT document FROM ${table}
       WHERE participant = $1 AND market_service = $2 AND period_from = $3 AND designation = $4
       ORDER BY ${order} LIMIT 1`,
      [participant, marketService, periodFrom, designation],
    );
    return row?.document;
  }
}
