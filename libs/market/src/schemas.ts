/** What other libraries build their own record schemas from: fields, forms and the schemas of document 000. */
export { dateTime, filledText, int32 } from './fields.js';
export type { BrokenRule, Form } from './form.js';
export { defineResource } from './resource.js';
export { brokenDesignation } from './resources/designation-rule.js';
export { prudentialCalculationSchema } from './resources/prudential-calculation.js';
export { settlementCycleTimelineSchema } from './resources/settlement-cycle-timeline.js';
export { settlementInvoiceSchema } from './resources/settlement-invoice.js';
export { settlementOutputDetailsSchema } from './resources/settlement-output-details.js';
export { settlementOutputSchema } from './resources/settlement-output.js';
export { settlementStatementSummarySchema } from './resources/settlement-statement-summary.js';
