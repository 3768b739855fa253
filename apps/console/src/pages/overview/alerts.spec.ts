import type { LiveEvent } from '../../api/live.js';
import { nextAlert } from './alerts.js';

const event = (type: string, more: Partial<LiveEvent> = {}): LiveEvent => ({
  id: `id of ${type}`,
  type: `settlementbus.${type}.v1`,
  participant: 'ALPHA',
  subject: 'ALPHA/prudential',
  severity: 'critical',
  time: '2026-12-01T08:00:00+08:00',
  archivedAt: '2026-12-01T00:00:00Z',
  marks: [],
  event: { data: {} },
  ...more,
});

const breached = event('margin.breached', {
  event: { data: { tradingMargin: '-60000.50', thresholds: { warning: '250000', breach: '0' } } },
});

it('shows a breach with its figures', () => {
  expect(nextAlert(undefined, breached)).toEqual({
    eventId: 'id of margin.breached',
    participant: 'ALPHA',
    severity: 'critical',
    what: 'margin breached',
    at: '2026-12-01T08:00:00+08:00',
    margin: '-60000.50',
    threshold: '0',
  });
});

it('ends with the event that ends it, of the same participant', () => {
  const alert = nextAlert(undefined, breached);
  const restored = event('margin.restored', { severity: 'info' });
  expect(nextAlert(alert, event('market.recovered', { severity: 'info' }))).toBe(alert);
  expect(nextAlert(alert, { ...restored, participant: 'BRAVO' })).toBe(alert);
  expect(nextAlert(alert, restored)).toBeUndefined();
});

it('keeps a critical alert before a warning of another participant', () => {
  const alert = nextAlert(undefined, breached);
  const warning = event('margin.warning', { severity: 'warning', participant: 'BRAVO' });
  expect(nextAlert(alert, warning)).toBe(alert);
  expect(nextAlert(alert, { ...warning, participant: 'ALPHA' })?.what).toBe(
    'margin below the warning threshold',
  );
});

it('ignores events that are late or not alerts', () => {
  expect(nextAlert(undefined, { ...breached, marks: ['late'] })).toBeUndefined();
  expect(nextAlert(undefined, event('statement.published', { severity: 'info' }))).toBeUndefined();
});
