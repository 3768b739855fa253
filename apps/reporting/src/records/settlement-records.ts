import type { Database } from '@ssb/database';
import type {
  Designation,
  InvoiceLoad,
  MarketDate,
  MarketService,
  OutputDetailsLoad,
  StatementLoad,
} from '@ssb/market';
import type { SettlementKey } from '../domain/settlement-question.js';
import type { LoadResult } from './insert-once.js';
import { latestInvoiceFile } from './latest-invoice-file.js';
import type { LoadOne } from './loading/load-one.js';
import type { RenderInvoiceFile } from './loading/rows-of.js';
import { oneDocument, onePacked, scopeOf, type DocumentKey, type ReadThrough } from './reading.js';

/** One trading day of one market service under one designation: operation 6. */
export interface DayOfRun {
  marketService: MarketService;
  tradingDay: MarketDate;
  designation: Designation;
}

/** One trading day of an NSTEM period under one designation: operation 7. */
export interface EstimatedDay {
  periodFrom: MarketDate;
  designation: Designation;
  tradingDay: MarketDate;
}

/** Settlement statements, their details, and invoices. A new run of a period stands beside the old one. */
export class SettlementRecords {
  constructor(
    private readonly database: Database,
    private readonly through: ReadThrough,
    private readonly loadOne: LoadOne,
    private readonly render: RenderInvoiceFile,
  ) {}

  /** One transaction. @throws RecordConflictError when this run was published with another content */
  loadStatement(record: StatementLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'statements', record });
  }

  /** One transaction; the file is rendered with it. @throws RecordConflictError when this invoice was issued with another content */
  loadInvoice(record: InvoiceLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'invoices', record });
  }

  /** One transaction. @throws RecordConflictError */
  loadDetail(record: OutputDetailsLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'statement-details', record });
  }

  /** One transaction. @throws RecordConflictError */
  loadEstimation(record: OutputDetailsLoad): Promise<LoadResult> {
    return this.loadOne({ kind: 'statement-estimations', record });
  }

  /** Operation 5: the statement of the run with the highest id. */
  latestStatement(participant: string, key: SettlementKey): Promise<string | undefined> {
    return this.through.read(questionOf('statement', participant, key), () =>
      oneDocument(
        this.database,
        `SELECT document FROM statement
         WHERE participant = $1 AND market_service = $2 AND period_from = $3 AND designation = $4
         ORDER BY run_id DESC LIMIT 1`,
        [participant, key.marketService, key.periodFrom, key.designation],
      ),
    );
  }

  /** Operation 6: of the run with the highest id. */
  latestDetail(participant: string, key: DayOfRun): Promise<string | undefined> {
    const { marketService, tradingDay, designation } = key;
    const question = `detail ${marketService} ${tradingDay} ${designation}`;
    return this.through.read({ scope: scopeOf(participant), question }, () =>
      onePacked(
        this.database,
        `SELECT packed FROM statement_detail
         WHERE participant = $1 AND market_service = $2 AND trading_day = $3 AND designation = $4
         ORDER BY run_id DESC LIMIT 1`,
        [participant, marketService, tradingDay, designation],
      ),
    );
  }

  /** Operation 7: of the run with the highest id. */
  latestEstimation(participant: string, key: EstimatedDay): Promise<string | undefined> {
    const { periodFrom, designation, tradingDay } = key;
    const question = `estimation ${periodFrom} ${designation} ${tradingDay}`;
    return this.through.read({ scope: scopeOf(participant), question }, () =>
      onePacked(
        this.database,
        `SELECT packed FROM statement_estimation
         WHERE participant = $1 AND period_from = $2 AND designation = $3 AND trading_day = $4
         ORDER BY run_id DESC LIMIT 1`,
        [participant, periodFrom, designation, tradingDay],
      ),
    );
  }

  /** Operation 8: the file of the invoice that operation 9 answers. */
  latestInvoiceFile(participant: string, key: SettlementKey): Promise<Uint8Array | undefined> {
    return this.through.read(questionOf('file', participant, key), () =>
      latestInvoiceFile(this.database, this.render, participant, key),
    );
  }

  /** Operation 9: the invoice dated last; of one day, the one issued last. */
  latestInvoice(participant: string, key: SettlementKey): Promise<string | undefined> {
    return this.through.read(questionOf('invoice', participant, key), () =>
      oneDocument(
        this.database,
        `SELECT document FROM invoice
         WHERE participant = $1 AND market_service = $2 AND period_from = $3 AND designation = $4
         ORDER BY invoice_date DESC, sequence DESC LIMIT 1`,
        [participant, key.marketService, key.periodFrom, key.designation],
      ),
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
