import { SettlementInvoice } from './settlement-invoice.js';
import { changeAll } from '../../../test/field-table.js';
import { SETTLEMENT_INVOICE } from '../../../test/invoice-table.js';
import { testTable } from '../../../test/run-table.js';

testTable(SETTLEMENT_INVOICE);

describe('the period labels of an invoice', () => {
  it.each([
    ['WEM', '"TW 05 Mar 2026"', 'null', []],
    ['WEM', 'null', 'null', []],
    ['WEM', '"2026-10"', 'null', ['tradeWeek']],
    ['WEM', '"TW 5 Mar 2026"', 'null', ['tradeWeek']],
    ['WEM', '"TW 99 Foo 2026"', 'null', ['tradeWeek']],
    ['WEM', 'null', '"2026-03"', ['tradeMonth']],
    ['STEM', '"2026-10"', 'null', []],
    ['STEM', '"2026-99"', 'null', ['tradeWeek']],
    ['STEM', '"TW 05 Mar 2026"', 'null', ['tradeWeek']],
    ['STEM', 'null', '"2026-03"', ['tradeMonth']],
    ['NSTEM', 'null', '"2026-03"', []],
    ['NSTEM', 'null', '"2026-13"', ['tradeMonth']],
    ['NSTEM', 'null', '"Mar2026"', ['tradeMonth']],
    ['NSTEM', '"2026-10"', 'null', ['tradeWeek']],
  ])('%s with week %s and month %s: issues at %j', (market, tradeWeek, tradeMonth, expected) => {
    const json = changeAll(SETTLEMENT_INVOICE.record, { market: `"${market}"`, tradeWeek, tradeMonth });
    const result = SettlementInvoice.readStrict(json);
    expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual(expected);
    expect(SettlementInvoice.readTolerant(json).ok).toBe(true);
  });
});
