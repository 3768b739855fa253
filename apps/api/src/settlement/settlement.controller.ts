import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import { marketDayOf } from '../http/market-fields.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { Calendar } from './calendar.js';
import { DIFFERENCE_COLUMNS, DifferenceRow, DifferencesPage, DifferencesQuery } from './differences-dto.js';
import { Differences } from './differences.js';
import { Invoices } from './invoices.js';
import { PAYMENT_COLUMNS, PaymentDay, PaymentsPage, PaymentsQuery, toPaymentRows } from './payment-dto.js';
import { Payments } from './payments.js';
import {
  CALENDAR_COLUMNS,
  CalendarQuery,
  CalendarRow,
  INVOICE_COLUMNS,
  InvoiceRow,
  InvoicesQuery,
} from './settlement-dto.js';
import { StatementDetail } from './statement-dto.js';
import { Statements } from './statements.js';

const STATEMENT_ID =
  'Id of the run, or of an event about its statement or invoices, or its first 6 characters or more.';
const DEFAULT_PAST_MS = 31 * 86_400_000;
const firstDay = (): string => marketDayOf(new Date(Date.now() - DEFAULT_PAST_MS));
const today = (): string => marketDayOf(new Date());

@ApiTags('market')
@ApiSecurity('token')
@Controller('v1')
export class SettlementController {
  constructor(
    private readonly calendar: Calendar,
    private readonly statements: Statements,
    private readonly differences: Differences,
    private readonly invoices: Invoices,
    private readonly payments: Payments,
  ) {}

  @Get('settlement-calendar')
  @Problems(401, 429, 503)
  @ApiOperation({
    summary: 'Lists the runs of each market by date',
    description: 'What is due, published, revised, overdue and invoiced, and which payment is due.',
  })
  @Listing(CalendarRow, CALENDAR_COLUMNS)
  listRuns(@CurrentCaller() caller: Caller, @Query() query: CalendarQuery): Promise<Page<CalendarRow>> {
    return this.calendar.list(caller, query, firstDay());
  }

  @Get('statements/:id')
  @Problems(401, 404, 409, 429, 503)
  @ApiOperation({
    summary: 'Shows a run with the versions of its statement and its invoices',
    description:
      'A large statement has a summary instead of its variables. 409 when several runs and events begin with the id.',
  })
  @ApiParam({ name: 'id', description: STATEMENT_ID, schema: ID_SCHEMA })
  @ApiOkResponse({ description: 'The run.', type: StatementDetail })
  show(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<StatementDetail> {
    return this.statements.find(caller, id, today());
  }

  @Get('statements/:id/differences')
  @Problems(401, 404, 409, 429, 502, 503)
  @ApiOperation({
    summary: 'Lists what differs between two versions of a statement, or two runs of a period',
    description:
      'By trading day and variable, the largest differences first, with exact sums; also of a large statement, whose full record the poller keeps. CSV has the differences without the sums. 409 when the statement is not published, has nothing before it, or its full record is no longer kept.',
  })
  @ApiParam({ name: 'id', description: STATEMENT_ID, schema: ID_SCHEMA })
  @Listing(DifferenceRow, DIFFERENCE_COLUMNS, undefined, DifferencesPage)
  listDifferences(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: DifferencesQuery,
  ): Promise<DifferencesPage> {
    return this.differences.list(caller, id, query);
  }

  @Get('invoices')
  @Problems(401, 429, 503)
  @ApiOperation({
    summary: 'Lists the present state of invoices by due date',
    description: 'An invoice that the operator has not issued in time is listed with the status overdue.',
  })
  @Listing(InvoiceRow, INVOICE_COLUMNS)
  listInvoices(@CurrentCaller() caller: Caller, @Query() query: InvoicesQuery): Promise<Page<InvoiceRow>> {
    return this.invoices.list(caller, query, { today: today(), since: firstDay() });
  }

  @Get('payments')
  @Problems(401, 429, 503)
  @ApiOperation({
    summary: 'Sums what is paid and received by due date and market',
    description:
      'Over all participants that the credentials see. An invoice counts from its issue until it is reversed or replaced. Those that need no settlement are left out. `total` is the sum of all pages.',
  })
  @Listing(PaymentDay, PAYMENT_COLUMNS, toPaymentRows, PaymentsPage)
  listPayments(@CurrentCaller() caller: Caller, @Query() query: PaymentsQuery): Promise<PaymentsPage> {
    return this.payments.list(caller, query, today());
  }
}
