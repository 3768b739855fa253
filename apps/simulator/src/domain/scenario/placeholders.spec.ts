import { parseMarketDate } from '@ssb/market';
import { fillIn } from './placeholders.js';

it.each([
  ['{participant}/prudential', 'WPGENCO/prudential'],
  [
    '{participant}/WEM/{today-14}/INITIAL/invoice/INV-{today-14}-W',
    'WPGENCO/WEM/2026-02-26/INITIAL/invoice/INV-2026-02-26-W',
  ],
  ['{today} {today+20}', '2026-03-12 2026-04-01'],
  ['{month} {month-2} {month-3} {month+10}', '2026-03-01 2026-01-01 2025-12-01 2027-01-01'],
  ['{yesterday}', '{yesterday}'],
])('%s is filled in as %s', (text, filled) => {
  expect(fillIn(text, { participant: 'WPGENCO', today: parseMarketDate('2026-03-12') })).toBe(filled);
});
