import { PRUDENTIAL_CALCULATION_SUMMARY } from './testing/prudential-tables.js';
import { testTable } from './testing/run-table.js';

testTable(PRUDENTIAL_CALCULATION_SUMMARY);
