import { withoutProperty, withUnknownProperty } from '../domain/alter-json.js';
import type { BodyOut, Hit } from './spoil.js';

/** A property that the document does not list (Conventions 5). A body that has one of this name already is left alone. */
export function unknownProperty({ one, claim }: Hit<'unknown-property'>, body: string): BodyOut {
  const { property, where } = one.trouble;
  return altered(withUnknownProperty(body, property, where), claim);
}

/** A property is left out. A body that has none of this name is left alone. */
export function missingProperty({ one, claim }: Hit<'missing-property'>, body: string): BodyOut {
  return altered(withoutProperty(body, one.trouble.property), claim);
}

function altered(body: string | undefined, claim: () => boolean): BodyOut {
  return body !== undefined && claim() ? { body } : 'unchanged';
}
