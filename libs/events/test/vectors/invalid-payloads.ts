import type { MessageChanges } from './make-message.js';
import { MARGIN } from './valid.js';
import { refused, type Refusal, type Vector } from './vector.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const written = (text: (text: string) => string): MessageChanges => ({ text });
/** Adds a member at the end, which the proof does not cover. */
const withMember = (value: string, name = '"note"'): MessageChanges =>
  written((text) => text.replace(/\}$/, `,${name}:${value}}`));

const PAYLOADS: readonly Refusal[] = [
  ['an empty payload', 'payload', written(() => '')],
  ['a payload without its last character', 'payload', written((text) => text.slice(0, -1))],
  ['a payload that is a text', 'payload', written((text) => JSON.stringify(text))],
  ['a payload that is a list', 'payload', written((text) => `[${text}]`)],
  ['a payload that is a number', 'payload', written(() => '1')],
  ['a payload that is null', 'payload', written(() => 'null')],
  ['two payloads', 'payload', written((text) => `${text}\n${text}`)],
  ['a byte order mark', 'payload', written((text) => `\ufeff${text}`)],
  ['a space that is not one of JSON', 'payload', written((text) => `\u00a0${text}`)],
  ['a comment', 'payload', written((text) => `${text}// fine`)],
  ['a comma after the last member', 'payload', written((text) => text.replace(/\}$/, ',}'))],
  ['a text in single quotes', 'payload', withMember("'x'")],
  ['a line feed in a text', 'payload', withMember('"a\nb"')],
  ['a NUL in a text', 'payload', withMember('"a\0b"')],
  ['an unknown escape', 'payload', withMember('"\\x41"')],
  ['NaN', 'payload', withMember('NaN')],
  ['Infinity', 'payload', withMember('-Infinity')],
  ['a number with a leading zero', 'payload', withMember('01')],
  ['a number with a plus sign', 'payload', withMember('+1')],
  ['a number without a digit after the point', 'payload', withMember('1.')],
  ['a truth value in upper case', 'payload', withMember('True')],
  ['a name twice', 'payload', written((text) => text.replace('{', '{"subject":"another",'))],
  [
    'a name twice with the same value',
    'payload',
    written((text) => text.replace('{', '{"specversion":"1.0",')),
  ],
  ['a name twice, once with an escape', 'payload', withMember('"BETA"', '"partic\\u0069pant"')],
  [
    'a name twice within the data',
    'payload',
    written((text) => text.replace('"level":', '"level":"OK","level":')),
  ],
  ['a name twice within a list', 'payload', withMember('[1,{"a":1,"a":1}]')],
  ['33 levels', 'payload', withMember(nested(32))],
  ['5,000 levels', 'payload', withMember(nested(5_000))],
];

/** JSON that the proof does not cover. */
const UNPROVEN: readonly Refusal[] = [
  ['32 levels', 'a member added after the proof', withMember(nested(31))],
  ['a number that is too large', 'a member added after the proof', withMember('1e999')],
  ['a lone surrogate', 'a member added after the proof', withMember('"\\ud800"')],
  ['a name with a lone surrogate', 'a member added after the proof', withMember('1', '"\\udc00"')],
  [
    'a member that objects inherit',
    'a member added after the proof',
    withMember('{"version":2}', '"__proto__"'),
  ],
];

export function invalidPayloads(): Vector[] {
  return [...refused('not-an-event', MARGIN, PAYLOADS), ...refused('origin-proof', MARGIN, UNPROVEN)];
}
