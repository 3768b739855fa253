import { Decimal, Flag, Integer, MarketDate, Part, Parts, Text, Time } from '../http/fields.js';
import { CalendarRow, InvoiceRow } from './settlement-dto.js';

/** One publication of a statement. */
export class StatementVersion {
  @Text({ description: 'Id of its event.' }) readonly eventId!: string;
  @Text({ description: 'published or revised.', values: ['published', 'revised'] }) readonly kind!: string;
  @Integer({ description: "The operator's id of the run." }) readonly runId!: number;
  @Time({ description: 'When the operator published it.' }) readonly publishedAt!: Date;
  @MarketDate({
    description: 'Last day to send a notice of disagreement, by the settings of now.',
    optional: true,
  })
  readonly disagreeUntil?: string;
  @Decimal({ description: 'Sum of the variables that the operator pays.' }) readonly payment!: string;
  @Decimal({ description: 'Sum of the variables that the participant pays.' }) readonly charge!: string;
  @Integer({ description: 'Run id of the version that it replaces.', optional: true })
  readonly previousRunId?: number;
  @Decimal({ description: 'Payment total before.', optional: true }) readonly previousPayment?: string;
  @Decimal({ description: 'Charge total before.', optional: true }) readonly previousCharge?: string;
  @Decimal({ description: 'Change of the payment total.', optional: true })
  readonly paymentDifference?: string;
  @Decimal({ description: 'Change of the charge total.', optional: true })
  readonly chargeDifference?: string;
  @Integer({ description: 'How late the publication was, seconds.', optional: true })
  readonly lateSeconds?: number;
  @Flag({ description: 'An earlier version may have existed.', optional: true }) readonly restated?: boolean;
}

/** One settlement variable of one trading day. */
export class StatementVariable {
  @MarketDate({ description: 'Trading day.' }) readonly tradingDay!: string;
  @Text({ description: 'Name of the variable.' }) readonly variable!: string;
  @Text({ description: 'P: the operator pays. C: the participant pays.' }) readonly pOrC!: string;
  @Text({ description: 'Y or N.' }) readonly gstApplicable!: string;
  @Decimal({ description: 'Value.' }) readonly value!: string;
}

/** What replaces the variables of a large statement. */
export class VariablesSummary {
  @Integer({ description: 'Number of variables.' }) readonly count!: number;
  @Integer({ description: 'Number of those that the operator pays.' }) readonly payments!: number;
  @Integer({ description: 'Number of those that the participant pays.' }) readonly charges!: number;
  @Text({ description: 'SHA-256 of the full record.' }) readonly sha256!: string;
  @Text({ description: "Path of the full record at the operator's reporting API." }) readonly path!: string;
}

/** A run with its statement and invoices. */
export class StatementDetail extends CalendarRow {
  @Parts({ description: 'Versions of the statement, the newest first.', of: () => StatementVersion })
  readonly versions!: readonly StatementVersion[];
  @Flag({ description: 'There are older versions that are not listed.' }) readonly moreVersions!: boolean;
  @Parts({
    description: 'Variables of the newest version; absent when it has a summary instead.',
    of: () => StatementVariable,
    optional: true,
  })
  readonly variables?: readonly StatementVariable[];
  @Flag({ description: 'There are variables that are not listed; the event has all.' })
  readonly moreVariables!: boolean;
  @Part({
    description: 'The statement was too large for its channel.',
    of: () => VariablesSummary,
    optional: true,
  })
  readonly variablesSummary?: VariablesSummary;
  @Parts({ description: 'Invoices of the run, reversed ones too.', of: () => InvoiceRow })
  readonly invoices!: readonly InvoiceRow[];
  @Flag({ description: 'There are invoices that are not listed.' }) readonly moreInvoices!: boolean;
}
