import { marginChanged, type DetectedEvent, type EventId } from '@ssb/events';

/** An event for tests, under an id of the test's choice. */
export function sampleEvent(id: string): DetectedEvent {
  const event = marginChanged(
    {
      participant: 'WPGENCO',
      tradingDay: '2026-03-02T00:00:00',
      calculatedAt: '2026-03-02T09:00:00',
      level: 'BREACHED',
      previousLevel: 'OK',
      tradingMargin: '123456789012345.67890123',
      thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
    },
    {
      detectedAt: new Date('2026-03-02T01:00:05.123Z'),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  );
  return { ...event, id: id as EventId };
}
