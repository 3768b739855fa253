import type { Database } from '@ssb/database';
import type { DetailKey, EstimationKey, SettlementKey } from '../domain/settlement-question.js';
import { Latest, type LatestOf } from './latest.js';
import * as tables from './loading/tables.js';
import type { ReadThrough } from './reading.js';

const PERIOD = ['participant', 'market_service', 'period_from', 'designation'];
const DAY = ['participant', 'market_service', 'trading_day', 'designation'];
const ESTIMATED_DAY = ['participant', 'period_from', 'designation', 'trading_day'];
const RUN = { order: 'run_id DESC', content: 'packed' } as const;
const INVOICE = { table: tables.INVOICE, by: PERIOD, order: 'invoice_date DESC, sequence DESC' };

type Body = Promise<Uint8Array | undefined>;

/** Settlement statements, their details, and invoices. A new run of a period stands beside the old one. */
export class SettlementRecords {
  private readonly statements: Latest;
  private readonly details: Latest;
  private readonly estimations: Latest;
  private readonly files: Latest;
  private readonly invoices: Latest;

  constructor(database: Database, through: ReadThrough) {
    const latest = (of: LatestOf): Latest => new Latest(database, through, of);
    this.statements = latest({ ...RUN, table: tables.STATEMENT, by: PERIOD, content: 'document' });
    this.details = latest({ ...RUN, table: tables.STATEMENT_DETAIL, by: DAY });
    this.estimations = latest({ ...RUN, table: tables.STATEMENT_ESTIMATION, by: ESTIMATED_DAY });
    this.files = latest({ ...INVOICE, content: 'file' });
    this.invoices = latest({ ...INVOICE, content: 'document' });
  }

  /** Operation 5: the statement of the run with the highest id. */
  latestStatement(participant: string, { marketService, periodFrom, designation }: SettlementKey): Body {
    return this.statements.read(participant, marketService, periodFrom, designation);
  }

  /** Operation 6: of the run with the highest id. */
  latestDetail(participant: string, { marketService, tradingDay, designation }: DetailKey): Body {
    return this.details.read(participant, marketService, tradingDay, designation);
  }

  /** Operation 7: of the run with the highest id. */
  latestEstimation(participant: string, { periodFrom, designation, tradingDay }: EstimationKey): Body {
    return this.estimations.read(participant, periodFrom, designation, tradingDay);
  }

  /** Operation 8: the bytes of the file of the invoice that operation 9 answers. */
  latestInvoiceFile(participant: string, { marketService, periodFrom, designation }: SettlementKey): Body {
    return this.files.read(participant, marketService, periodFrom, designation);
  }

  /** Operation 9: the invoice dated last; of one day, the one issued last. */
  latestInvoice(participant: string, { marketService, periodFrom, designation }: SettlementKey): Body {
    return this.invoices.read(participant, marketService, periodFrom, designation);
  }
}
