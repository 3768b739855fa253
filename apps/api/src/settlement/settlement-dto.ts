import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Decimal, Flag, Integer, MarketDate, Text, Time } from '../http/fields.js';
import { IsMarketDate, IsParticipants } from '../http/market-fields.js';
import { IsOneOf, PageQuery } from '../http/page.js';

export const MARKETS = ['WEM', 'NSTEM', 'STEM'];
const RUN_STATUSES = ['expected', 'overdue', 'published', 'revised', 'invoiced', 'removed'] as const;
const INVOICE_STATUSES = ['issued', 'adjusted', 'reversed', 'due', 'overdue'] as const;
export const CALENDAR_DATES = ['statement', 'published', 'invoice', 'payment'] as const;
export type CalendarDate = (typeof CALENDAR_DATES)[number];
const CALENDAR_ORDERS = ['date', 'published'] as const;
const INVOICE_ORDERS = ['due', 'published'] as const;

/** How a listing is sorted. The first order is the default. */
const IsOrder = (orders: readonly string[], description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', enum: [...orders], default: orders[0], description }),
    IsOptionalField(),
    IsTextThat((text) => orders.includes(text), `must be one of ${orders.join(', ')}`),
  );

export class SettlementQuery extends PageQuery {
  @IsParticipants()
  readonly participant?: readonly string[];

  @IsOneOf(MARKETS, 'Market service.')
  readonly market?: readonly string[];
}

/** Which runs the calendar has. */
export class CalendarQuery extends SettlementQuery {
  @IsOneOf(RUN_STATUSES, 'Status of the run.')
  readonly status?: readonly string[];

  @ApiPropertyOptional({
    type: 'string',
    enum: [...CALENDAR_DATES],
    default: 'statement',
    description:
      'Date that sorts and limits the calendar. statement: the due date of the statement, or the first date that is known. published: the newest publication. invoice: the invoice date. payment: the due date of the payment. Runs without the date are left out.',
  })
  @IsOptionalField()
  @IsTextThat(
    (text) => CALENDAR_DATES.some((date) => date === text),
    `must be one of ${CALENDAR_DATES.join(', ')}`,
  )
  readonly by: CalendarDate = 'statement';

  @IsOrder(
    CALENDAR_ORDERS,
    'date: the earliest date of `by` first. published: the newest publication of a statement first, without runs that have none; `by` only limits.',
  )
  readonly order: (typeof CALENDAR_ORDERS)[number] = 'date';

  @IsMarketDate('Runs with this date or a later one; by default 31 days before today.')
  readonly since?: string;

  @IsMarketDate('Runs with a date before this one.')
  readonly until?: string;
}

/** Which invoices a listing has. */
export class InvoicesQuery extends SettlementQuery {
  @IsOneOf(INVOICE_STATUSES, 'Status of the invoice.')
  readonly status?: readonly string[];

  @IsMarketDate('Invoices that are due on this day or later; by default 31 days before today.')
  readonly dueSince?: string;

  @IsMarketDate('Invoices that are due before this day.')
  readonly dueUntil?: string;

  @IsOrder(
    INVOICE_ORDERS,
    'due: the earliest due date first. published: the newest invoice date first, or that of its period when it is unknown.',
  )
  readonly order: (typeof INVOICE_ORDERS)[number] = 'due';
}

class RunKey {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({ description: 'Market service.' }) readonly market!: string;
  @MarketDate({ description: 'First trading day of the period.' }) readonly periodFrom!: string;
  @Text({ description: 'Designation of the run, such as INITIAL.' }) readonly designation!: string;
}

