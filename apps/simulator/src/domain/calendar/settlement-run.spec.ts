import { parseMarketDate, type Designation, type MarketService } from '@ssb/market';
import { buildInvoiceId, type SettlementRun } from './settlement-run.js';

const day = parseMarketDate('2026-03-01');
const run = (marketService: MarketService, designation: Designation): SettlementRun => ({
  period: { marketService, from: day, to: day },
  designation,
  statementDate: day,
  invoiceDate: day,
  settlementDate: day,
});

describe('the id of an invoice', () => {
  it.each<[string, MarketService, Designation, string]>([
    ['WPGENCO', 'WEM', 'INITIAL', 'WPGENCO-260301-W0'],
    ['WPGENCO', 'NSTEM', 'ADJ3', 'WPGENCO-260301-N3'],
    ['TENLETTERS', 'STEM', 'INITIAL', 'TENLETTERS-260301-S0'],
    // printf ELEVEN_CHAR | sha256sum
    ['ELEVEN_CHAR', 'WEM', 'ADJ1', 'ELE~36c164-260301-W1'],
  ])('of %s, %s %s is %s', (participant, marketService, designation, expected) => {
    expect(buildInvoiceId(participant, run(marketService, designation))).toBe(expected);
  });

  it('is unique per participant and has at most 20 characters', () => {
    const codes = ['WPGENCO', 'OTHER', 'A'.repeat(19), 'A'.repeat(20), '😀'.repeat(20), '😀'.repeat(19)];
    const ids = codes.map((code) => buildInvoiceId(code, run('WEM', 'INITIAL')));
    expect(new Set(ids).size).toBe(codes.length);
    expect(ids.filter((id) => [...id].length > 20)).toEqual([]);
  });
});
