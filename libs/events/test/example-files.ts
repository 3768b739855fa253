import { SIGNED_EVENTS } from './sample-events.js';

/** `libs/events/examples`. */
export const EXAMPLE_FOLDER = new URL('../../examples/', import.meta.url);

/** The published examples: `<type>.json` and its content, a signed event. */
export function exampleFiles(): ReadonlyMap<string, object> {
  return new Map(Object.values(SIGNED_EVENTS).map((event) => [`${event.type}.json`, event]));
}
