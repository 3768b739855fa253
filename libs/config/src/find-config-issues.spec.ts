import { EVENT_TYPES } from '@ssb/events';
import { parseDid } from '@ssb/identity';
import { findConfigIssues } from './find-config-issues.js';
import type { AlertRule } from './alerts/alerts-schema.js';
import type { OperatorConfig } from './schema.js';

const CHANNEL = 'settlement.channels.bridge.apps.participant.iam.market';
const OTHER = 'other.channels.bridge.apps.participant.iam.market';
const NOW = new Date('2026-03-01T00:00:00Z');
const dids = {
  gateways: [parseDid(`did:ethr:0x${'1'.repeat(40)}`)],
  origins: [parseDid(`did:ethr:0x${'2'.repeat(40)}`)],
};

const margin = { warning: '2.00', breach: '0.00', hysteresis: '0.50' };
const valid: OperatorConfig = {
  participants: [{ code: 'WPGENCO', margin }],
  routes: [{ types: ['*'], channel: CHANNEL, maxMessageBytes: 1_048_576 }],
  ignore: [],
  senders: [{ channel: CHANNEL, ...dids }],
  alerts: {
    sinks: [
      { name: 'log', kind: 'log' },
      {
        name: 'treasury',
        kind: 'webhook',
        url: 'https://treasury.example',
        secret: `whsec_${'A'.repeat(32)}`,
      },
    ],
    rules: [{ types: ['settlementbus.*'], sinks: ['log', 'treasury'] }],
  },
};

function find(change: Partial<OperatorConfig>): string[] {
  return findConfigIssues({ ...valid, ...change }, NOW).map(
    ({ severity, path, message }) => `${severity}: ${path.join('.')} ${message}`,
  );
}

const named = (...participants: string[]) => ({ channel: CHANNEL, ...dids, participants });
const twoParticipants = ['WPGENCO', 'OTHER'].map((code) => ({ code, margin }));
const withMargin = (change: Partial<typeof margin>) => ({
  participants: [{ code: 'WPGENCO', margin: { ...margin, ...change } }],
});
const withRoute = (...types: string[]) => ({ routes: [{ types, channel: CHANNEL, maxMessageBytes: 4_096 }] });
const withRule = (sinks: string[], ...types: string[]) => ({
  alerts: { ...valid.alerts, rules: [{ types, sinks }] },
});
const { sinks } = valid.alerts;
/** Every type goes to a person, except this one. */
const onlyToTheLog = (type: string, change: Partial<OperatorConfig['alerts']> = {}) => ({
  alerts: {
    sinks,
    rules: [
      { types: EVENT_TYPES.filter((each) => each !== type), sinks: ['treasury'] },
      { types: [type], sinks: ['log'] },
    ],
    ...change,
  },
});
const everyTypeBut = (left: RegExp) => EVENT_TYPES.filter((type) => !left.test(type));

it('finds nothing in a configuration that makes sense', () => {
  expect(find({})).toEqual([]);
});

it('finds nothing in an amount and a share, which cannot be compared', () => {
  expect(find(withMargin({ warning: '0.01', breach: '99%' }))).toEqual([]);
});

const NOBODY =
  'the log reaches nobody, so add a sink of another kind than log to a rule that matches them, or set alerts.unattended: true where no person is to be alerted';
const ALL_KINDS =
  'margin, credit-support, breach-forecast, statement-overdue, disagreement, invoice-overdue, invoice-discrepancy, position-stale, operator-unreachable, bridge-fault';

