import type { AlternativeNames } from './alternative-names.js';
import type { NameAttribute } from './distinguished-name.js';

/** Where in a client certificate the participant code stands. */
export const NAME_PLACES = [
  'subject.CN',
  'subject.OU',
  'subject.O',
  'subject.serialNumber',
  'san.dns',
  'san.uri',
  'map-only',
] as const;
export type NamePlace = (typeof NAME_PLACES)[number];

/** What a certificate says about its holder. */
export interface CertificateNames {
  subject: readonly NameAttribute[];
  alternative: AlternativeNames;
}

/** The mark in a form of names that the participant code stands for. */
export const CODE_MARK = '{code}';

/** What can be printed and typed; SQL text cannot even hold a zero character. Document 000 gives codes at most 60 characters. */
const PARTICIPANT_CODE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{1,60}$/u;

export function isParticipantCode(text: string): boolean {
  return PARTICIPANT_CODE.test(text) && text.trim() === text;
}

/**
 * The one participant that a certificate names at the place, undefined for none or several. With a form such as
 * `urn:market:{code}`, the values that do not have it are other names and count for nothing.
 */
export function participantNamed(
  names: CertificateNames,
  place: NamePlace,
  form: string,
): string | undefined {
  const codes = valuesAt(names, place).flatMap((value) => codeIn(value, form));
  const [code] = codes;
  return codes.length === 1 && code !== undefined && isParticipantCode(code) ? code : undefined;
}

function valuesAt({ subject, alternative }: CertificateNames, place: NamePlace): readonly string[] {
  switch (place) {
    case 'subject.CN':
    case 'subject.OU':
    case 'subject.O':
    case 'subject.serialNumber':
      return subject.filter(({ type }) => type === place.slice('subject.'.length)).map(({ value }) => value);
    case 'san.dns':
      return alternative.dns;
    case 'san.uri':
      return alternative.uri;
    case 'map-only':
      return [];
    default:
      return place satisfies never;
  }
}

function codeIn(value: string, form: string): string[] {
  const [before = '', after = ''] = form.split(CODE_MARK);
  const long = value.length >= before.length + after.length;
  if (!long || !value.startsWith(before) || !value.endsWith(after)) return [];
  return [value.slice(before.length, value.length - after.length)];
}
