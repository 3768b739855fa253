import type { Database } from '@ssb/database';
import type { DetailKey, EstimationKey, SettlementKey } from '../domain/settlement-question.js';
import { Latest, type LatestOf } from './latest.js';
import * as tables from './loading/tables.js';
import { plainBody, scopeOf, unpackedBody, type DocumentKey, type ReadThrough } from './reading.js';

const PERIOD = ['participant', 'market_service', 'period_from', 'designation'];
const INVOICE = { table: tables.INVOICE, by: PERIOD, order: 'invoice_date DESC, sequence DESC' };
const LATEST = {
  statement: { table: tables.STATEMENT, by: PERIOD, order: 'run_id DESC', content: 'document' },
  detail: {
    table: tables.STATEMENT_DETAIL,
    by: ['participant', 'market_service', 'trading_day', 'designation'],
    order: 'run_id DESC',
    content: 'packed',
  },
  estimation: {
    table: tables.STATEMENT_ESTIMATION,
    by: ['participant', 'period_from', 'designation', 'trading_day'],
    order: 'run_id DESC',
    content: 'packed',
  },
  file: { ...INVOICE, content: 'file' },
  invoice: { ...INVOICE, content: 'document' },
} as const satisfies Record<string, LatestOf>;

/**
 * Settlement statements, their details, and invoices. A new run of a period stands beside the old one. What is read is the body of the
 * answer: `{"data":…}` in UTF-8, or a PDF.
 */
export class SettlementRecords {
  private readonly statements: Latest;
  private readonly details: Latest;
  private readonly estimations: Latest;
  private readonly files: Latest;
  private readonly invoices: Latest;

  constructor(
    database: Database,
    private readonly through: ReadThrough,
  ) {
    this.statements = new Latest(database, LATEST.statement);
    this.details = new Latest(database, LATEST.detail);
    this.estimations = new Latest(database, LATEST.estimation);
    this.files = new Latest(database, LATEST.file);
    this.invoices = new Latest(database, LATEST.invoice);
  }

  /** Operation 5: the statement of the run with the highest id. */
  latestStatement(participant: string, key: SettlementKey): Promise<Uint8Array | undefined> {
    return this.through.read(questionOf('statement', participant, key), () =>
      plainBody(this.statements.find(participant, key.marketService, key.periodFrom, key.designation)),
    );
  }

  /** Operation 6: of the run with the highest id. */
  latestDetail(participant: string, key: DetailKey): Promise<Uint8Array | undefined> {
    const { marketService, tradingDay, designation } = key;
    const question = `detail ${marketService} ${tradingDay} ${designation}`;
    return this.through.read({ scope: scopeOf(participant), question }, () =>
      unpackedBody(this.details.find(participant, marketService, tradingDay, designation)),
    );
  }

  /** Operation 7: of the run with the highest id. */
  latestEstimation(participant: string, key: EstimationKey): Promise<Uint8Array | undefined> {
    const { periodFrom, designation, tradingDay } = key;
    const question = `estimation ${periodFrom} ${designation} ${tradingDay}`;
    return this.through.read({ scope: scopeOf(participant), question }, () =>
      unpackedBody(this.estimations.find(participant, periodFrom, designation, tradingDay)),
    );
  }

  /** Operation 8: the bytes of the file of the invoice that operation 9 answers. */
  latestInvoiceFile(participant: string, key: SettlementKey): Promise<Uint8Array | undefined> {
    return this.through.read(questionOf('file', participant, key), async () => {
      const file = await this.files.find(participant, key.marketService, key.periodFrom, key.designation);
      return file instanceof Uint8Array ? file : undefined;
    });
  }

  /** Operation 9: the invoice dated last; of one day, the one issued last. */
  latestInvoice(participant: string, key: SettlementKey): Promise<Uint8Array | undefined> {
    return this.through.read(questionOf('invoice', participant, key), () =>
      plainBody(this.invoices.find(participant, key.marketService, key.periodFrom, key.designation)),
    );
  }
}

function questionOf(
  what: string,
  participant: string,
  { marketService, periodFrom, designation }: SettlementKey,
): DocumentKey {
  return { scope: scopeOf(participant), question: `${what} ${marketService} ${periodFrom} ${designation}` };
}