describe('an error is', () => {
  it.each([
    [
      'breach above warning, by value',
      withMargin({ warning: '9', breach: '10.00' }),
      'participants.0.margin.breach is 10.00, above warning 9; it must lie below warning',
    ],
    [
      'breach above warning, both shares',
      withMargin({ warning: '5%', breach: '5.1%' }),
      'participants.0.margin.breach is 5.1%, above warning 5%; it must lie below warning',
    ],
    [
      "breach of a profile above a participant's warning",
      {
        profiles: { large: { margin: { breach: '3.00' } } },
        participants: [
          { code: 'WPGENCO', profile: 'large', margin: { warning: '2.00', hysteresis: '1.00' } },
        ],
      },
      'participants.0.margin.warning is 2.00, below breach 3.00; it must lie above breach',
    ],
    [
      'a profile that does not exist',
      {
        profiles: { large: {} },
        participants: [
          { code: 'WPGENCO', margin, profile: 'lagre' },
          { code: 'OTHER', margin, profile: 'large' },
        ],
        senders: [{ channel: CHANNEL, ...dids }],
      },
      'participants.0.profile is lagre, which profiles does not name; the nearest profile is large',
    ],
    [
      "breach of defaults above a participant's warning",
      {
        defaults: { margin: { warning: '9.00', breach: '3.00' } },
        participants: [
          { code: 'WPGENCO', margin: { warning: '2.00' } },
          { code: 'OTHER', margin: { warning: '4.00' } },
        ],
      },
      'participants.0.margin.warning is 2.00, below breach 3.00; it must lie above breach',
    ],
    [
      'breach of defaults above their warning, once for all participants',
      {
        defaults: { margin: { warning: '2.00', breach: '3.00' } },
        participants: [{ code: 'WPGENCO' }, { code: 'OTHER', margin: { hysteresis: '1.00' } }],
      },
      'defaults.margin.breach is 3.00, above warning 2.00; it must lie below warning',
    ],
    [
      'a participant that is there twice',
      { participants: [...valid.participants, ...valid.participants] },
      'participants.1.code is WPGENCO, as participants.0; name each participant once',
    ],
    [
      'a participant of senders that is not configured',
      { senders: [named('WPGENCO', 'WPGENC0')] },
      'senders.0.participants.1 is WPGENC0, which participants does not name; the participants are WPGENCO',
    ],
    [
      'a participant whose breach no origin may announce',
      { participants: twoParticipants, senders: [named('WPGENCO')] },
      `senders.0.participants let no origin announce facts about OTHER on ${CHANNEL}, so its margin breach alerts no person; add OTHER to an entry`,
    ],
    [
      'a sender whose key is revoked',
      { revoked: [{ did: dids.origins[0]?.toLowerCase() ?? '', since: '2026-01-01T00:00:00Z' }] },
      `senders.0.origins name ${dids.origins[0]}, which revoked.0 revokes; remove it here, or remove revoked.0 if its key is safe`,
    ],
    [
      'margin.breached without a route, also when it is ignored',
      { ...withRoute(...everyTypeBut(/margin\.breached/)), ignore: ['settlementbus.margin.*'] },
      'routes have no route for settlementbus.margin.breached.v1, so a margin breach alerts no person; add the type to a route',
    ],
    [
      'margin.breached without a rule',
      withRule(['log', 'treasury'], ...everyTypeBut(/margin\.breached/)),
      'alerts.rules give settlementbus.margin.breached.v1 no sink, so a margin breach alerts no person; add a rule with at least one sink',
    ],
    [
      'margin.breached only to the log',
      onlyToTheLog('settlementbus.margin.breached.v1'),
      `alerts.rules let no person receive problems of WPGENCO: margin (critical); ${NOBODY}`,
    ],
    [
      'everything only to the log',
      { alerts: { sinks: sinks.slice(0, 1), rules: [{ types: ['*'], sinks: ['log'] }] } },
      `alerts.rules let no person receive problems of WPGENCO: ${ALL_KINDS}; ${NOBODY}`,
    ],
    [
      'a problem without a sink',
      withRule(['log', 'treasury'], ...everyTypeBut(/statement\.overdue/)),
      `alerts.rules let no person receive problems of WPGENCO: statement-overdue; ${NOBODY}`,
    ],
    [
      'an urgent problem of severity info only to the log',
      {
        alerts: {
          ...onlyToTheLog('settlementbus.credit-support.short.v1').alerts,
          severities: { 'credit-support': 'info' as const },
        },
      },
      `alerts.rules let no person receive problems of WPGENCO: credit-support; ${NOBODY}`,
    ],
    [
      'a participant whose problems no rule gives to a person',
      {
        participants: ['A', 'B', 'C', 'D', 'E'].map((code) => ({ code, margin })),
        alerts: { sinks, rules: [{ participants: ['B'], sinks: ['treasury'] }, { sinks: ['log'] }] },
      },
      `alerts.rules let no person receive problems of A, C, D and 1 more: ${ALL_KINDS}; ${NOBODY}`,
    ],
    [
      'a severity that reaches no person',
      {
        alerts: {
          sinks,
          rules: [{ severities: ['critical' as const], sinks: ['treasury'] }, { sinks: ['log'] }],
        },
      },
      `alerts.rules let no person receive problems of WPGENCO: margin (warning), breach-forecast, statement-overdue, disagreement, invoice-overdue, invoice-discrepancy, position-stale, bridge-fault (warning); ${NOBODY}`,
    ],
    [
      'an amount that reaches no person',
      {
        alerts: {
          sinks,
          rules: [
            { types: everyTypeBut(/credit-support/), sinks: ['treasury'] },
            { types: ['*.credit-support.*'], amounts: { below: '-0.01' }, sinks: ['treasury'] },
            { types: ['*.credit-support.*'], amounts: { atLeast: '0.00' }, sinks: ['treasury'] },
            { sinks: ['log'] },
          ],
        },
      },
      `alerts.rules let no person receive problems of WPGENCO: credit-support (critical, some amounts); ${NOBODY}`,
    ],
  ])('%s', (_, change, expected) => {
    expect(find(change)).toEqual([`error: ${expected}`]);
  });

  it.each([
    ['routes.0.types.1', withRoute('*', 'settlementbus.statments.*')],
    ['ignore.0', { ignore: ['settlementbus.statments.*'] }],
    ['alerts.rules.0.types.1', withRule(['log', 'treasury'], '*', 'settlementbus.statments.*')],
  ])('a pattern without a type: %s', (path, change) => {
    const [problem, ...others] = find(change);
    expect(problem).toMatch(
      `error: ${path} is settlementbus.statments.*, which matches no event type; the types are settlementbus.statement`,
    );
    expect(others).toEqual([]);
  });

  const route = (...types: string[]) => ({ types, channel: CHANNEL, maxMessageBytes: 4_096 });
  const rule = { types: ['settlementbus.bridge.heartbeat.*'], sinks: ['log'] };
  const withFurtherRule = (further: AlertRule) => ({
    alerts: { ...valid.alerts, rules: [...valid.alerts.rules, further] },
  });
  it.each([
    [
      'whose types earlier routes take',
      { routes: [route('settlementbus.margin.*'), route('*'), route('settlementbus.*')] },
      'routes.2.types have no effect, because all go to routes.1 and routes.0 first; move this route up or remove it',
    ],
    [
      'that matches only heartbeats',
      { routes: [...valid.routes, route('settlementbus.bridge.heartbeat.v1')] },
      'routes.1.types match only heartbeats, which travel on every channel without a route',
    ],
    [
      'of alerts that matches only heartbeats',
      withFurtherRule(rule),
      'alerts.rules.1.types match only heartbeats, which go to no sink',
    ],
    [
      'whose types have another problem kind',
      withFurtherRule({ types: ['settlementbus.invoice.*'], problems: ['margin'], sinks: ['log'] }),
      'alerts.rules.1.problems match none of the events that the rule leaves: their problem kinds are invoice-overdue, invoice-discrepancy; change or remove the rule',
    ],
    [
      'whose types have no problem',
      withFurtherRule({ types: ['settlementbus.timeline.*'], problems: ['margin'], sinks: ['log'] }),
      'alerts.rules.1.problems match none of the events that the rule leaves: they open and resolve no problem; change or remove the rule',
    ],
    [
      'whose types have only the severity info',
      withFurtherRule({ types: ['settlementbus.payment.*'], severities: ['critical'], sinks: ['log'] }),
      'alerts.rules.1.severities match none of the events that the rule leaves: they have no problem, so their severity is info; change or remove the rule',
    ],
    [
      'whose problems have no amount',
      withFurtherRule({ problems: ['position-stale'], amounts: { below: '0' }, sinks: ['log'] }),
      'alerts.rules.1.amounts match none of the events that the rule leaves: they have no amount; change or remove the rule',
    ],
    [
      'whose amounts have no sign',
      withFurtherRule({ types: ['settlementbus.payment.*'], amounts: { below: '-1' }, sinks: ['log'] }),
      'alerts.rules.1.amounts match none of the events that the rule leaves: their amounts have no sign, so they are 0 or more; change or remove the rule',
    ],
    [
      'that names an unknown participant',
      withFurtherRule({ participants: ['WPGENCO', 'WPGENC0'], sinks: ['log'] }),
      'alerts.rules.1.participants.1 is WPGENC0, which participants does not name; the nearest is WPGENCO',
    ],
  ])('a route or rule %s', (_, change, expected) => {
    expect(find(change)).toEqual([`error: ${expected}`]);
  });
});

