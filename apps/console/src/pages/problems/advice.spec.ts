import { ALERT_REASON_NAMES, ALERT_REASONS } from '@ssb/events/problems';
import { CHOICES } from '../../api/operations.js';
import { adviceFor, type Advised } from './advice.js';
import { repairPageOf } from './fault-advice.js';

const problem = (kind: Advised['kind'], rest: Partial<Advised> = {}): Advised => ({
  kind,
  key: 'ALPHA/something',
  state: 'open',
  figures: {},
  closedByPerson: false,
  ...rest,
});

const fault = (reason: string, figures: Advised['figures'] = {}): Advised =>
  problem('bridge-fault', { key: `*/bridge/subscriber/${reason}/treasury`, figures });

it.each(CHOICES['/v1/problems'].kind)('has advice for a problem of kind %s', (kind) => {
  const { meaning, steps, end } = adviceFor(problem(kind));
  expect(meaning).toMatch(/^[A-Z].+\.$/);
  expect(steps.length).toBeGreaterThan(1);
  for (const step of [...steps, end]) expect(step).toMatch(/^[A-Z].+\.$/);
});

it.each(ALERT_REASON_NAMES)('has advice for a fault with the reason %s', (reason) => {
  const { meaning, steps } = adviceFor(fault(reason));
  expect(meaning).toContain(ALERT_REASONS[reason].meaning);
  expect(steps[1]).toContain(ALERT_REASONS[reason].action.slice(0, 10));
  expect(steps.join(' ')).not.toContain('docs/');
});

it('prefers what the event of a fault says to do, also for an unknown reason', () => {
  const { meaning, steps } = adviceFor(fault('of-another-release', { action: 'Restart it (docs/x.md).' }));
  expect(meaning).toMatch(/^The bridge itself has a fault\./);
  expect(steps).toContain('Restart it.');
});

it('does not advise to acknowledge again', () => {
  const steps = (state: Advised['state']): string =>
    adviceFor(problem('margin', { state, level: 'BREACHED' })).steps.join(' ');
  expect(steps('open')).toContain('Acknowledge');
  expect(steps('acknowledged')).not.toContain('Acknowledge');
});

it('distinguishes a breach from a warning', () => {
  expect(adviceFor(problem('margin', { level: 'BREACHED' })).steps).toContain(
    'Provide cash or credit support.',
  );
  expect(adviceFor(problem('margin', { level: 'WARNING' })).meaning).toContain('warning threshold');
});

it.each([
  ['no-response', /^The operator does not respond\./, /help desk/],
  ['certificate', /client certificate/, /must be corrected/],
  ['constructor', /refuses the bridge or does not respond/, /help desk/],
])('explains an outage by its cause %s', (cause, meaning, step) => {
  const advice = adviceFor(problem('operator-unreachable', { figures: { cause } }));
  expect(advice.meaning).toMatch(meaning);
  expect(advice.steps[0]).toMatch(step);
});

it('names the page on which a fault is repaired', () => {
  expect(repairPageOf(fault('sink-failing'))?.to).toBe('/sinks');
  expect(repairPageOf(fault('delivery-refused'))?.search).toEqual({ state: 'parked' });
  expect(repairPageOf(fault('clock-offset'))?.to).toBe('/operations');
  expect(repairPageOf(problem('margin'))).toBeUndefined();
});
