import type { InvoiceIssuedData } from './invoice-issued.js';
import type { MarginData } from './margin.js';
import type { StatementPublishedData } from './statement-published.js';

/** The `data` of each type. */
export interface DataOf {
  readonly 'settlementbus.statement.published.v1': StatementPublishedData;
  readonly 'settlementbus.invoice.issued.v1': InvoiceIssuedData;
  readonly 'settlementbus.margin.warning.v1': MarginData;
  readonly 'settlementbus.margin.breached.v1': MarginData;
  readonly 'settlementbus.margin.restored.v1': MarginData;
}
