import { eventLine, type Paint } from '../report/events.js';
import type { LogLine } from '../system/app-process.js';
import { Journeys } from '../system/journey.js';

/** Enough for every event that can be on its way at once, and little memory. */
const JOURNEYS_KEPT = 2_000;

/**
 * One line for each event, as the subscriber has verified it. The `archived` line comes with the verdict and tells whether the event
 * stands out, whichever sinks the operator has named.
 */
export function eventLines(
  write: (line: string) => void,
  paint: Paint,
): (app: string, line: LogLine) => void {
  const journeys = new Journeys(JOURNEYS_KEPT);
  return (_, line) => {
    const journey = journeys.note(line);
    if (journey === undefined || line.step !== 'archived') return;
    write(eventLine(journey, journey.alert ?? false, paint));
  };
}
