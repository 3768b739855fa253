import { PRUDENTIAL_CALCULATION } from './testing/prudential-tables.js';
import { testTable } from './testing/run-table.js';

testTable(PRUDENTIAL_CALCULATION);
