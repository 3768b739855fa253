import { SETTLEMENT_STATEMENT_SUMMARY } from './testing/statement-tables.js';
import { testTable } from './testing/run-table.js';

testTable(SETTLEMENT_STATEMENT_SUMMARY);
