import type { z } from 'zod';
import type { Form } from '../form.js';
import { type Resource, defineResource } from '../resource.js';
import { prudentialCalculationSummarySchema } from '../resources/prudential-calculation-summary.js';
import { settlementCycleTimelineSchema } from '../resources/settlement-cycle-timeline.js';
import { settlementInvoiceSchema } from '../resources/settlement-invoice.js';
import { settlementStatementSummarySchema } from '../resources/settlement-statement-summary.js';

/** A 200 body: an object with exactly one property, `data` (document 000, convention 1). */
export interface ResponseBody<T> {
  readonly data: T;
}

export const PrudentialSummaryResponse = responseOf(
  'PrudentialCalculationSummary',
  prudentialCalculationSummarySchema,
);
export const StatementResponse = responseOf('SettlementStatementSummary', settlementStatementSummarySchema);
export const InvoiceResponse = responseOf('SettlementInvoice', settlementInvoiceSchema);
export const TimelineResponse = responseOf('SettlementCycleTimeline', settlementCycleTimelineSchema);

function responseOf<Schema extends z.ZodType>(
  name: string,
  schema: (form: Form) => Schema,
): Resource<ResponseBody<z.output<Schema>>> {
  const response = defineResource(name, (form) => form.object({ data: schema(form) }));
  return response as unknown as Resource<ResponseBody<z.output<Schema>>>;
}
