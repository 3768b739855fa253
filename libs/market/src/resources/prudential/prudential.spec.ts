import {
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
} from '../../testing/prudential-tables.js';
import { testTable } from '../../testing/run-table.js';

testTable(PRUDENTIAL_CALCULATION);
testTable(PRUDENTIAL_CALCULATION_SUMMARY);
testTable(SETTLEMENT_OUTPUT);
