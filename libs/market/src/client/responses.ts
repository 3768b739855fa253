import { z } from 'zod';
import type { Form } from '../form.js';
import { type Resource, defineResource } from '../resource.js';
import { prudentialCalculationSchema } from '../resources/prudential-calculation.js';
import { prudentialCalculationSummarySchema } from '../resources/prudential-calculation-summary.js';
import { settlementCycleTimelineSchema } from '../resources/settlement-cycle-timeline.js';
import { settlementInvoiceSchema } from '../resources/settlement-invoice.js';
import { settlementOutputDetailsSchema } from '../resources/settlement-output-details.js';
import { settlementOutputSchema } from '../resources/settlement-output.js';
import { settlementStatementSummarySchema } from '../resources/settlement-statement-summary.js';

/** A 200 body: an object with exactly one property, `data` (document 000, convention 1). */
export interface ResponseBody<T> {
  readonly data: T;
}

/** Operation 1. */
export const PrudentialRangeResponse = responseOf('PrudentialCalculation[]', (form) =>
  z.array(prudentialCalculationSchema(form)).nullable(),
);
/** Operation 2. */
export const PrudentialSummaryResponse = responseOf(
  'PrudentialCalculationSummary',
  prudentialCalculationSummarySchema,
);
/** Operations 3 and 4. */
export const OutputResponse = responseOf('SettlementOutput', settlementOutputSchema);
/** Operation 5. */
export const StatementResponse = responseOf('SettlementStatementSummary', settlementStatementSummarySchema);
/** Operations 6 and 7. */
export const OutputDetailsResponse = responseOf('SettlementOutputDetails', settlementOutputDetailsSchema);
/** Operation 9. */
export const InvoiceResponse = responseOf('SettlementInvoice', settlementInvoiceSchema);
/** Operation 10. */
export const TimelineResponse = responseOf('SettlementCycleTimeline', settlementCycleTimelineSchema);

function responseOf<Schema extends z.ZodType>(
  name: string,
  schema: (form: Form) => Schema,
): Resource<ResponseBody<z.output<Schema>>> {
  const response = defineResource(name, (form) => form.object({ data: schema(form) }));
  return response as unknown as Resource<ResponseBody<z.output<Schema>>>;
}
