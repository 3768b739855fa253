import type { DetectedEvent } from '@ssb/events';
export function sampleEvent(id: string): DetectedEvent {
  return { id, type: 'settlementbus.margin.breached.v1', data: {} } as unknown as DetectedEvent;
}
