import { DIGEST_DELIVERY_TYPE, EVENT_TYPES } from '@ssb/events';

/** The parts of a type that people leave out. */
const PREFIX_AND_VERSION = /^settlementbus\.|\.v\d+$/g;

/** Types of deliveries that a text names, as of events or `delivery.digest`, also without prefix and version. */
export function findDeliveryTypes(text: string): readonly string[] {
  return [...EVENT_TYPES, DIGEST_DELIVERY_TYPE].filter(
    (type) => type === text || type.replace(PREFIX_AND_VERSION, '') === text,
  );
}
