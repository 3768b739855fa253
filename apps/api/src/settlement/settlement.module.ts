import { Module } from '@nestjs/common';
import { Calendar } from './calendar.js';
import { Invoices } from './invoices.js';
import { Payments } from './payments.js';
import { SettlementController } from './settlement.controller.js';
import { Statements } from './statements.js';

/** Settlement runs, statements, invoices and payments. */
@Module({ controllers: [SettlementController], providers: [Calendar, Invoices, Payments, Statements] })
export class SettlementModule {}