/** One settlement run. */
export class CalendarRow extends RunKey {
  @Text({ description: 'Id of the run, for `/v1/statements/{id}`.' }) readonly id!: string;
  @Text({
    description:
      'expected: not published yet. overdue: its statement or invoice is missing after its day. removed: no longer in the timeline.',
    values: RUN_STATUSES,
  })
  readonly status!: string;
  @MarketDate({ description: 'The date that `by` names.' }) readonly date!: string;
  @Text({ description: 'Name of the period.', optional: true }) readonly period?: string;
  @MarketDate({ description: 'Last trading day of the period.', optional: true })
  readonly periodTo?: string;
  @MarketDate({
    description: 'Day by which the statement is due. Known when it was overdue or late, or its date moved.',
    optional: true,
  })
  readonly statementDueDate?: string;
  @Time({ description: 'First publication of the statement.', optional: true })
  readonly publishedAt?: Date;
  @MarketDate({
    description: 'Newest statement: last day to send a notice of disagreement, by the settings of now.',
    optional: true,
  })
  readonly disagreeUntil?: string;
  @Integer({ description: 'Number of revisions.' }) readonly revisions!: number;
  @Time({ description: 'Newest revision.', optional: true }) readonly revisedAt?: Date;
  @Decimal({
    description: 'Newest statement: sum of the variables that the operator pays.',
    optional: true,
  })
  readonly payment?: string;
  @Decimal({
    description: 'Newest statement: sum of the variables that the participant pays.',
    optional: true,
  })
  readonly charge?: string;
  @Time({ description: 'Since when the statement is overdue.', optional: true })
  readonly statementOverdueSince?: Date;
  @MarketDate({
    description: 'Day by which the invoice is due. Known when it was overdue or late, or its date moved.',
    optional: true,
  })
  readonly invoiceDueDate?: string;
  @Time({ description: 'Since when the invoice is overdue.', optional: true })
  readonly invoiceOverdueSince?: Date;
  @Text({ description: 'Id of the valid invoice, as in `/v1/invoices`.', optional: true })
  readonly invoiceId?: string;
  @Text({ description: "The operator's identifier of the invoice.", optional: true })
  readonly invoiceNumber?: string;
  @MarketDate({ description: 'Date of the invoice.', optional: true }) readonly invoiceDate?: string;
  @Decimal({ description: 'Total of the invoice.', optional: true }) readonly invoiceTotal?: string;
  @MarketDate({
    description: 'Due date of the payment; before an invoice, the settlement date if it moved.',
    optional: true,
  })
  readonly paymentDueDate?: string;
  @Decimal({ description: 'Amount to be settled.', optional: true }) readonly payableAmount?: string;
  @Text({
    description: 'Whether the participant pays or receives it.',
    values: ['pay', 'receive'],
    optional: true,
  })
  readonly direction?: string;
  @Integer({ description: 'Discrepancies in the valid invoice.' }) readonly discrepancies!: number;
  @Text({ description: 'Currency of the amounts.', values: ['AUD'] }) readonly currency!: string;
}

export const CALENDAR_COLUMNS = [
  ...['participant', 'market', 'periodFrom', 'designation', 'id', 'status', 'date', 'period', 'periodTo'],
  ...['statementDueDate', 'publishedAt', 'disagreeUntil', 'revisions', 'revisedAt', 'payment', 'charge'],
  ...['statementOverdueSince', 'invoiceDueDate', 'invoiceOverdueSince', 'invoiceId', 'invoiceNumber'],
  ...[
    'invoiceDate',
    'invoiceTotal',
    'paymentDueDate',
    'payableAmount',
    'direction',
    'discrepancies',
    'currency',
  ],
];

/** The present state of an invoice. */
export class InvoiceRow extends RunKey {
  @Text({ description: 'Id of the invoice in the archive.' }) readonly id!: string;
  @Text({ description: 'Id of its run, for `/v1/statements/{id}`.' }) readonly statementId!: string;
  @Text({ description: "The operator's identifier; absent while it is overdue.", optional: true })
  readonly number?: string;
  @Text({
    description:
      'due: a payment reminder has its present figures, and the due date has not passed. overdue: the operator has not issued it after its day. Whether it was paid is unknown.',
    values: INVOICE_STATUSES,
  })
  readonly status!: string;
  @MarketDate({
    description: 'Date of the invoice; while overdue, the day by which it was due.',
    optional: true,
  })
  readonly invoiceDate?: string;
  @MarketDate({ description: 'Day by which it must be settled.', optional: true }) readonly dueDate?: string;
  @Decimal({
    description: 'Total without GST; known when the tax invoices of the operator add up to the total.',
    optional: true,
  })
  readonly gstExclusive?: string;
  @Decimal({ description: 'GST in the total; known as `gstExclusive` is.', optional: true })
  readonly gst?: string;
  @Decimal({ description: 'Total of all line items.', optional: true }) readonly total?: string;
  @Decimal({ description: 'Amount to be settled.', optional: true }) readonly payableAmount?: string;
  @Text({
    description: 'Whether the participant pays or receives it, by its events or CONFIG_FILE.',
    values: ['pay', 'receive'],
    optional: true,
  })
  readonly direction?: string;
  @Flag({ description: 'Whether settlement is required.', optional: true })
  readonly settlementRequired?: boolean;
  @Integer({ description: '0: initial version; 1 to 3: adjustment version.', optional: true })
  readonly adjustment?: number;
  @Text({ description: 'Identifier of the invoice that replaced a reversed one.', optional: true })
  readonly replacedBy?: string;
  @Time({ description: 'Since when it is overdue.', optional: true }) readonly overdueSince?: Date;
  @Integer({ description: 'Amounts of the present version that do not agree.' })
  readonly discrepancies!: number;
  @Text({ description: 'Currency of the amounts.', values: ['AUD'] }) readonly currency!: string;
}

export const INVOICE_COLUMNS = [
  ...['participant', 'market', 'periodFrom', 'designation', 'id', 'statementId', 'number', 'status'],
  ...[
    'invoiceDate',
    'dueDate',
    'gstExclusive',
    'gst',
    'total',
    'payableAmount',
    'direction',
    'settlementRequired',
    'adjustment',
  ],
  ...['replacedBy', 'overdueSince', 'discrepancies', 'currency'],
];
