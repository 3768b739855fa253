import { readFileSync } from 'node:fs';
import { checkOperatorConfig } from '../load.js';
import type { OperatorConfig } from '../schema.js';

const shipped = readFileSync(new URL('../../../../config/bridge.yaml', import.meta.url), 'utf8');

/** The shipped file with these lines in place of its rules. */
function check(lines: string, sinks = (text: string): string => text) {
  const content = `${sinks(shipped.slice(0, shipped.indexOf('  rules:')))}${lines}\n`;
  return checkOperatorConfig('bridge.yaml', {
    environment: {},
    allowUnset: true,
    content: Buffer.from(content),
  });
}

const everything = '{ sinks: [treasury, log] }';
const withRule = (rule: string) => check(`  rules: [${everything}, { ${rule}, sinks: [log] }]`);
const errorsOf = ({ errors }: ReturnType<typeof check>): string[] => errors.map(({ message }) => message);

describe('a rule is refused with', () => {
  it.each([
    [
      'an unknown problem kind',
      'problems: [margn]',
      'alerts.rules.1.problems.0 is an unknown problem kind; the nearest is margin',
    ],
    [
      'an unknown severity',
      'severities: [fatal]',
      'alerts.rules.1.severities.0 is an unknown severity; must be one of info, warning, critical',
    ],
    ['an empty list', 'types: []', 'alerts.rules.1.types must have at least one entry'],
    [
      'an entry twice',
      'severities: [info, info]',
      'alerts.rules.1.severities names info more than once; name each severity once',
    ],
    [
      'the participant *',
      "participants: ['*']",
      'alerts.rules.1.participants.0 must be the code of one participant; * is not allowed',
    ],
    [
      'an amount that is not a text',
      'amounts: { below: 5 }',
      'alerts.rules.1.amounts.below must be an amount such as "-1000000.00", in quotes so that no digit is lost',
    ],
    ['no amount', 'amounts: {}', 'alerts.rules.1.amounts must have atLeast, below or both'],
    [
      'amounts that none can match',
      "amounts: { atLeast: '2.00', below: '2' }",
      'alerts.rules.1.amounts.below is 2, not above atLeast 2.00, so no amount matches; it must lie above atLeast',
    ],
    [
      'a reminder without a unit',
      'remindEvery: 30',
      'alerts.rules.1.remindEvery must be a duration from 1m to 30d, such as 10m, 26h or 2d',
    ],
    [
      'a reminder every second',
      'remindAcknowledgedEvery: 1s',
      'alerts.rules.1.remindAcknowledgedEvery must be a duration from 1m to 30d, such as 10m, 26h or 2d',
    ],
    [
      'a reminder of facts',
      'types: [settlementbus.payment.due.v1], remindEvery: 30m',
      'alerts.rules.1.remindEvery applies to problems of severity warning or critical, and the rule matches none; remove it, or change the matchers',
    ],
    [
      'a digest of alerts',
      'severities: [warning], group: 1h',
      'alerts.rules.1.group applies to notices of severity info, and with withholdCritical: [group] to critical ones, and the rule matches none; remove it, or change the matchers',
    ],
    [
      'a digest of critical events that are sent at once',
      'types: [settlementbus.margin.breached.v1], severities: [info, critical], group: 1h',
      'alerts.rules.1.group applies to notices of severity info, and with withholdCritical: [group] to critical ones, and the rule matches none; remove it, or change the matchers',
    ],
    [
      'windows without effect',
      "severities: [critical], mute: [{ from: '18:00', timeZone: UTC }]",
      'alerts.rules.1.mute withholds no critical event, and the rule matches no other; add withholdCritical: [mute], or remove it',
    ],
    [
      'an interval without effect',
      'types: [settlementbus.credit-support.short.v1], minInterval: 10m',
      'alerts.rules.1.minInterval withholds no critical event, and the rule matches no other; add withholdCritical: [minInterval], or remove it',
    ],
    [
      'an escalation at once',
      'escalate: { after: 0m, sinks: [treasury] }',
      'alerts.rules.1.escalate.after must be a duration from 1m to 30d, such as 10m, 26h or 2d',
    ],
    [
      'an escalation to an unknown sink',
      'escalate: { after: 30m, sinks: [boss] }',
      'alerts.rules.1.escalate.sinks names an unknown sink boss; the sinks are log, treasury',
    ],
    [
      'an unknown time zone',
      'mute: [{ days: [sat-sun], timeZone: Australia/Pert }]',
      'alerts.rules.1.mute.0.timeZone must be the name of a time zone such as Australia/Perth',
    ],
    [
      'a digest at once',
      'group: 30s',
      'alerts.rules.1.group must be a duration from 1m to 30d, such as 10m, 26h or 2d',
    ],
    [
      'a window without an end',
      'mute: [{ timeZone: Australia/Perth }]',
      'alerts.rules.1.mute.0 must have days, from or to; without them it would never end',
    ],
    [
      'a window without length',
      "mute: [{ from: '18:00', to: '18:00', timeZone: Australia/Perth }]",
      'alerts.rules.1.mute.0.to is 18:00, as is from, so the window has no length; leave out both for whole days',
    ],
    [
      'a time in seconds',
      'mute: [{ from: 18, timeZone: Australia/Perth }]',
      'alerts.rules.1.mute.0.from must be a local time such as "18:00" in quotes',
    ],
    [
      'a key to withhold critical that it lacks',
      'withholdCritical: [minInterval]',
      'alerts.rules.1.withholdCritical.0 is minInterval, which the rule does not have; add minInterval, or remove it here',
    ],
    [
      'the former key alert',
      'alert: true',
      'alerts.rules.1.alert is not a key any more: a problem of severity warning or critical is an alert, every other event a notice; remove the key, and set alerts.severities where another severity is wanted',
    ],
  ])('%s', (_, rule, expected) => {
    expect(errorsOf(withRule(rule))).toEqual([expected]);
  });

  const NEVER_ENDS =
    'alerts.rules.1.mute covers every minute of the week, so it would never end; leave out a part, or remove the rule';
  it.each([
    ['every day', 'mute: [{ days: [mon-sun], timeZone: UTC }]'],
    [
      'every day, also for critical events',
      'mute: [{ days: [mon-sun], timeZone: UTC }], withholdCritical: [mute]',
    ],
    [
      'working days and the others',
      'mute: [{ days: [mon-fri], timeZone: Australia/Perth }, { days: [sat-sun], timeZone: Australia/Perth }]',
    ],
    [
      'day and night',
      "mute: [{ from: '18:00', to: '06:00', timeZone: Europe/Berlin }, { from: '06:00', to: '18:00', timeZone: Europe/Berlin }]",
    ],
    [
      'day and night of other time zones',
      "mute: [{ to: '12:00', timeZone: UTC }, { from: '20:00', timeZone: Australia/Perth }, { to: '08:00', timeZone: Australia/Perth }]",
    ],
    [
      'summer time, which closes the gap of an hour',
      "mute: [{ from: '10:00', to: '07:00', timeZone: UTC }, { from: '09:00', to: '12:00', timeZone: Europe/Berlin }]",
    ],
  ])('windows that never end: %s', (_, rule) => {
    expect(errorsOf(withRule(rule))).toEqual([NEVER_ENDS]);
  });

  it('a digest for a sink that shows problems only', () => {
    const withPager = (text: string) =>
      text.replace('kind: log', 'kind: log\n    - { name: on-call, kind: pagerduty, routingKeyFile: key }');
    expect(errorsOf(check('  rules: [{ sinks: [treasury, on-call], group: 1h }]', withPager))).toEqual([
      'alerts.rules.0.group is for sinks that show notices, and on-call is of kind pagerduty, which shows problems only; give it a rule without group',
    ]);
  });

  it('the name of another rule', () => {
    const rules = `  rules: [{ name: a, sinks: [treasury] }, { name: a, sinks: [log] }]`;
    expect(errorsOf(check(rules))).toEqual([
      'alerts.rules.1.name is a, as rules.0; give each rule a name of its own',
    ]);
  });

  it('no sink', () => {
    expect(errorsOf(check('  rules: [{ sinks: [] }]'))).toEqual([
      'alerts.rules.0.sinks must have at least one entry',
    ]);
  });
});

