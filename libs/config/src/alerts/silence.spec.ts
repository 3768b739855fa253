import type { OperatorConfig } from '../schema.js';
import { findSilenceIssue, isSilenced, silenceMatchers, type SilenceFacts } from './silence.js';

const BREACH: SilenceFacts = {
  type: 'settlementbus.margin.breached.v1',
  participant: 'WPGENCO',
  severity: 'critical',
  problem: 'margin',
};
const FAULT: SilenceFacts = {
  type: 'settlementbus.bridge.alert.raised.v1',
  participant: 'WPGENCO',
  severity: 'warning',
  problem: 'bridge-fault',
  reason: 'clock-offset',
};
/** The end of a fault that was not open. */
const CLEARED: SilenceFacts = {
  type: 'settlementbus.bridge.alert.cleared.v1',
  participant: 'WPGENCO',
  severity: 'info',
};

it.each([
  ['the participant', { participants: ['WPGENCO'] }, BREACH, true],
  ['another participant', { participants: ['OTHER'] }, BREACH, false],
  ['one of several matchers', { participants: ['WPGENCO'], severities: ['warning'] }, BREACH, false],
  ['a pattern of types', { types: ['settlementbus.margin.*'] }, BREACH, true],
  ['the kind of problem', { problems: ['margin'] }, BREACH, true],
  ['no fault by its participant', { participants: ['WPGENCO'] }, FAULT, false],
  ['no fault by its type', { types: ['settlementbus.*'] }, FAULT, false],
  ['no end of a fault by its type', { types: ['settlementbus.*'] }, CLEARED, false],
  ['a fault by its kind', { problems: ['bridge-fault'] }, FAULT, true],
  ['a fault by its reason', { reasons: ['clock-offset'] }, FAULT, true],
  ['no fault of another reason', { problems: ['bridge-fault'], reasons: ['key-expiring'] }, FAULT, false],
  ['no other event by a reason', { reasons: ['clock-offset'] }, BREACH, false],
  [
    'nothing about all participants by one',
    { problems: ['bridge-fault'], participants: ['WPGENCO'] },
    { ...FAULT, participant: '*' },
    false,
  ],
] as [string, Parameters<typeof isSilenced>[0], SilenceFacts, boolean][])(
  'a silence covers %s',
  (_, matchers, facts, expected) => {
    expect(isSilenced(matchers, facts)).toBe(expected);
  },
);

it('a silence has a matcher, and only names that exist', () => {
  const config = { participants: [{ code: 'WPGENCO' }] } as Pick<OperatorConfig, 'participants'>;
  const messageOf = (given: object) => silenceMatchers.safeParse(given).error?.issues[0]?.message;
  expect(messageOf({})).toMatch(/^must have types, /);
  expect(messageOf({ types: undefined })).toMatch(/^must have types, /);
  expect(messageOf({ reasons: ['clock-ofset'] })).toBe('is an unknown reason; the nearest is clock-offset');
  expect(
    findSilenceIssue(config, { types: ['settlementbus.margin.*'], participants: ['WPGENCO'] }),
  ).toBeUndefined();
  expect(findSilenceIssue(config, { participants: ['WPGENC'] })).toBe(
    'CONFIG_FILE of the subscriber has no participant WPGENC. Give the code of one that it has.',
  );
  expect(findSilenceIssue(config, { types: ['settlementbus.margin.breach.v1'] })).toBe(
    'settlementbus.margin.breach.v1 matches no event type. The nearest type is settlementbus.margin.breached.v1.',
  );
});
