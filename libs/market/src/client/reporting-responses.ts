import { z } from 'zod';
import { EACH, type ItemPath } from '../schema/partial-read.js';
import { type Resource, defineResource } from '../schema/resource.js';
import type { SchemaBuilder } from '../schema/schema-builder.js';
import {
  prudentialCalculationSchema,
  prudentialCalculationSummarySchema,
} from '../resources/prudential/prudential-calculation.js';
import { settlementCycleTimelineSchema } from '../resources/settlement/settlement-cycle-timeline.js';
import { settlementInvoiceSchema } from '../resources/invoice/settlement-invoice.js';
import { settlementOutputDetailsSchema } from '../resources/settlement/settlement-output-details.js';
import { settlementOutputSchema } from '../resources/prudential/settlement-output.js';
import { settlementStatementSummarySchema } from '../resources/settlement/settlement-statement-summary.js';

/** The body of a 200: an object with the one property `data` (document 000, convention 1). */
export interface ResponseBody<T> {
  readonly data: T;
}

/** Operation 1. */
export const PrudentialRangeResponse = defineResponse('PrudentialCalculation[]', (builder) =>
  z.array(prudentialCalculationSchema(builder)).nullable(),
);
/** A calculation is one row, and says nothing about another. */
export const PRUDENTIAL_RANGE_ITEMS: readonly ItemPath[] = [['data', EACH]];
/** Operation 2. */
export const PrudentialSummaryResponse = defineResponse(
  'PrudentialCalculationSummary',
  prudentialCalculationSummarySchema,
);
/** Operations 3 and 4. */
export const OutputResponse = defineResponse('SettlementOutput', settlementOutputSchema);
/** Operation 5. */
export const StatementResponse = defineResponse(
  'SettlementStatementSummary',
  settlementStatementSummarySchema,
);
/** Operations 6 and 7. */
export const OutputDetailsResponse = defineResponse('SettlementOutputDetails', settlementOutputDetailsSchema);
/** Operation 9. */
export const InvoiceResponse = defineResponse('SettlementInvoice', settlementInvoiceSchema);
/** Operation 10. */
export const TimelineResponse = defineResponse('SettlementCycleTimeline', settlementCycleTimelineSchema);
/** Cycles, and the runs of a cycle. */
export const TIMELINE_ITEMS: readonly ItemPath[] = [
  ['data', 'cycles', EACH],
  ['data', 'cycles', EACH, 'runs', EACH],
];

function defineResponse<Schema extends z.ZodType>(
  name: string,
  schema: (builder: SchemaBuilder) => Schema,
): Resource<ResponseBody<z.output<Schema>>> {
  const response = defineResource(name, (builder) => builder.object({ data: schema(builder) }));
  return response as unknown as Resource<ResponseBody<z.output<Schema>>>;
}
