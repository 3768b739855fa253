import type { EventDetail } from '../../../api/operations.js';

const MEMBERS = ['type', 'participant', 'subject', 'time'] as const;

/**
 * The event with the members that its text has: the page shows what the signatures cover, not what the response says besides.
 * A text that is not an object has no members.
 */
export function takeSignedMembers(detail: EventDetail): EventDetail {
  const event = parse(detail.text);
  const members = MEMBERS.map((name) => [name, typeof event[name] === 'string' ? event[name] : ''] as const);
  return { ...detail, ...Object.fromEntries(members), event };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
