import { readTextFields, type TextRules } from './text-fields.js';

interface Note {
  readonly to: string;
  readonly text: string;
  readonly from?: string;
}

const rules: TextRules<Note> = { to: { minLength: 1, maxLength: 3 }, text: {}, from: { isOptional: true } };
const note = { to: 'abc', text: '' };

describe('an object of text fields', () => {
  it.each<[string, object, object]>([
    ['without an optional field', note, note],
    ['with it', { ...note, from: '🙂' }, { ...note, from: '🙂' }],
    ['with an optional field that is undefined', { ...note, from: undefined }, note],
    ['with fields that have no rule, which are dropped', { ...note, more: 1 }, note],
  ])('is accepted %s', (_what, given, value) => {
    expect(readTextFields(given, rules)).toEqual({ ok: true, value });
  });

  it.each<[string, unknown, string, string]>([
    ['a string', 'abc', '', 'The message must be a JSON object'],
    ['null', null, '', 'The message must be a JSON object'],
    ['a list', [note], '', 'The message must be a JSON object'],
    ['a missing field', { to: 'abc' }, 'text', 'text must be a string'],
    ['a field of the wrong type', { ...note, text: { length: 1 } }, 'text', 'text must be a string'],
    ['null in an optional field', { ...note, from: null }, 'from', 'from must be a string'],
    ['a field that is too short', { ...note, to: '' }, 'to', 'to must have at least 1 characters'],
    ['a field that is too long', { ...note, to: 'abcd' }, 'to', 'to must have at most 3 characters'],
    ['half a surrogate pair', { ...note, from: '\ud83d' }, 'from', 'from must have a UTF-8 form'],
  ])('is refused with %s', (_what, given, path, message) => {
    const faults = [{ path, message: expect.stringContaining(message) }];
    expect(readTextFields(given, rules)).toEqual({ ok: false, faults });
  });

  it('is refused with a fault for each wrong field', () => {
    const reading = readTextFields({ to: 1, from: 2 }, rules);
    expect(reading.ok ? [] : reading.faults.map(({ path }) => path)).toEqual(['to', 'text', 'from']);
  });
});
