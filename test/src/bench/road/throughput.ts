import type { RunningSystem } from '../../harness/running-system.js';

/** Events a second over the whole road, from the first detection to the last delivery of a burst of statements. */
export async function measureThroughput(running: RunningSystem, events: number): Promise<number> {
  const facts = await running.market.publishStatements(events);
  await running.delivered(facts, 120_000);
  const subjects = new Set(facts.map(({ subject }) => subject));
  const bodies = running.sink.deliveries.map(({ body, receivedAt }) => ({
    receivedAt,
    event: JSON.parse(body) as { subject: string; detectedat: string },
  }));
  const burst = bodies.filter(({ event }) => subjects.has(event.subject));
  const first = Math.min(...burst.map(({ event }) => Date.parse(event.detectedat)));
  const last = Math.max(...burst.map(({ receivedAt }) => receivedAt));
  return burst.length / ((last - first) / 1000);
}