describe('a warning is', () => {
  it.each([
    [
      'a profile that no participant uses',
      { profiles: { small: {} } },
      'profiles.small is used by no participant',
    ],
    [
      'breach equal to warning',
      withMargin({ breach: '2' }),
      'participants.0.margin.breach equals warning 2.00, so a margin is never only WARNING',
    ],
    [
      "breach of defaults equal to a participant's warning, both shares",
      {
        defaults: { margin: { breach: '2%' } },
        participants: [{ code: 'WPGENCO', margin: { warning: '2.0%' } }],
      },
      'participants.0.margin.warning equals breach 2%, so a margin is never only WARNING',
    ],
    [
      'an alertsSince in the future',
      { participants: [{ code: 'WPGENCO', margin, alertsSince: '2026-03-01T09:00:00+08:00' }] },
      'participants.0.alertsSince is 2026-03-01T09:00:00+08:00, in the future; facts published before it are archived without an alert',
    ],
    [
      'a channel without trusted senders',
      { senders: [] },
      `senders has no entry for ${CHANNEL}, so a subscriber quarantines every message on it`,
    ],
    [
      'a participant whose other facts no origin may announce',
      {
        participants: twoParticipants,
        routes: [
          { types: ['settlementbus.invoice.*'], channel: OTHER, maxMessageBytes: 4_096 },
          ...valid.routes,
        ],
        senders: [{ ...named('WPGENCO'), channel: OTHER }, ...valid.senders],
      },
      `senders.0.participants let no origin announce facts about OTHER on ${OTHER}, so a subscriber quarantines its messages there`,
    ],
    [
      'senders for a channel that no route uses',
      { senders: [...valid.senders, { channel: OTHER, ...dids }] },
      `senders.1.channel is ${OTHER}, which no route uses, so it is read and trusted, but nothing is published on it; the routes use ${CHANNEL}`,
    ],
    [
      'a participant that is named twice',
      { senders: [named('WPGENCO', 'WPGENCO')] },
      'senders.0.participants name WPGENCO more than once',
    ],
    [
      'a DID that is named twice',
      { senders: [{ ...named('WPGENCO'), gateways: [...dids.gateways, ...dids.gateways] }] },
      `senders.0.gateways name ${String(dids.gateways[0])} more than once`,
    ],
    [
      'an entry whose trust an earlier one gives already',
      { senders: [...valid.senders, named('WPGENCO')] },
      `senders.1.origins name ${String(dids.origins[0])}, which earlier entries of this channel trust for the same participants`,
    ],
    [
      'another type without a route',
      withRoute(...everyTypeBut(/invoice\.issued/)),
      'routes have no route for settlementbus.invoice.issued.v1, so it is not published; if that is intended, list the type under ignore',
    ],
    [
      'another type without a sink',
      withRule(['log', 'treasury'], ...everyTypeBut(/invoice\.issued/)),
      'alerts.rules give settlementbus.invoice.issued.v1 no sink, so it is only archived; if that is intended, list the type under ignore',
    ],
    [
      'a sink that no rule uses',
      { alerts: { ...valid.alerts, sinks: [...sinks, { name: 'spare', kind: 'log' as const }] } },
      'alerts.sinks.2 is the sink spare, which no rule uses; add it to a rule, or remove it',
    ],
    [
      'an audit only to the log',
      { alerts: { ...valid.alerts, audit: ['log'] } },
      'alerts.audit names only sinks of kind log, which reach nobody; name a sink of another kind',
    ],
    [
      'an escalation only to the log',
      {
        alerts: {
          ...valid.alerts,
          rules: [{ sinks: ['treasury'], escalate: { after: '2h', sinks: ['log'] } }],
        },
      },
      'alerts.rules.0.escalate.sinks names only sinks of kind log, which reach nobody; name a sink of another kind',
    ],
    [
      'a problem only to the log, in an unattended deployment',
      onlyToTheLog('settlementbus.margin.breached.v1', { unattended: true }),
      'alerts.rules let no person receive problems of WPGENCO: margin (critical); alerts.unattended permits it',
    ],
    [
      'a problem of severity info only to the log',
      onlyToTheLog('settlementbus.position.stale.v1', { severities: { 'position-stale': 'info' } }),
      'alerts.rules let no person receive problems of WPGENCO: position-stale; their severity is info; if that is intended, list their types under ignore',
    ],
    [
      "a severity of the margin that the participant's own one replaces",
      {
        alerts: {
          ...valid.alerts,
          severities: { margin: { warning: 'critical' as const, breach: 'critical' as const } },
        },
      },
      'alerts.severities.margin.warning is critical, but the events about WPGENCO name the severity warning themselves; set margin.severity.warning of the participant or under defaults',
    ],
  ])('%s', (_, change, expected) => {
    expect(find(change)).toEqual([`warning: ${expected}`]);
  });

  it('not another fact that goes only to the log', () => {
    expect(find(onlyToTheLog('settlementbus.invoice.issued.v1'))).toEqual([]);
  });

  it('not a problem whose types are ignored, except an urgent one', () => {
    const ignored = {
      ...withRule(['treasury'], ...everyTypeBut(/stale|short/)),
      ignore: ['*.stale.*', '*.short.*'],
    };
    expect(find(ignored)).toEqual([
      `error: alerts.rules let no person receive problems of WPGENCO: credit-support; ${NOBODY}`,
      expect.stringMatching(/^warning: alerts\.sinks\.0/),
    ]);
  });

  it('not a value that is not set on this machine', () => {
    const rule = { types: ['\0${TYPES}'], amounts: { below: '\0${AMOUNT}' }, sinks: ['log'] };
    expect(find({ alerts: { ...valid.alerts, rules: [rule] } })).toEqual([]);
  });

  it('not a type that is ignored, nor a configuration without operational alerts', () => {
    expect(
      find({ ...withRoute(...everyTypeBut(/invoice\.issued/)), ignore: ['settlementbus.invoice.*'] }),
    ).toEqual([]);
    const older = find(withRoute(...everyTypeBut(/bridge\.alert/)));
    expect(older).toHaveLength(2);
    for (const each of older)
      expect(each).toMatch(/^warning: routes have no route for settlementbus\.bridge\.alert\./);
  });
});
