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
  figures: {},
  event: { data: {} },
  ...more,
});

const breached = event('margin.breached', {
  event: {
    data: { level: 'BREACHED', tradingMargin: '-60000.50', thresholds: { warning: '250000', breach: '0' } },
  },
});

it('shows a breach with its figures', () => {
  expect(nextAlert(undefined, breached)).toEqual({
    eventId: 'id of margin.breached',
    key: 'ALPHA/prudential',
    participant: 'ALPHA',
    severity: 'critical',
    what: 'Trading margin below the breach threshold',
    at: '2026-12-01T08:00:00+08:00',
    margin: '-60000.50',
    threshold: '0',
  });
});

const restored = (level: string): LiveEvent =>
  event('margin.restored', {
    severity: 'info',
    event: { data: { level, tradingMargin: '9', thresholds: { warning: '250000', breach: '0' } } },
  });

it('ends with the event that ends it, of the same participant', () => {
  const alert = nextAlert(undefined, breached);
  const recovered = event('market.recovered', { severity: 'info', subject: 'ALPHA/market/prudential' });
  expect(nextAlert(alert, recovered)).toBe(alert);
  expect(nextAlert(alert, { ...restored('OK'), subject: 'BRAVO/prudential' })).toBe(alert);
  expect(nextAlert(alert, restored('OK'))).toBeUndefined();
});

it('becomes a warning when a breach ends at the level of a warning', () => {
  const alert = nextAlert(undefined, breached);
  expect(nextAlert(alert, restored('WARNING'))).toMatchObject({
    severity: 'warning',
    what: 'Trading margin below the warning threshold',
    margin: '9',
    threshold: '250000',
  });
  expect(nextAlert(undefined, restored('WARNING'))).toBeUndefined();
});

it('keeps a critical alert before a warning of another participant', () => {
  const alert = nextAlert(undefined, breached);
  const warning = event('margin.warning', {
    severity: 'warning',
    participant: 'BRAVO',
    subject: 'BRAVO/prudential',
    event: { data: { level: 'WARNING' } },
  });
  expect(nextAlert(alert, warning)).toBe(alert);
  const ofSame = { ...warning, participant: 'ALPHA', subject: 'ALPHA/prudential' };
  expect(nextAlert(alert, ofSame)?.severity).toBe('warning');
});

it('ignores events that are late or not alerts', () => {
  expect(nextAlert(undefined, { ...breached, marks: ['late'] })).toBeUndefined();
  expect(nextAlert(undefined, event('statement.published', { severity: 'info' }))).toBeUndefined();
});