describe('a severity is refused', () => {
  it.each([
    [
      'of an unknown kind',
      'statement-overdu: info',
      'alerts.severities.statement-overdu is an unknown key; the nearest known key is statement-overdue',
    ],
    ['of the margin without a level', 'margin: info', 'alerts.severities.margin must be a group of keys'],
    [
      'of faults of the bridge',
      'bridge-fault: info',
      'alerts.severities.bridge-fault cannot be set, because each fault of the bridge names its severity; remove the key',
    ],
  ])('%s', (_, severities, expected) => {
    expect(errorsOf(check(`  severities: { ${severities} }\n  rules: [${everything}]`))).toEqual([expected]);
  });
});

it.each(['group: 1h', 'minInterval: 1h', "mute: [{ from: '18:00', timeZone: UTC }]"])(
  'a rule for critical events can have %s with withholdCritical',
  (key) => {
    const [name = ''] = key.split(':');
    expect(errorsOf(withRule(`severities: [critical], ${key}, withholdCritical: [${name}]`))).toEqual([]);
  },
);

it.each([
  "mute: [{ from: '00:01', timeZone: UTC }]",
  "mute: [{ days: [mon-sat], timeZone: UTC }, { days: [sun], to: '23:59', timeZone: UTC }]",
  "mute: [{ to: '12:00', timeZone: UTC }, { from: '20:01', timeZone: Australia/Perth }, { to: '08:00', timeZone: Australia/Perth }]",
  "mute: [{ days: [mon-fri], timeZone: UTC }, { days: [sat-sun], timeZone: '${TIME_ZONE}' }]",
])('windows that leave a minute, or may leave one, are accepted: %s', (rule) => {
  expect(errorsOf(withRule(rule))).toEqual([]);
});

it('console is read as log, with a warning', () => {
  const { config, warnings } = check(`  rules: [${everything}]`, (text) =>
    text.replace('kind: log', 'kind: console'),
  );
  expect((config satisfies OperatorConfig | undefined)?.alerts.sinks[0]).toEqual({
    name: 'log',
    kind: 'log',
  });
  expect(warnings.map(({ message }) => message)).toContain(
    'alerts.sinks.0.kind is console, the former name of log; write log, because the next release refuses console',
  );
});
