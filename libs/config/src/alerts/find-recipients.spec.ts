import type { Decimal } from '@ssb/market/decimal';
import { HEARTBEAT_TYPE } from '../lookup.js';
import type { AlertRule, AlertsConfig } from './alerts-schema.js';
import { explainRecipients } from './explain-recipients.js';
import { findRecipients, type AlertFacts } from './find-recipients.js';

const BREACH: AlertFacts = {
  type: 'settlementbus.margin.breached.v1',
  participant: 'WPGENCO',
  severity: 'critical',
  problem: 'margin',
  amount: '-1000000.00' as Decimal,
};
const INVOICE: AlertFacts = {
  type: 'settlementbus.invoice.issued.v1',
  participant: 'WPGENCO',
  severity: 'info',
};

const withRules = (...rules: AlertRule[]): { alerts: AlertsConfig } => ({
  alerts: { sinks: ['a', 'b', 'c'].map((name) => ({ name, kind: 'log' as const })), rules },
});
const receives = (rule: Omit<AlertRule, 'sinks'>, facts: AlertFacts): boolean =>
  findRecipients(withRules({ ...rule, sinks: ['a'] }), facts).sinks.length === 1;

describe('findRecipients', () => {
  it.each<[string, Omit<AlertRule, 'sinks'>, AlertFacts, boolean]>([
    ['no matcher: everything', {}, INVOICE, true],
    ['no matcher: no heartbeat', {}, { ...INVOICE, type: HEARTBEAT_TYPE, participant: '*' }, false],
    ['a pattern of types', { types: ['*.payment.*', '*.margin.*'] }, BREACH, true],
    ['another type', { types: ['*.margin.*'] }, INVOICE, false],
    ['one of the participants', { participants: ['OTHER', 'WPGENCO'] }, BREACH, true],
    ['another participant', { participants: ['OTHER'] }, BREACH, false],
    ['an event about every participant', { participants: ['OTHER'] }, { ...BREACH, participant: '*' }, true],
    ['one of the severities', { severities: ['warning', 'critical'] }, BREACH, true],
    ['another severity', { severities: ['warning'] }, BREACH, false],
    ['one of the problem kinds', { problems: ['bridge-fault', 'margin'] }, BREACH, true],
    ['another problem kind', { problems: ['bridge-fault'] }, BREACH, false],
    ['no problem', { problems: ['margin'] }, INVOICE, false],
    ['an amount equal to atLeast', { amounts: { atLeast: '-1000000' } }, BREACH, true],
    ['an amount below atLeast', { amounts: { atLeast: '-999999.99999999' } }, BREACH, false],
    ['an amount below `below`', { amounts: { below: '-999999.99999999' } }, BREACH, true],
    ['an amount equal to `below`', { amounts: { below: '-1000000' } }, BREACH, false],
    ['no amount', { amounts: { atLeast: '0' } }, INVOICE, false],
    [
      'more digits than a double has',
      { amounts: { atLeast: '12345678901234567890123.00000001' } },
      { ...BREACH, amount: '12345678901234567890123.00000000' as Decimal },
      false,
    ],
    ['every matcher matches', { types: ['*'], severities: ['critical'] }, BREACH, true],
    ['one matcher does not match', { types: ['*'], severities: ['info'] }, BREACH, false],
  ])('%s', (_, rule, facts, expected) => {
    expect(receives(rule, facts)).toBe(expected);
  });

  it('names the sinks of all rules that match, each once', () => {
    const config = withRules(
      { problems: ['margin'], sinks: ['b', 'a'] },
      { severities: ['critical'], sinks: ['a'] },
      { types: ['*.invoice.*'], sinks: ['c'] },
    );
    expect(findRecipients(config, BREACH)).toEqual({ sinks: ['b', 'a'] });
  });
});

describe('explainRecipients', () => {
  it('names the first matcher of each rule that does not match, and why a sink receives nothing', () => {
    const config = withRules(
      { name: 'treasury', problems: ['margin'], sinks: ['a'] },
      { types: ['*'], amounts: { atLeast: '5', below: '9.50' }, sinks: ['a', 'b'] },
    );
    expect(explainRecipients(config, BREACH)).toEqual({
      rules: [
        { name: 'treasury', sinks: ['a'] },
        {
          name: 'rules.1',
          sinks: ['a', 'b'],
          mismatch: { matcher: 'amounts', allowed: ['at least 5', 'below 9.50'], actual: '-1000000.00' },
        },
      ],
      sinks: ['a'],
      others: [
        { sink: 'b', reason: 'amounts of rules.1 do not match' },
        { sink: 'c', reason: 'no rule names it' },
      ],
    });
  });
});
