import type { MarginLevel } from '@ssb/events';
import { parseDecimal } from '@ssb/market';
import { marginLevel } from './thresholds.js';

const THRESHOLDS = {
  warning: parseDecimal('250000.00'),
  breach: parseDecimal('100000.00'),
  hysteresis: parseDecimal('10000.00'),
};

it.each<[MarginLevel, string, MarginLevel]>([
  // From OK: the thresholds themselves, to the last digit.
  ['OK', '250000', 'OK'],
  ['OK', '249999.99999999', 'WARNING'],
  ['OK', '100000.00000000', 'WARNING'],
  ['OK', '99999.99999999', 'BREACHED'],
  ['OK', '-1', 'BREACHED'],
  // From WARNING: left upwards only at 260,000.
  ['WARNING', '250000', 'WARNING'],
  ['WARNING', '259999.99999999', 'WARNING'],
  ['WARNING', '260000', 'OK'],
  ['WARNING', '100000', 'WARNING'],
  ['WARNING', '99999.99', 'BREACHED'],
  // From BREACHED: WARNING from 110,000, OK only from 260,000.
  ['BREACHED', '100000', 'BREACHED'],
  ['BREACHED', '109999.99999999', 'BREACHED'],
  ['BREACHED', '110000', 'WARNING'],
  ['BREACHED', '249999.99', 'WARNING'],
  ['BREACHED', '250000', 'WARNING'],
  ['BREACHED', '259999.99999999', 'WARNING'],
  ['BREACHED', '260000', 'OK'],
])('from %s at %s the level is %s', (previous, margin, expected) => {
  expect(marginLevel(parseDecimal(margin), previous, THRESHOLDS)).toBe(expected);
});
