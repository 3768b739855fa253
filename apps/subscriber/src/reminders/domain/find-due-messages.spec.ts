import type { AlertRule, OperatorConfig } from '@ssb/config';
import { findDueMessages } from './find-due-messages.js';
import type { RemindedProblem, SinkHistory } from './sink-history.js';

/** A Sunday noon in Perth. */
const now = new Date('2026-11-29T04:00:00Z');
const ago = (minutes: number, ms = 0): Date => new Date(now.getTime() - minutes * 60_000 - ms);
const SUNDAYS = [{ days: ['sun'], timeZone: 'Australia/Perth' }];

const OPEN: RemindedProblem = {
  problemId: 'p',
  kind: 'statement-overdue',
  participant: 'WPGENCO',
  state: 'open',
  severity: 'warning',
  type: 'settlementbus.statement.overdue.v1',
};
const ACKNOWLEDGED: RemindedProblem = { ...OPEN, state: 'acknowledged' };

const rule = (keys: Partial<AlertRule>): AlertRule => ({ sinks: ['a'], ...keys });

/** The sink `a` got an alert a number of minutes ago, and accepted it. */
const alerted = (minutes: number, change: Partial<SinkHistory> = {}, last: object = {}): SinkHistory => ({
  sink: 'a',
  alert: { type: OPEN.type, amount: undefined },
  last: { kind: 'alert', at: ago(minutes, 1), isPending: false, withheld: undefined, ...last },
  firstAlertAt: ago(minutes, 1),
  openSince: ago(minutes, 1),
  acknowledgedAt: undefined,
  hasAccepted: true,
  lastEscalation: undefined,
  ...change,
});
const escalated = (minutes: number, withheld?: 'muted'): SinkHistory => ({
  ...alerted(minutes),
  sink: 'boss',
  alert: undefined,
  last: { kind: 'escalation', at: ago(minutes), isPending: false, withheld },
  firstAlertAt: undefined,
  openSince: undefined,
  lastEscalation: { at: ago(minutes), withheld },
});

interface Case {
  problem?: RemindedProblem;
  rules: AlertRule[];
  histories: SinkHistory[];
}

function decide({ problem = OPEN, rules, histories }: Case) {
  const config = { alerts: { rules, sinks: [] } } as Pick<OperatorConfig, 'alerts'>;
  const { messages, nextAt } = findDueMessages(problem, histories, { config, now });
  return {
    due: messages.map(({ kind, sink, withheld }) => [kind, sink, withheld].filter(Boolean).join(' ')),
    inMs: nextAt && nextAt.getTime() - now.getTime(),
  };
}

const EVERY = rule({ remindEvery: '30m' });
const MUTED = rule({ remindEvery: '30m', mute: SUNDAYS });
const MINUTE = 60_000;

describe('a reminder', () => {
  it.each<[string, Case, string[], number | undefined]>([
    ['is due after the pause', { rules: [EVERY], histories: [alerted(30)] }, ['reminder a'], undefined],
    ['is not early', { rules: [EVERY], histories: [alerted(29)] }, [], MINUTE],
    ['is not due without the key', { rules: [rule({})], histories: [alerted(999)] }, [], undefined],
    ['is one after many pauses', { rules: [EVERY], histories: [alerted(999)] }, ['reminder a'], undefined],
    [
      'follows the shortest pause of the rules that match',
      {
        rules: [EVERY, rule({ remindEvery: '5m' }), rule({ remindEvery: '1m', severities: ['info'] })],
        histories: [alerted(4)],
      },
      [],
      MINUTE,
    ],
    [
      'waits for a sink that accepts nothing',
      { rules: [EVERY], histories: [alerted(999, {}, { isPending: true })] },
      [],
      undefined,
    ],
    [
      'is not sent of a problem of severity info',
      { problem: { ...OPEN, severity: 'info' }, rules: [EVERY], histories: [alerted(999)] },
      [],
      undefined,
    ],
    [
      'is not sent to a sink that got no alert',
      { rules: [rule({ remindEvery: '30m', sinks: ['a', 'b'] })], histories: [alerted(30)] },
      ['reminder a'],
      undefined,
    ],
    [
      'has its own pause once acknowledged',
      {
        problem: ACKNOWLEDGED,
        rules: [rule({ remindEvery: '5m', remindAcknowledgedEvery: '2h' })],
        histories: [alerted(999, { acknowledgedAt: ago(119, 1) })],
      },
      [],
      MINUTE,
    ],
    [
      'is not sent of an acknowledged problem without that key',
      { problem: ACKNOWLEDGED, rules: [EVERY], histories: [alerted(999, { acknowledgedAt: ago(998) })] },
      [],
      undefined,
    ],
    [
      'is recorded once when muted',
      { rules: [MUTED], histories: [alerted(30)] },
      ['reminder a muted'],
      MINUTE,
    ],
    [
      'is not recorded again while muted',
      { rules: [MUTED], histories: [alerted(999, {}, { kind: 'reminder', withheld: 'muted' })] },
      [],
      MINUTE,
    ],
    [
      'is sent by a rule that is not muted, after its pause',
      { rules: [MUTED, rule({ remindEvery: '60m' })], histories: [alerted(59)] },
      [],
      MINUTE,
    ],
    [
      'follows the mute of an alert at once, without a pause',
      { rules: [rule({})], histories: [alerted(1, {}, { withheld: 'muted' })] },
      ['reminder a'],
      undefined,
    ],
    [
      'follows a silence also to a sink that no rule names',
      { rules: [], histories: [alerted(1, {}, { withheld: 'silenced' })] },
      ['reminder a'],
      undefined,
    ],
    [
      'does not follow the mute of a rule that no longer matches',
      { rules: [], histories: [alerted(1, {}, { withheld: 'muted' })] },
      [],
      undefined,
    ],
    [
      'does not follow an alert that minInterval withheld',
      { rules: [rule({})], histories: [alerted(1, {}, { withheld: 'min-interval' })] },
      [],
      undefined,
    ],
    [
      'does not follow the mute of an acknowledged problem',
      { problem: ACKNOWLEDGED, rules: [rule({})], histories: [alerted(1, {}, { withheld: 'muted' })] },
      [],
      undefined,
    ],
    [
      'of a critical problem is not muted',
      { problem: { ...OPEN, severity: 'critical' }, rules: [MUTED], histories: [alerted(30)] },
      ['reminder a'],
      undefined,
    ],
  ])('%s', (_, given, due, inMs) => {
    expect(decide(given)).toEqual({ due, inMs });
  });
});

