import { Module } from '@nestjs/common';
import { Calendar } from './calendar.js';
import { HopsModule } from '../hops/hops.module.js';
import { Comparisons } from './comparisons.js';
import { Differences } from './differences.js';
import { FullRecords } from './full-records.js';
import { Invoices } from './invoices.js';
import { LastDays } from './last-days.js';
import { Payments } from './payments.js';
import { SettlementController } from './settlement.controller.js';
import { Statements } from './statements.js';

/** Settlement runs, statements, invoices and payments. */
@Module({
  imports: [HopsModule],
  controllers: [SettlementController],
  providers: [Calendar, Comparisons, Differences, FullRecords, Invoices, LastDays, Payments, Statements],
})
export class SettlementModule {}
