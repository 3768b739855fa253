/** Fields, builders and schemas of document 000, for libraries that define their own records. */
export { prudentialCalculationSchema } from './resources/prudential/prudential-calculation.js';
export { settlementOutputSchema } from './resources/prudential/settlement-output.js';
export { settlementInvoiceSchema } from './resources/invoice/settlement-invoice.js';
export { checkDesignation } from './resources/rules.js';
export { settlementCycleTimelineSchema } from './resources/settlement/settlement-cycle-timeline.js';
export { settlementOutputDetailsSchema } from './resources/settlement/settlement-output-details.js';
export { settlementStatementSummarySchema } from './resources/settlement/settlement-statement-summary.js';
export { dateTime, DAY_PATTERN, filledText, int32 } from './schema/fields.js';
export { readPartially } from './schema/partial-read.js';
export { defineResource } from './schema/resource.js';
export type { RuleViolation, SchemaBuilder } from './schema/schema-builder.js';
