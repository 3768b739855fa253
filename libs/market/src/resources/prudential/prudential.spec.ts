import {
  PRUDENTIAL_CALCULATION,
  PRUDENTIAL_CALCULATION_SUMMARY,
  SETTLEMENT_OUTPUT,
} from '../../../test/prudential-tables.js';
import { testTable } from '../../../test/run-table.js';

testTable(PRUDENTIAL_CALCULATION);
testTable(PRUDENTIAL_CALCULATION_SUMMARY);
testTable(SETTLEMENT_OUTPUT);
