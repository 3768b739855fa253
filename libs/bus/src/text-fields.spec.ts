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
    ['with an optional field', { ...note, from: '🙂' }, { ...note, from: '🙂' }],
    ['with an optional field that is undefined', { ...note, from: undefined }, note],
    ['with a field that has no rule, and removes that field', { ...note, more: 1 }, note],
  ])('is accepted %s', (_title, input, value) => {
    expect(readTextFields(input, rules)).toEqual({ ok: true, value });
  });

  it.each<[string, unknown, string, string]>([
    ['a string', 'abc', '', 'The message must be a JSON object'],
    ['null', null, '', 'The message must be a JSON object'],
    ['an array', [note], '', 'The message must be a JSON object'],
    ['a missing field', { to: 'abc' }, 'text', 'text must be a string'],
    ['a field of the wrong type', { ...note, text: { length: 1 } }, 'text', 'text must be a string'],
    ['null in an optional field', { ...note, from: null }, 'from', 'from must be a string'],
    ['a field that is too short', { ...note, to: '' }, 'to', 'to must have at least 1 characters'],
    ['a field that is too long', { ...note, to: 'abcd' }, 'to', 'to must have at most 3 characters'],
    ['a lone surrogate', { ...note, from: '\ud83d' }, 'from', 'from must have a UTF-8 form'],
  ])('is refused with %s', (_title, input, path, message) => {
    const faults = [{ path, message: expect.stringContaining(message) }];
    expect(readTextFields(input, rules)).toEqual({ ok: false, faults });
  });

  it('is refused with one fault for each invalid field', () => {
    const result = readTextFields({ to: 1, from: 2 }, rules);
    expect(result.ok ? [] : result.faults.map(({ path }) => path)).toEqual(['to', 'text', 'from']);
  });
});
