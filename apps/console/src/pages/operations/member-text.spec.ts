import { findMemberText } from './member-text.js';

it.each([
  [
    '{"id":"a","event": {"amount": 1.10, "list": [1e3, "}"]} ,"size":3}',
    '{"amount": 1.10, "list": [1e3, "}"]}',
  ],
  ['{"first":{"event":1},"event":123456789012345678901.10}', '123456789012345678901.10'],
  ['{"text":"event","event":[{"event":2}]}', '[{"event":2}]'],
  ['{"first":{"event":1}}', undefined],
])('finds the member in %s', (json, expected) => {
  expect(findMemberText(json, 'event')).toBe(expected);
});
