import { z } from 'zod';
import { dateTimeWithMilliseconds, decimal, text } from '../../schema/fields.js';
import type { SchemaBuilder } from '../../schema/schema-builder.js';

const AMOUNT = { precision: 18, scale: 2 };
const LARGE_AMOUNT = { precision: 28, scale: 2 };

/** The recipient of an invoice (document 000, Party). */
export const partySchema = (builder: SchemaBuilder) =>
  builder.object({
    id: text(50),
    name: text(50),
    addressLine1: text(60).nullish(),
    addressLine2: text(40).nullish(),
    abn: text(20).nullish(),
  });

/** A billing line (document 000, LineItem). */
const lineItemSchema = (builder: SchemaBuilder) =>
  builder.object({
    code: text(40).nullish(),
    description: text(255).nullish(),
    amount: decimal(AMOUNT),
    gstApplicable: z.boolean().nullish(),
  });

/** The balance of remaining and new prepayments at a point in time (document 000, PrepaymentBalance). */
const prepaymentBalanceSchema = (builder: SchemaBuilder) =>
  // Nothing depends on `asAt`, so an unset one does not make the invoice unreadable.
  builder.object({ balance: decimal(AMOUNT), asAt: dateTimeWithMilliseconds() });

/** The amount to pay (document 000, PaymentSummary). The sum of the lines is not checked. */
export const paymentSummarySchema = (builder: SchemaBuilder) =>
  builder.object({
    lineItems: z.array(lineItemSchema(builder)).nullish(),
    total: decimal(AMOUNT),
    prepaymentBalance: prepaymentBalanceSchema(builder).optional(),
    payableAmount: decimal(AMOUNT),
    messages: z.array(z.string()).nullish(),
    settlementRequired: builder.flag(),
  });

const invoiceTotalSchema = (builder: SchemaBuilder) =>
  builder.object({
    gstExclusive: decimal(LARGE_AMOUNT),
    gst: decimal(LARGE_AMOUNT),
    gstInclusive: decimal(LARGE_AMOUNT),
  });

/** A recipient-created tax invoice, or the operator's tax invoice (document 000, TaxInvoice). */
export const taxInvoiceSchema = (builder: SchemaBuilder) =>
  builder.object({
    id: z.string(),
    gstApplicable: z.array(lineItemSchema(builder)).nullish(),
    gstFree: z.array(lineItemSchema(builder)).nullish(),
    total: invoiceTotalSchema(builder).optional(),
  });

const adjustmentLineSchema = (builder: SchemaBuilder) =>
  builder.object({
    previous: decimal(LARGE_AMOUNT),
    current: decimal(LARGE_AMOUNT),
    adjustment: decimal(LARGE_AMOUNT),
  });

const adjustmentGstApplicableSchema = (builder: SchemaBuilder) =>
  builder.object({
    gstExclusive: adjustmentLineSchema(builder).optional(),
    gst: adjustmentLineSchema(builder).optional(),
    gstInclusive: adjustmentLineSchema(builder).optional(),
  });

const taxInvoiceAdjustmentSchema = (builder: SchemaBuilder) =>
  builder.object({
    gstApplicable: adjustmentGstApplicableSchema(builder).optional(),
    gstFree: adjustmentLineSchema(builder).optional(),
  });

/** The differences between an adjustment and the previous invoice (document 000, AdjustmentSummary). */
export const adjustmentSummarySchema = (builder: SchemaBuilder) =>
  builder.object({
    recipientCreatedTaxInvoiceAdjustment: taxInvoiceAdjustmentSchema(builder).optional(),
    taxInvoiceAdjustment: taxInvoiceAdjustmentSchema(builder).optional(),
  });

export type Party = z.output<ReturnType<typeof partySchema>>;
export type LineItem = z.output<ReturnType<typeof lineItemSchema>>;
export type PrepaymentBalance = z.output<ReturnType<typeof prepaymentBalanceSchema>>;
export type PaymentSummary = z.output<ReturnType<typeof paymentSummarySchema>>;
export type TaxInvoice = z.output<ReturnType<typeof taxInvoiceSchema>>;
export type AdjustmentLine = z.output<ReturnType<typeof adjustmentLineSchema>>;
export type TaxInvoiceAdjustment = z.output<ReturnType<typeof taxInvoiceAdjustmentSchema>>;
export type AdjustmentSummary = z.output<ReturnType<typeof adjustmentSummarySchema>>;
