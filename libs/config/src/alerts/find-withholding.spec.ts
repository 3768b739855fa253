import { findWithholding, isCritical } from './find-withholding.js';
import type { AlertRule } from './rule-schema.js';

/** Noon in Perth on a Sunday. */
const at = new Date('2026-11-29T04:00:00Z');
const muted: AlertRule = { sinks: ['a'], mute: [{ days: ['sun'], timeZone: 'Australia/Perth' }] };
const spaced: AlertRule = { sinks: ['a'], minInterval: '10m' };
const grouped: AlertRule = { sinks: ['a'], group: '1h' };
const plain: AlertRule = { sinks: ['a'] };

it.each([
  ['no rule', [], {}, undefined],
  ['a rule without these keys', [plain], {}, undefined],
  ['a muted rule', [muted], {}, 'muted'],
  ['a rule with another window', [{ ...muted, mute: [{ days: ['mon'], timeZone: 'UTC' }] }], {}, undefined],
  ['a muted rule and one that is not', [muted, plain], {}, undefined],
  ['a muted rule, critical', [muted], { isCritical: true }, undefined],
  ['a rule that mutes critical', [{ ...muted, withholdCritical: ['mute'] }], { isCritical: true }, 'muted'],
  ['a first event', [spaced], {}, undefined],
  ['an event within the interval', [spaced], { sinceLastMs: 599_999 }, 'min-interval'],
  ['an event after the interval', [spaced], { sinceLastMs: 600_000 }, undefined],
  ['a critical event within the interval', [spaced], { sinceLastMs: 1, isCritical: true }, undefined],
  [
    'a rule that withholds critical by the other key',
    [{ ...muted, ...spaced, withholdCritical: ['minInterval'] }],
    { sinceLastMs: 1, isCritical: true },
    'min-interval',
  ],
  ['a notice of a rule that groups', [grouped], { isNotice: true }, 'grouped'],
  ['an alert of a rule that groups', [grouped], {}, undefined],
  ['a critical notice of a rule that groups', [grouped], { isNotice: true, isCritical: true }, undefined],
  [
    'a rule that groups critical notices',
    [{ ...grouped, withholdCritical: ['group'] }],
    { isNotice: true, isCritical: true },
    'grouped',
  ],
  ['a muted rule and one that groups', [muted, grouped], { isNotice: true }, 'grouped'],
  ['a rule that groups, and is muted', [{ ...muted, ...grouped }], { isNotice: true }, 'muted'],
  ['a rule that groups and one that does not', [grouped, plain], { isNotice: true }, undefined],
  ['two rules that withhold', [spaced, muted], { sinceLastMs: 1 }, 'min-interval'],
] as [string, AlertRule[], object, string | undefined][])('%s', (_, rules, facts, expected) => {
  expect(findWithholding(rules, { at, isCritical: false, ...facts })).toBe(expected);
});

it('urgent events are critical, whatever their severity', () => {
  expect(isCritical('info', 'settlementbus.margin.breached.v1')).toBe(true);
  expect(isCritical('warning', 'settlementbus.margin.warning.v1')).toBe(false);
  expect(isCritical('critical', 'settlementbus.margin.warning.v1')).toBe(true);
});