describe('an escalation', () => {
  const ESCALATE = rule({ escalate: { after: '30m', sinks: ['boss'] } });
  const MUTED_ESCALATION = { ...ESCALATE, mute: SUNDAYS };

  it.each<[string, Case, string[], number | undefined]>([
    [
      'is due after the time',
      { rules: [ESCALATE], histories: [alerted(30)] },
      ['escalation boss'],
      undefined,
    ],
    ['is not early', { rules: [ESCALATE], histories: [alerted(29)] }, [], MINUTE],
    ['is sent once', { rules: [ESCALATE], histories: [alerted(60), escalated(30)] }, [], undefined],
    [
      'is sent again when the problem was opened again',
      {
        rules: [ESCALATE],
        histories: [alerted(999, { openSince: ago(30, 1) }), escalated(500)],
      },
      ['escalation boss'],
      undefined,
    ],
    [
      'counts from the first alert of its rule',
      {
        rules: [rule({ severities: ['critical'], escalate: { after: '30m', sinks: ['boss'] } })],
        problem: { ...OPEN, severity: 'critical' },
        histories: [{ ...alerted(999), sink: 'b' }, alerted(10)],
      },
      [],
      20 * MINUTE,
    ],
    [
      'is not due once acknowledged',
      { problem: ACKNOWLEDGED, rules: [ESCALATE], histories: [alerted(999)] },
      [],
      undefined,
    ],
    [
      'is due although acknowledged when no sink has accepted an alert',
      {
        problem: ACKNOWLEDGED,
        rules: [ESCALATE],
        histories: [alerted(30, { hasAccepted: false, openSince: undefined }, { isPending: true })],
      },
      ['escalation boss'],
      undefined,
    ],
    [
      'is due when all sinks of the rule fail',
      { rules: [ESCALATE], histories: [alerted(30, { hasAccepted: false }, { isPending: true })] },
      ['escalation boss'],
      undefined,
    ],
    [
      'takes the place of a reminder to the same sink',
      {
        rules: [rule({ remindEvery: '30m', escalate: { after: '30m', sinks: ['a'] } })],
        histories: [alerted(30)],
      },
      ['escalation a'],
      undefined,
    ],
    [
      'is recorded once when muted',
      { rules: [MUTED_ESCALATION], histories: [alerted(30)] },
      ['escalation boss muted'],
      MINUTE,
    ],
    [
      'is not recorded again while muted',
      { rules: [MUTED_ESCALATION], histories: [alerted(30), escalated(0, 'muted')] },
      [],
      MINUTE,
    ],
    [
      'is sent when the mute has ended',
      { rules: [ESCALATE], histories: [alerted(30), escalated(0, 'muted')] },
      ['escalation boss'],
      undefined,
    ],
  ])('%s', (_, given, due, inMs) => {
    expect(decide(given)).toEqual({ due, inMs });
  });
});
