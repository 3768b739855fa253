import { toPrintable } from '@ssb/net';
import { titleFigures } from './figures/event-figures.js';
import { eventText } from './texts/event-texts.js';
import { formatInstant, formatText, type Figure } from './formats.js';
import type { EventPart } from './message-body.js';

const MAX_LABEL_LENGTH = 100;

/** Title and one line for each event of a digest, in the order of the archive. */
export function describeDigest(events: readonly EventPart[]): {
  readonly title: string;
  readonly explanation: string;
  readonly figures: readonly Figure[];
  readonly action: string;
} {
  return {
    title: events.length === 1 ? 'DIGEST of 1 notice' : `DIGEST of ${events.length} notices`,
    explanation: 'These facts were grouped into one message, in the order in which they arrived.',
    figures: events.map(toLine),
    action: 'Read them. The archive has each with all its figures.',
  };
}

function toLine(event: EventPart, at: number): Figure {
  const about = event.participant === '*' ? '' : `${event.participant}: `;
  const figures = titleFigures(event.type, event.data).map(({ value }) => value);
  return {
    label: toPrintable(`${at + 1}. ${about}${eventText(event).title}`, MAX_LABEL_LENGTH),
    value: formatText([...figures, formatInstant(event.time)].join('; ')),
  };
}
