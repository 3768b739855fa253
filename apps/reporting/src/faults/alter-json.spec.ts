import { firstHalf, withoutProperty, withUnknownProperty } from './alter-json.js';

const BODY = '{"data":{"runId":1,"days":[{"value":123456789012345.12345678},{"value":1.0,"flag":true}]}}';
const EXTRA = '"extra":"a property that the interface document does not know"';

describe('an unknown property is added', () => {
  it.each([
    ['beside the data', BODY, 'beside-data' as const, BODY.replace(/}$/, `,${EXTRA}}`)],
    ['in the resource', BODY, 'in-data' as const, BODY.replace(/}}$/, `,${EXTRA}}}`)],
    [
      'in each one of a list',
      '{"data":[{"a":1},{"a":2}]}',
      'in-data' as const,
      `{"data":[{"a":1,${EXTRA}},{"a":2,${EXTRA}}]}`,
    ],
    ['nowhere, when there is no resource', '{"data":null}', 'in-data' as const, undefined],
    ['nowhere, when it is there already', '{"data":{"extra":1}}', 'in-data' as const, undefined],
  ])('%s', (_what, body, where, expected) => {
    expect(withUnknownProperty(body, 'extra', where)).toBe(expected);
  });
});

describe('a property is removed', () => {
  it.each([
    ['the topmost', '{"data":{"a":{"runId":1},"runId":2}}', 'runId', '{"data":{"a":{"runId":1}}}'],
    [
      'the first of a list',
      '{"data":[{"b":1},{"a":1,"b":2},{"a":3}]}',
      'a',
      '{"data":[{"b":1},{"b":2},{"a":3}]}',
    ],
    ['with every digit of the rest', BODY, 'flag', BODY.replace(',"flag":true', '')],
    ['data itself', '{"data":{}}', 'data', '{}'],
    ['none that is not there', BODY, 'value.value', undefined],
    ['none that only every object has', BODY, 'constructor', undefined],
  ])('%s', (_what, body, property, expected) => {
    expect(withoutProperty(body, property)).toBe(expected);
  });
});

it('half of an object is not JSON', () => {
  expect(() => void JSON.parse(firstHalf(BODY))).toThrow(SyntaxError);
});
