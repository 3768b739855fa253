import { findEventTypes, shortType } from '@ssb/config';
import { DIGEST_DELIVERY_TYPE } from '@ssb/events';
import { TYPE_SCHEMA } from '../http/texts.js';

const DIGEST_NAMES: readonly string[] = [DIGEST_DELIVERY_TYPE, shortType(DIGEST_DELIVERY_TYPE)];

/** Types that a text names: an event type or a pattern, also without prefix and version, or `delivery.digest`. */
export function findDeliveryTypes(text: string): readonly string[] {
  if (DIGEST_NAMES.includes(text)) return [DIGEST_DELIVERY_TYPE];
  return text.length > TYPE_SCHEMA.maxLength ? [] : findEventTypes(text);
}

/** Type in a listing of a delivery whose event is no longer archived. */
export const UNKNOWN_TYPE = 'unknown';

/** As `findDeliveryTypes`, also with the type of deliveries whose event is not archived. */
export function findShownTypes(text: string): readonly string[] {
  return text === UNKNOWN_TYPE ? [UNKNOWN_TYPE] : findDeliveryTypes(text);
}
