import { SETTLEMENT_OUTPUT } from './testing/prudential-tables.js';
import { testTable } from './testing/run-table.js';

testTable(SETTLEMENT_OUTPUT);
