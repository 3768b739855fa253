import { Module } from '@nestjs/common';
import { Calendar } from './calendar.js';
import { Invoices } from './invoices.js';
import { SettlementController } from './settlement.controller.js';
import { Statements } from './statements.js';

/** Settlement runs, statements and invoices. */
@Module({ controllers: [SettlementController], providers: [Calendar, Invoices, Statements] })
export class SettlementModule {}
